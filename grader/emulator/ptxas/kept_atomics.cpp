// SPDX-License-Identifier: MIT
#include "emulator/ptxas/kept_atomics.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace warpgrade::emulator {
namespace {

constexpr int kFirstToKeep = 90;

bool fences(const ptx::Instruction& instruction) {
  return instruction.opcode == "membar" ||
         (instruction.opcode == "fence" && (instruction.has("sc") || instruction.has("acq_rel")));
}

/// Functions that call each other, directly or through others, in sets.
class CallSets {
 public:
  explicit CallSets(const ptx::Module& module) {
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Instruction& instruction : function.body) {
        if (instruction.opcode != "call") continue;
        for (const ptx::Operand& operand : instruction.operands) {
          if (operand.kind == ptx::Operand::Kind::symbol && operand.variable < 0)
            above_[of(operand.name)] = of(function.name);
        }
      }
    }
  }

  std::string_view of(std::string_view name) {
    for (auto found = above_.find(name); found != above_.end() && found->second != name;
         found = above_.find(name))
      name = found->second;
    return name;
  }

 private:
  std::map<std::string_view, std::string_view> above_;
};

}  // namespace

std::set<std::string_view> functions_that_keep_atomics(const ptx::Module& module, int sm) {
  std::set<std::string_view> found;
  if (sm < kFirstToKeep) return found;
  CallSets sets(module);
  std::map<std::string_view, bool> fencing;
  for (const ptx::Function& function : module.functions)
    fencing[sets.of(function.name)] |=
        std::any_of(function.body.begin(), function.body.end(), fences);
  for (const ptx::Function& function : module.functions) {
    if (fencing[sets.of(function.name)]) found.insert(function.name);
  }
  return found;
}

}  // namespace warpgrade::emulator
