// SPDX-License-Identifier: MIT
#include "emulator/exec/kept_atomics.h"

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

std::unordered_set<uint32_t> kept_atomics(const ptx::Module& module, const Program& program,
                                          int sm) {
  std::unordered_set<uint32_t> kept;
  if (sm < kFirstToKeep) return kept;
  CallSets sets(module);
  std::map<std::string_view, bool> fencing;
  for (const ptx::Function& function : module.functions)
    fencing[sets.of(function.name)] |=
        std::any_of(function.body.begin(), function.body.end(), fences);
  for (const ptx::Function& function : module.functions) {
    if (!function.has_body || !fencing[sets.of(function.name)]) continue;
    const auto code =
        std::find_if(program.functions.begin(), program.functions.end(),
                     [&](const FunctionCode& each) { return each.name == function.name; });
    for (uint32_t index = 0; index < function.body.size(); ++index) {
      const uint32_t pc = code->first + index;
      if (function.body[index].opcode == "atom" && program.code[pc].d == kNoRegister)
        kept.insert(pc);
    }
  }
  return kept;
}

}  // namespace warpgrade::emulator
