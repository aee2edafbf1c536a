// SPDX-License-Identifier: MIT
#include "emulator/analysis/register_uses.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpgrade::emulator {
namespace {

/// A clock gives another value at each read.
bool is_of_clocks(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::special &&
         (operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer"));
}

/// Instructions that read or set the carry flag do more, which no operand names.
bool is_computation(const ptx::Instruction& instruction) {
  static const std::set<std::string_view> opcodes = {
      "abs",  "add",   "and",  "bfe",  "bfi",      "bfind", "bmsk",  "brev",  "clz", "cnot", "cos",
      "cvt",  "cvta",  "div",  "dp2a", "copysign", "dp4a",  "ex2",   "fma",   "fns", "lg2",  "lop3",
      "mad",  "mad24", "max",  "min",  "mov",      "mul",   "mul24", "neg",   "not", "or",   "popc",
      "prmt", "rcp",   "rem",  "sad",  "selp",     "set",   "setp",  "rsqrt", "shf", "shl",  "shr",
      "sin",  "slct",  "sqrt", "sub",  "tanh",     "szext", "testp", "xor"};
  const std::vector<ptx::Operand>& operands = instruction.operands;
  return !operands.empty() && opcodes.contains(instruction.opcode) && !instruction.has("cc") &&
         std::none_of(operands.begin(), operands.end(), is_of_clocks);
}

}  // namespace

bool is_one_of(const ptx::Instruction& instruction,
               std::initializer_list<std::string_view> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
}

bool becomes_branches(const ptx::Instruction& instruction) {
  const std::string_view op = instruction.opcode;
  if (op != "div" && op != "rem" && op != "rcp" && op != "sqrt") return false;
  if (instruction.has("approx") || instruction.has("full")) return false;
  return instruction.has("f32") || instruction.has("f64") || instruction.has("s64") ||
         instruction.has("u64");
}

RegisterUses::RegisterUses(const ptx::Function& function)
    : function_(function),
      computes_(function.body.size()),
      entrances_until_(function.body.size() + 1),
      uses_(function.registers.size()),
      sets_(function.registers.size()),
      seen_in_(function.body.size()) {
  count_entrances();
  for (size_t index = 0; index < function.body.size(); ++index) note(index);
}

void RegisterUses::count_entrances() {
  std::set<size_t> entrances;
  for (const ptx::Instruction& instruction : function_.body) {
    if (instruction.opcode == "bra") entrances.insert(target_of(instruction));
  }
  for (const auto& [name, targets] : function_.branch_targets) {
    for (const std::string_view target : targets) {
      const auto found = function_.labels.find(target);
      if (found != function_.labels.end()) entrances.insert(found->second);
    }
  }
  size_t entrances_so_far = 0;
  for (size_t index = 0; index < entrances_until_.size(); ++index)
    entrances_until_[index] = entrances_so_far += entrances.count(index);
}

std::vector<size_t> RegisterUses::stretches() const {
  std::vector<size_t> numbers(count());
  size_t number = 0;
  for (size_t index = 0; index < count(); ++index) {
    if (is_entered(index)) ++number;
    numbers[index] = number;
    if (ends_stretch(index)) ++number;
  }
  return numbers;
}

bool RegisterUses::reads(size_t index, int reg) const {
  bool found = false;
  for_sources(index, [&](int source) { found = found || source == reg; });
  return found;
}

bool RegisterUses::may_set(size_t index, int reg) const {
  bool found = false;
  for_results(index, [&](int result) { found = found || result == reg; });
  return found;
}

size_t RegisterUses::target_of(const ptx::Instruction& branch) const {
  if (branch.operands.empty()) return count();
  const auto found = function_.labels.find(branch.operands[0].name);
  return found == function_.labels.end() ? count() : found->second;
}

bool RegisterUses::is_born_at(int reg, size_t index) const {
  const std::vector<size_t>&uses = uses_of(reg), &sets = sets_of(reg);
  return sets.size() == 1 && sets[0] == index && (uses.empty() || uses[0] > index);
}

bool RegisterUses::reaches(size_t start, int reg) const {
  const std::vector<size_t>& uses = uses_of(reg);
  const bool is_dead = std::all_of(uses.begin(), uses.end(), [&](size_t use) {
    return use < start && is_set_again_before(reg, use);
  });
  return !is_dead && search(start, reg);
}

/// Whether no lane gets to the use, from anywhere but just before it, without setting the register again.
bool RegisterUses::is_set_again_before(int reg, size_t use) const {
  const std::vector<size_t>& sets = sets_of(reg);
  return std::any_of(sets.begin(), sets.end(), [&](size_t set) {
    return set < use && at(set).guard < 0 && entrances_until_[set] == entrances_until_[use];
  });
}

bool RegisterUses::search(size_t start, int reg) const {
  const std::vector<size_t>&uses = uses_of(reg), &sets = sets_of(reg);
  std::vector<size_t> open = {start};
  ++searches_;
  while (!open.empty()) {
    const size_t index = open.back();
    open.pop_back();
    if (index >= count() || std::exchange(seen_in_[index], searches_) == searches_) continue;
    if (std::binary_search(uses.begin(), uses.end(), index)) return true;
    const ptx::Instruction& instruction = at(index);
    const bool is_guarded = instruction.guard >= 0;
    if (!is_guarded && std::binary_search(sets.begin(), sets.end(), index)) continue;
    if (instruction.opcode == "brx") return true;
    const bool is_branch = instruction.opcode == "bra";
    if (is_branch) open.push_back(target_of(instruction));
    const bool ends = is_branch || is_one_of(instruction, {"ret", "exit"});
    if (!ends || is_guarded) open.push_back(index + 1);
  }
  return false;
}

void RegisterUses::note(size_t index) {
  computes_[index] = is_computation(at(index));
  for_sources(index, [&](int reg) {
    std::vector<size_t>& uses = uses_[static_cast<size_t>(reg)];
    if (uses.empty() || uses.back() != index) uses.push_back(index);
  });
  if (!sets_first(index)) return;
  for_registers(at(index).operands[0],
                [&](int reg) { sets_[static_cast<size_t>(reg)].push_back(index); });
}

}  // namespace warpgrade::emulator
