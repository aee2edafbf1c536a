// SPDX-License-Identifier: MIT
#include "emulator/analysis/early_exit.h"

#include <algorithm>
#include <map>

namespace warpgrade::emulator {
namespace {

using ptx::Function;

bool is_one_of(const ptx::Instruction& instruction,
               std::initializer_list<std::string_view> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
}

bool ends_threads(const ptx::Instruction& instruction) {
  return is_one_of(instruction, {"ret", "exit"}) && instruction.guard < 0;
}

class Loops {
 public:
  explicit Loops(const Function& function) : function_(function) {
    for (size_t index = 0; index < function.body.size(); ++index) {
      const ptx::Instruction& instruction = function.body[index];
      if (instruction.opcode != "bra" || instruction.operands.size() != 1) continue;
      const size_t target = target_of(instruction);
      ++sources_[target];
      if (target <= index) last_turn_[target] = index;
    }
    for (const auto& [name, targets] : function.branch_targets) {
      for (const std::string_view target : targets) ++sources_[index_of(target)];
    }
  }

  bool is_early_exit(size_t index) const {
    const ptx::Instruction& branch = function_.body[index];
    if (branch.opcode != "bra" || branch.guard < 0 || branch.operands.size() != 1) return false;
    const size_t target = target_of(branch);
    const bool in_loop = std::any_of(last_turn_.begin(), last_turn_.end(), [&](const auto& loop) {
      return loop.first <= index && index < loop.second &&
             (target < loop.first || target > loop.second);
    });
    return in_loop && is_only_way_to(target) && leads_to_the_end(target);
  }

 private:
  size_t index_of(std::string_view label) const {
    const auto found = function_.labels.find(label);
    return found == function_.labels.end() ? function_.body.size() : found->second;
  }
  size_t target_of(const ptx::Instruction& branch) const {
    return index_of(branch.operands[0].name);
  }

  /// One branch, and no code that runs on into it, leads to `target`.
  bool is_only_way_to(size_t target) const {
    if (target == 0 || target >= function_.body.size() || sources_.at(target) != 1) return false;
    const ptx::Instruction& before = function_.body[target - 1];
    return before.guard < 0 && is_one_of(before, {"bra", "ret", "exit", "trap"});
  }

  /// Straight, doing something with memory on the way, and past no place at which other lanes come in.
  bool leads_to_the_end(size_t begin) const {
    bool accesses = false;
    for (size_t at = begin; at < function_.body.size(); ++at) {
      const ptx::Instruction& instruction = function_.body[at];
      if (ends_threads(instruction)) return accesses;
      if (at != begin && sources_.contains(at)) return false;
      if (instruction.opcode == "bra" && instruction.guard < 0) {
        const size_t target = target_of(instruction);
        return accesses &&
               (target >= function_.body.size() || ends_threads(function_.body[target]));
      }
      if (is_one_of(instruction, {"bra", "brx", "call", "bar", "barrier", "shfl", "vote", "match",
                                  "redux", "activemask", "mbarrier", "cp", "wmma", "mma"}))
        return false;
      accesses |= is_one_of(instruction, {"ld", "st", "atom", "red"});
    }
    return accesses;
  }

  const Function& function_;
  std::map<size_t, size_t> last_turn_;  ///< a loop's first instruction, and its last branch back
  std::map<size_t, int> sources_;       ///< how many branches lead to an instruction
};

}  // namespace

std::vector<size_t> early_exits(const Function& function) {
  std::vector<size_t> found;
  if (!function.is_entry) return found;
  const Loops loops(function);
  for (size_t index = 0; index < function.body.size(); ++index) {
    if (loops.is_early_exit(index)) found.push_back(index);
  }
  return found;
}

}  // namespace warpgrade::emulator
