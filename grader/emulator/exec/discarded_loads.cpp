// SPDX-License-Identifier: MIT
#include "emulator/exec/discarded_loads.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

bool is_one_of(const Instruction& instruction, std::initializer_list<std::string_view> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end();
}

bool mentions(const Operand& operand, int reg) {
  return operand.reg == reg ||
         std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Operand& element) { return mentions(element, reg); });
}

bool is_plain(const Operand& operand) {
  return operand.kind == Operand::Kind::reg && operand.reg >= 0 && !operand.negated &&
         !operand.is_address && operand.elements.empty();
}

/// The register that the instruction sets and that is all of its first operand, -1 where there is none.
int set_by(const Instruction& instruction) {
  if (instruction.operands.empty() || !is_plain(instruction.operands[0])) return -1;
  return is_one_of(instruction, {"ld", "setp", "and", "or", "xor", "not", "mov"})
             ? instruction.operands[0].reg
             : -1;
}

/// Where registers are set and used, and which way lanes go.
class Uses {
 public:
  explicit Uses(const Function& function)
      : function_(function), of_(function.registers.size()), sets_(function.registers.size()) {
    for (const auto& [name, index] : function.labels) labelled_.insert(index);
    for (size_t index = 0; index < function.body.size(); ++index) note(index);
  }

  const Instruction& at(size_t index) const { return function_.body[index]; }
  const std::vector<size_t>& of(int reg) const { return of_[static_cast<size_t>(reg)]; }

  /// The one place that sets it; nothing where there are others.
  std::optional<size_t> only_set(int reg) const {
    const std::vector<size_t>& sets = sets_[static_cast<size_t>(reg)];
    return sets.size() == 1 ? std::optional(sets[0]) : std::nullopt;
  }
  /// Whether lanes go from `first` to `last` straight, and nothing else leads in between.
  bool is_straight(size_t first, size_t last) const {
    if (last <= first) return false;
    for (size_t index = first + 1; index <= last; ++index) {
      if (labelled_.count(index) != 0) return false;
      if (index < last && is_one_of(at(index), {"bra", "brx", "call", "ret", "exit", "trap"}))
        return false;
    }
    return true;
  }
  /// Whether lanes that go on at `start` use what the register holds. Errs to yes.
  bool reaches(size_t start, int reg) const {
    std::vector<size_t> open = {start};
    std::set<size_t> seen;
    while (!open.empty()) {
      const size_t index = open.back();
      open.pop_back();
      if (index >= function_.body.size() || !seen.insert(index).second) continue;
      const std::vector<size_t>& uses = of(reg);
      if (std::binary_search(uses.begin(), uses.end(), index)) return true;
      if (set_by(at(index)) == reg) continue;
      if (is_one_of(at(index), {"brx"})) return true;
      const bool is_branch = at(index).opcode == "bra", is_guarded = at(index).guard >= 0;
      if (is_branch) open.push_back(target_of(at(index)));
      const bool ends = is_branch || is_one_of(at(index), {"ret", "exit"});
      if (!ends || is_guarded) open.push_back(index + 1);
    }
    return false;
  }
  size_t target_of(const Instruction& branch) const {
    const auto found = function_.labels.find(branch.operands[0].name);
    return found == function_.labels.end() ? function_.body.size() : found->second;
  }

 private:
  void note(size_t index) {
    const Instruction& instruction = at(index);
    const int sets = set_by(instruction);
    if (sets >= 0) sets_[static_cast<size_t>(sets)].push_back(index);
    const auto use = [&](int reg) {
      std::vector<size_t>& uses = of_[static_cast<size_t>(reg)];
      if (uses.empty() || uses.back() != index) uses.push_back(index);
    };
    if (instruction.guard >= 0) use(instruction.guard);
    for (size_t i = sets >= 0 ? 1 : 0; i < instruction.operands.size(); ++i)
      for_registers(instruction.operands[i], use);
    // Other opcodes may set what they name first.
    if (sets < 0 && !instruction.operands.empty())
      for_registers(instruction.operands[0],
                    [&](int reg) { sets_[static_cast<size_t>(reg)].push_back(index); });
  }
  template <class Visit>
  void for_registers(const Operand& operand, const Visit& visit) {
    if (operand.reg >= 0) visit(operand.reg);
    for (const Operand& element : operand.elements) for_registers(element, visit);
  }

  const Function& function_;
  std::set<size_t> labelled_;
  std::vector<std::vector<size_t>> of_, sets_;  ///< by register, in the body's order
};

/// Whether a register is set before `index`, once, by an instruction that sets nothing else.
bool is_known_before(const Uses& uses, int reg, size_t index) {
  const std::optional<size_t> set = uses.only_set(reg);
  return set && *set < index;
}

/// `selp d, value, other, p`: lanes whose p is false take the other.
std::optional<DiscardedLoad> discarded_by_selection(const Uses& uses, size_t load, int value) {
  if (uses.of(value).size() != 1) return std::nullopt;
  const size_t use = uses.of(value)[0];
  const Instruction& select = uses.at(use);
  if (select.opcode != "selp" || select.guard >= 0 || select.operands.size() != 4 ||
      !is_plain(select.operands[3]) || !uses.is_straight(load, use))
    return std::nullopt;
  const bool first = mentions(select.operands[1], value),
             second = mentions(select.operands[2], value);
  const int predicate = select.operands[3].reg;
  if (first == second || !is_known_before(uses, predicate, load)) return std::nullopt;
  return DiscardedLoad{load, predicate, second};
}

/// The use of `value` behind the load that is a setp, and the only one of its result: `and.pred` or `or.pred` with another predicate.
std::optional<size_t> join_of(const Uses& uses, size_t load, int value) {
  for (const size_t use : uses.of(value)) {
    const Instruction& compare = uses.at(use);
    const int result = compare.opcode == "setp" && compare.guard < 0 ? set_by(compare) : -1;
    if (result < 0 || compare.operands.size() != 3 || !uses.is_straight(load, use)) continue;
    if (uses.only_set(result) != use || uses.of(result).size() != 1) return std::nullopt;
    const size_t join = uses.of(result)[0];
    const Instruction& joins = uses.at(join);
    const bool fits = is_one_of(joins, {"and", "or"}) && joins.has("pred") && joins.guard < 0 &&
                      joins.operands.size() == 3 && uses.is_straight(use, join);
    return fits ? std::optional(join) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<DiscardedLoad> discarded_by_branch(const Uses& uses, size_t load, int value) {
  const std::optional<size_t> join = join_of(uses, load, value);
  if (!join) return std::nullopt;
  const Instruction& joins = uses.at(*join);
  const int result = set_by(joins);
  if (result < 0 || uses.only_set(result) != *join || uses.of(result).size() != 1)
    return std::nullopt;
  for (const size_t side : {1, 2}) {
    const Operand& known = joins.operands[side];
    if (!is_plain(known) || !is_known_before(uses, known.reg, load)) continue;
    const bool decides = joins.opcode == "or";
    const size_t branch = uses.of(result)[0];
    const Instruction& leaves = uses.at(branch);
    if (leaves.opcode != "bra" || leaves.guard != result || leaves.operands.size() != 1 ||
        !uses.is_straight(*join, branch))
      return std::nullopt;
    const size_t way = decides != leaves.guard_negated ? uses.target_of(leaves) : branch + 1;
    if (uses.reaches(way, value)) return std::nullopt;
    return DiscardedLoad{load, known.reg, decides};
  }
  return std::nullopt;
}

}  // namespace

std::vector<DiscardedLoad> discarded_loads(const Function& function) {
  const Uses uses(function);
  std::vector<DiscardedLoad> found;
  for (size_t load = 0; load < function.body.size(); ++load) {
    const Instruction& instruction = function.body[load];
    if (instruction.opcode != "ld" || instruction.guard >= 0 || instruction.has("param")) continue;
    const int value = set_by(instruction);
    if (value < 0 || uses.only_set(value) != load) continue;
    std::optional<DiscardedLoad> discarded = discarded_by_selection(uses, load, value);
    if (!discarded) discarded = discarded_by_branch(uses, load, value);
    if (discarded) found.push_back(*discarded);
  }
  return found;
}

}  // namespace warpgrade::emulator
