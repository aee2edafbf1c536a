// SPDX-License-Identifier: MIT
#include "emulator/exec/discarded_loads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/exec/register_uses.h"

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

// Compilers decide soon what they have loaded early, and by few conditions.
constexpr int kMostSteps = 64;
constexpr size_t kMostConditions = 4, kMostBefore = 8;

/// What a register holds in a lane behind the load.
enum class Value { kOther, kLoaded, kTrue, kFalse };

bool is_known(Value value) { return value == Value::kTrue || value == Value::kFalse; }

Value known_as(bool value) { return value ? Value::kTrue : Value::kFalse; }

Value negated(Value value) { return is_known(value) ? known_as(value == Value::kFalse) : value; }

/// What depends on the loaded value depends on it whatever else it is made of.
Value mixed(Value a, Value b) {
  return a == Value::kLoaded || b == Value::kLoaded ? Value::kLoaded : Value::kOther;
}

/// `and` of two conditions for decides = false, `or` for decides = true.
Value joined(Value a, Value b, bool decides) {
  if (a == known_as(decides) || b == known_as(decides)) return known_as(decides);
  if (is_known(a)) return b;
  return is_known(b) ? a : mixed(a, b);
}

/// A register that was set behind the load.
struct Fact {
  Value value = Value::kOther;
  bool is_computable = false;  ///< from what the lane has when it loads
  std::vector<size_t> before = {};
  std::optional<LaneCondition> decided_by =
      {};  ///< a condition that may decide one that is not computable
  std::optional<LaneCondition> set_bits =
      {};  ///< where it holds, not all bits of what depends on the load are 0
};

/// Where a lane is, and what has become of its registers since the load.
struct Place {
  size_t at = 0;
  std::map<int, Fact> facts = {};
};

/// Follows one lane from a load on, and with it what the load got.
class LaneWalk {
 public:
  using Assumed = std::map<LaneCondition, bool>;

  LaneWalk(const Function& function, const RegisterUses& uses, size_t load, const Assumed& assumed)
      : function_(function), uses_(uses), load_(load), assumed_(assumed), now_{load + 1} {
    for_registers(uses.at(load).operands[0], [&](int reg) {
      now_.facts[reg] = {Value::kLoaded, false};
    });
  }

  /// Whether nothing that the lane does depends on what it loaded.
  bool drops_it() {
    for (int steps = 0;;) {
      const Step step = ++steps > kMostSteps ? Step::kEnds : go_on();
      if (step == Step::kUses || (step == Step::kEnds && is_needed(now_))) return false;
      if (step == Step::kGoesOn) continue;
      if (other_ways_.empty()) return true;
      now_ = std::move(other_ways_.back());
      other_ways_.pop_back();
    }
  }

  /// The first condition that the lane came to and that nothing was assumed of.
  const std::optional<LaneCondition>& open_condition() const { return open_; }

 private:
  /// kEnds: nobody follows it farther, and what it holds must not matter. kLeaves: it does no more.
  enum class Step { kGoesOn, kUses, kEnds, kLeaves };

  enum class Ask { kNo, kYes };

  Fact fact_of(int reg) const {
    const auto found = now_.facts.find(reg);
    return found == now_.facts.end() ? Fact{Value::kOther, true} : found->second;
  }

  Fact fact_of(const Operand& operand) const {
    return operand.kind == Operand::Kind::reg && operand.reg >= 0 ? fact_of(operand.reg) : Fact{};
  }

  bool is_predicate(int reg) const {
    return function_.registers[static_cast<size_t>(reg)].type == ptx::Type::pred;
  }

  /// What is assumed of a condition. With kYes, the walk can say more where something is.
  Value assumed_of(const LaneCondition& condition, Ask ask) {
    const auto assumed = assumed_.find(condition);
    if (assumed != assumed_.end()) return known_as(assumed->second);
    if (ask == Ask::kYes && !open_) open_ = condition;
    return Value::kOther;
  }

  Value value_of(int reg, Ask ask) {
    const Fact fact = fact_of(reg);
    if (fact.value != Value::kOther || !is_predicate(reg)) return fact.value;
    if (fact.is_computable) return assumed_of({reg, fact.before}, ask);
    if (fact.decided_by) assumed_of(*fact.decided_by, ask);
    return Value::kOther;
  }

  Value value_of(const Operand& operand, Ask ask = Ask::kNo) {
    if (operand.kind == Operand::Kind::integer) return known_as(operand.bits != 0);
    Value value = operand.reg >= 0 ? value_of(operand.reg, ask) : Value::kOther;
    for (const Operand& element : operand.elements) value = mixed(value, value_of(element, ask));
    return operand.negated ? negated(value) : value;
  }

  Value guard_of(const Instruction& instruction, Ask ask) {
    if (instruction.guard < 0) return Value::kTrue;
    const Value value = value_of(instruction.guard, ask);
    return instruction.guard_negated ? negated(value) : value;
  }

  /// `and` or `or` with another condition, which matters where one of them was loaded.
  Value joined_with(Value value, const Operand& other, bool decides) {
    return joined(value, value_of(other, value == Value::kLoaded ? Ask::kYes : Ask::kNo), decides);
  }

  /// `d = loaded | x; setp.eq p, d, 0`: where x is not 0, nor is d.
  Value compared_with_zero(const Instruction& compare) {
    const bool is_equal = compare.has("eq"), is_about_zero = is_equal || compare.has("ne");
    const std::optional<LaneCondition> set_bits = fact_of(compare.operands[1]).set_bits;
    const Operand& zero = compare.operands[2];
    if (!set_bits || !is_about_zero || zero.kind != Operand::Kind::integer || zero.bits != 0)
      return Value::kLoaded;
    return assumed_of(*set_bits, Ask::kYes) == Value::kTrue ? known_as(!is_equal) : Value::kLoaded;
  }

  Value compared(const Instruction& compare) {
    const std::vector<Operand>& operands = compare.operands;
    Value own = mixed(value_of(operands[1]), value_of(operands[2]));
    if (own == Value::kLoaded) own = compared_with_zero(compare);
    if (operands.size() < 4) return own;
    if (compare.has("and") || compare.has("or"))
      return joined_with(own, operands[3], compare.has("or"));
    return mixed(own, value_of(operands[3]));
  }

  Value selected(const std::vector<Operand>& operands) {
    const Value first = value_of(operands[1]), second = value_of(operands[2]);
    const bool matters = mixed(first, second) == Value::kLoaded;
    const Value by = value_of(operands[3], matters ? Ask::kYes : Ask::kNo);
    if (is_known(by)) return mixed(by == Value::kTrue ? first : second, Value::kOther);
    return matters ? Value::kLoaded : mixed(by, Value::kOther);
  }

  /// What an instruction that only computes makes of its operands.
  Value result_of(const Instruction& instruction) {
    const std::vector<Operand>& operands = instruction.operands;
    const std::string_view opcode = instruction.opcode;
    if (opcode == "setp" && operands.size() > 2) return compared(instruction);
    if (opcode == "selp" && operands.size() == 4) return selected(operands);
    if (instruction.has("pred")) {
      if (opcode == "mov") return value_of(operands[1]);
      if (opcode == "not") return negated(value_of(operands[1]));
      if (opcode == "and" || opcode == "or") {
        const bool first_matters = value_of(operands[2]) == Value::kLoaded;
        return joined_with(value_of(operands[1], first_matters ? Ask::kYes : Ask::kNo), operands[2],
                           opcode == "or");
      }
    }
    Value value = Value::kOther;
    for (size_t i = 1; i < operands.size(); ++i) value = mixed(value, value_of(operands[i]));
    return value;
  }

  /// Adds what must run before `reg` is known; false where that is not so easy.
  bool add_before(int reg, std::vector<size_t>& before) const {
    const Fact fact = fact_of(reg);
    before.insert(before.end(), fact.before.begin(), fact.before.end());
    return fact.is_computable;
  }

  /// A condition that the lane can look at, in an `and` or `or` of conditions.
  std::optional<LaneCondition> decided_by(const Instruction& instruction) const {
    if (!instruction.has("pred") || !is_one_of(instruction, {"and", "or"})) return std::nullopt;
    for (const size_t side : {1, 2}) {
      const Operand& operand = instruction.operands[side];
      const Fact fact = fact_of(operand);
      if (fact.is_computable) return LaneCondition{operand.reg, fact.before};
      if (fact.decided_by) return fact.decided_by;
    }
    return std::nullopt;
  }

  /// What the lane can look at in an `or` of 32 bits with what depends on the load.
  std::optional<LaneCondition> set_bits(const Instruction& instruction) const {
    if (instruction.opcode != "or" || !instruction.has("b32")) return std::nullopt;
    for (const size_t side : {1, 2}) {
      const Operand& operand = instruction.operands[side];
      const Fact fact = fact_of(operand);
      if (fact.is_computable) return LaneCondition{operand.reg, fact.before};
    }
    return std::nullopt;
  }

  /// How a lane can have the result of an instruction when it loads. The instruction runs then as well, so that nobody may
  /// need what its register holds.
  Fact computed(size_t index, const Instruction& instruction, Value value) const {
    Fact fact{value, instruction.guard < 0 && value != Value::kLoaded};
    for (size_t i = 1; i < instruction.operands.size() && fact.is_computable; ++i)
      for_registers(instruction.operands[i], [&](int reg) {
        fact.is_computable = fact.is_computable && add_before(reg, fact.before);
      });
    for_registers(instruction.operands[0], [&](int reg) {
      fact.is_computable = fact.is_computable && !uses_.reaches(load_ + 1, reg);
    });
    fact.before.push_back(index);
    std::sort(fact.before.begin(), fact.before.end());
    fact.before.erase(std::unique(fact.before.begin(), fact.before.end()), fact.before.end());
    fact.is_computable = fact.is_computable && fact.before.size() <= kMostBefore;
    if (fact.is_computable) return fact;
    return {value, false, {}, decided_by(instruction), set_bits(instruction)};
  }

  /// A lane whose guard is open may keep what the register held.
  void set_under(Value guard, const Operand& operand, Fact fact) {
    if (guard == Value::kLoaded) fact = {Value::kLoaded};
    if (guard == Value::kOther) fact = {mixed(fact.value, value_of(operand))};
    for_registers(operand, [&](int reg) { now_.facts[reg] = fact; });
  }

  bool is_needed(const Place& place) const {
    return std::any_of(place.facts.begin(), place.facts.end(), [&](const auto& each) {
      return each.second.value == Value::kLoaded && uses_.reaches(place.at, each.first);
    });
  }

  Step branch(const Instruction& branch, Value guard) {
    if (guard == Value::kLoaded || branch.opcode != "bra") return Step::kUses;
    Place there{uses_.target_of(branch), now_.facts};
    // A loop comes back to where nothing is known.
    const bool is_settled = there.at < now_.at || !is_needed(there);
    if (guard == Value::kTrue) {
      now_ = std::move(there);
      return is_settled ? Step::kEnds : Step::kGoesOn;
    }
    if (!is_settled) {
      other_ways_.push_back(std::move(there));
    } else if (is_needed(there)) {
      return Step::kUses;
    }
    return Step::kGoesOn;
  }

  Step go_on() {
    if (now_.at >= uses_.count()) return Step::kLeaves;
    const size_t index = now_.at++;
    const Instruction& instruction = uses_.at(index);
    if (only_computes(instruction)) {
      compute(index, instruction);
      return Step::kGoesOn;
    }
    const Value guard = guard_of(instruction, Ask::kYes);
    if (guard == Value::kFalse) return Step::kGoesOn;
    if (is_one_of(instruction, {"bra", "brx"})) return branch(instruction, guard);
    if (guard == Value::kLoaded || takes_it(instruction)) return Step::kUses;
    if (is_one_of(instruction, {"ret", "exit"}))
      return guard == Value::kTrue ? Step::kLeaves : Step::kGoesOn;
    if (!instruction.operands.empty()) set_under(guard, instruction.operands[0], {});
    return Step::kGoesOn;
  }

  void compute(size_t index, const Instruction& instruction) {
    const Value value = result_of(instruction);
    const bool matters = mixed(value, value_of(instruction.operands[0])) == Value::kLoaded;
    const Value guard = guard_of(instruction, matters ? Ask::kYes : Ask::kNo);
    if (guard != Value::kFalse)
      set_under(guard, instruction.operands[0], computed(index, instruction, value));
  }

  /// Whether memory, another lane or a call gets it.
  bool takes_it(const Instruction& instruction) {
    const size_t first = instruction.opcode == "ld" ? 1 : 0;
    for (size_t i = first; i < instruction.operands.size(); ++i) {
      if (value_of(instruction.operands[i]) == Value::kLoaded) return true;
    }
    return false;
  }

  const Function& function_;
  const RegisterUses& uses_;
  const size_t load_;
  const Assumed& assumed_;
  Place now_;
  std::vector<Place> other_ways_ = {};
  std::optional<LaneCondition> open_ = {};
};

/// Finds the values of conditions with which lanes drop what a load gets.
class Decisions {
 public:
  Decisions(const Function& function, const RegisterUses& uses, size_t load)
      : function_(function), uses_(uses), load_(load) {
    decide();
  }

  std::vector<LaneValues> found;

 private:
  void decide() {
    LaneWalk walk(function_, uses_, load_, assumed_);
    if (walk.drops_it()) {
      // What no lane needs, no condition decides.
      if (!assumed_.empty()) found.push_back({{assumed_.begin(), assumed_.end()}});
      return;
    }
    const std::optional<LaneCondition> open = walk.open_condition();
    if (!open || assumed_.size() == kMostConditions) return;
    for (const bool holds : {false, true}) {
      assumed_[*open] = holds;
      decide();
    }
    assumed_.erase(*open);
  }

  const Function& function_;
  const RegisterUses& uses_;
  const size_t load_;
  LaneWalk::Assumed assumed_ = {};
};

/// A volatile load stands where the source asks for it.
bool may_be_early(const Instruction& instruction) {
  return instruction.opcode == "ld" && instruction.guard < 0 && !instruction.has("param") &&
         !instruction.has("volatile");
}

}  // namespace

std::vector<DiscardedLoad> discarded_loads(const Function& function) {
  const RegisterUses uses(function);
  std::vector<DiscardedLoad> found;
  for (size_t load = 0; load < function.body.size(); ++load) {
    if (!may_be_early(function.body[load])) continue;
    Decisions decisions(function, uses, load);
    if (!decisions.found.empty()) found.push_back({load, std::move(decisions.found)});
  }
  return found;
}

}  // namespace warpgrade::emulator
