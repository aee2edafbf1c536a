// SPDX-License-Identifier: MIT
#include "emulator/analysis/discarded_loads.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/analysis/register_uses.h"

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Operand;

// Compilers decide soon what they have loaded early, and by few conditions.
constexpr int kMostSteps = 64;
constexpr size_t kMostConditions = 4, kMostBefore = 8, kMostQuietSteps = 16;

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
  int reg = -1;
  Value value = Value::kOther;
  size_t set_at = 0;  ///< index in the function's body
};

/// Where a lane is, and what has become of its registers since the load.
struct Place {
  size_t at = 0;
  std::vector<Fact> facts = {};

  const Fact* find(int reg) const {
    const auto found =
        std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.reg == reg; });
    return found == facts.end() ? nullptr : &*found;
  }
  void set(const Fact& fact) {
    std::erase_if(facts, [&](const Fact& old) { return old.reg == fact.reg; });
    facts.push_back(fact);
  }
};

/// Follows one lane from a load on, and with it what the load got.
class LaneWalk {
 public:
  using Assumed = std::map<LaneCondition, bool>;

  LaneWalk(const Function& function, const RegisterUses& uses, size_t load, const Assumed& assumed)
      : function_(function), uses_(uses), assumed_(assumed), now_{load + 1} {
    for_registers(uses.at(load).operands[0], [&](int reg) {
      now_.set({reg, Value::kLoaded, load});
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

  /// The first condition that the lane came to, that matters, and that nothing was assumed of.
  const std::optional<LaneCondition>& open_condition() const { return open_; }

 private:
  /// kEnds: the walk stops, so no later instruction may use the loaded value. kLeaves: the lane ends.
  enum class Step { kGoesOn, kUses, kEnds, kLeaves };
  enum class Ask { kNo, kYes };

  bool is_predicate(int reg) const {
    return function_.registers[static_cast<size_t>(reg)].type == ptx::Type::pred;
  }

  /// Adds to `before` the instructions that give a lane the register when it loads; false where the walk cannot tell. They run
  /// twice, so no instruction before them may use their registers.
  bool add_before(int reg, std::vector<size_t>& before) const {
    const Fact* const fact = now_.find(reg);
    if (fact == nullptr) return true;
    if (std::find(before.begin(), before.end(), fact->set_at) != before.end()) return true;
    const ptx::Instruction& sets = uses_.at(fact->set_at);
    if (fact->value == Value::kLoaded || sets.guard >= 0 || !uses_.only_computes(fact->set_at) ||
        !uses_.is_born_at(reg, fact->set_at) || before.size() == kMostBefore)
      return false;
    before.push_back(fact->set_at);
    bool is_easy = true;
    for (size_t i = 1; i < sets.operands.size(); ++i)
      for_registers(sets.operands[i],
                    [&](int source) { is_easy = is_easy && add_before(source, before); });
    return is_easy;
  }

  /// The register as a condition that the lane can look at when it loads.
  std::optional<LaneCondition> condition_of(int reg) const {
    LaneCondition condition{reg};
    if (!add_before(reg, condition.before)) return std::nullopt;
    std::sort(condition.before.begin(), condition.before.end());
    return condition;
  }

  /// Where the register comes of an instruction of this kind: a side of it that the lane can look at.
  std::optional<LaneCondition> side_of(int reg, std::initializer_list<std::string_view> opcodes,
                                       std::string_view type) const {
    const Fact* const fact = now_.find(reg);
    if (fact == nullptr) return std::nullopt;
    const ptx::Instruction& sets = uses_.at(fact->set_at);
    if (!is_one_of(sets, opcodes) || !sets.has(type) || sets.guard >= 0) return std::nullopt;
    for (const size_t side : {1, 2}) {
      const Operand& operand = sets.operands[side];
      if (operand.kind != Operand::Kind::reg || operand.reg < 0) continue;
      if (auto condition = condition_of(operand.reg)) return condition;
      if (auto deeper = side_of(operand.reg, opcodes, type)) return deeper;
    }
    return std::nullopt;
  }

  /// What is assumed of a condition. With kYes, the walk can say more where something is.
  Value assumed_of(const LaneCondition& condition, Ask ask) {
    const auto assumed = assumed_.find(condition);
    if (assumed != assumed_.end()) return known_as(assumed->second);
    if (ask == Ask::kYes && !open_) open_ = condition;
    return Value::kOther;
  }

  Value value_of(int reg, Ask ask) {
    const Fact* const fact = now_.find(reg);
    const Value value = fact == nullptr ? Value::kOther : fact->value;
    if (value != Value::kOther || !is_predicate(reg)) return value;
    if (ask == Ask::kNo && assumed_.empty()) return value;
    if (const auto condition = condition_of(reg)) return assumed_of(*condition, ask);
    if (ask == Ask::kNo) return value;
    if (const auto side = side_of(reg, {"and", "or"}, "pred")) assumed_of(*side, ask);
    return Value::kOther;
  }

  Value value_of(const Operand& operand, Ask ask = Ask::kNo) {
    if (operand.kind == Operand::Kind::integer) return known_as(operand.bits != 0);
    Value value = operand.reg >= 0 ? value_of(operand.reg, ask) : Value::kOther;
    for (const Operand& element : operand.elements) value = mixed(value, value_of(element, ask));
    return operand.negated ? negated(value) : value;
  }

  Value guard_of(const ptx::Instruction& instruction, Ask ask) {
    if (instruction.guard < 0) return Value::kTrue;
    const Value value = value_of(instruction.guard, ask);
    return instruction.guard_negated ? negated(value) : value;
  }

  /// `and` or `or` with another condition, which matters where one of them was loaded.
  Value joined_with(Value value, const Operand& other, bool decides) {
    return joined(value, value_of(other, value == Value::kLoaded ? Ask::kYes : Ask::kNo), decides);
  }

  /// `d = loaded | x; setp.eq p, d, 0`: where x is not 0, nor is d.
  Value compared_with_zero(const ptx::Instruction& compare) {
    const bool is_equal = compare.has("eq"), is_about_zero = is_equal || compare.has("ne");
    const Operand &sum = compare.operands[1], &zero = compare.operands[2];
    if (!is_about_zero || zero.kind != Operand::Kind::integer || zero.bits != 0 || sum.reg < 0)
      return Value::kLoaded;
    const std::optional<LaneCondition> set_bits = side_of(sum.reg, {"or"}, "b32");
    const bool is_set = set_bits && assumed_of(*set_bits, Ask::kYes) == Value::kTrue;
    return is_set ? known_as(!is_equal) : Value::kLoaded;
  }

  Value compared(const ptx::Instruction& compare) {
    const std::vector<Operand>& operands = compare.operands;
    Value own = mixed(value_of(operands[1]), value_of(operands[2]));
    // The second of two results is the opposite of the first.
    const bool has_one = operands[0].elements.empty();
    if (own == Value::kLoaded && has_one) own = compared_with_zero(compare);
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
  Value result_of(const ptx::Instruction& instruction) {
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

  /// A lane whose guard is open may keep what the register held.
  void set_under(Value guard, const Operand& operand, Value value, size_t at) {
    if (guard == Value::kLoaded) value = Value::kLoaded;
    if (guard == Value::kOther) value = mixed(value, value_of(operand));
    for_registers(operand, [&](int reg) { now_.set({reg, value, at}); });
  }

  bool is_needed(const Place& place) const {
    return std::any_of(place.facts.begin(), place.facts.end(), [&](const Fact& fact) {
      return fact.value == Value::kLoaded && uses_.reaches(place.at, fact.reg);
    });
  }

  /// The places that a lane comes to from here as long as it only computes, and goes ways that are known.
  std::vector<Place> quiet_way(Place from) {
    std::swap(now_, from);
    std::vector<Place> way = {now_};
    while (way.size() < kMostQuietSteps && now_.at < uses_.count()) {
      const size_t index = now_.at++;
      const ptx::Instruction& instruction = uses_.at(index);
      if (uses_.only_computes(index)) {
        compute(index, instruction);
      } else if (instruction.opcode == "bra") {
        const Value guard = guard_of(instruction, Ask::kYes);
        const size_t target = uses_.target_of(instruction);
        if (!is_known(guard) || target <= index) break;
        if (guard == Value::kTrue) now_.at = target;
      } else {
        break;
      }
      way.push_back(now_);
    }
    std::swap(now_, from);
    return way;
  }

  /// What is known where two ways meet between which the loaded value chose: what one of them has set depends on it.
  static Place met(const Place& one, const Place& other) {
    Place both = one;
    for (const Fact& fact : other.facts) {
      const Fact* const own = one.find(fact.reg);
      const bool is_same = own != nullptr && own->value == fact.value && own->set_at == fact.set_at;
      if (!is_same) both.set({fact.reg, Value::kLoaded, fact.set_at});
    }
    for (const Fact& fact : one.facts) {
      if (other.find(fact.reg) == nullptr) both.set({fact.reg, Value::kLoaded, fact.set_at});
    }
    return both;
  }

  /// A branch that the loaded value decides matters unless both ways meet before they have done anything.
  Step branch_by_it(const ptx::Instruction& branch) {
    const size_t target = uses_.target_of(branch);
    if (branch.opcode != "bra" || target < now_.at) return Step::kUses;
    const std::vector<Place> taken = quiet_way({target, now_.facts}), straight = quiet_way(now_);
    for (const Place& one : taken) {
      for (const Place& other : straight) {
        if (one.at != other.at) continue;
        now_ = met(one, other);
        return Step::kGoesOn;
      }
    }
    return Step::kUses;
  }

  Step branch(const ptx::Instruction& branch, Value guard) {
    if (guard == Value::kLoaded) return branch_by_it(branch);
    if (branch.opcode != "bra") return Step::kUses;
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
    const ptx::Instruction& instruction = uses_.at(index);
    if (uses_.only_computes(index)) {
      compute(index, instruction);
      return Step::kGoesOn;
    }
    const Value guard = guard_of(instruction, Ask::kYes);
    if (guard == Value::kFalse) return Step::kGoesOn;
    if (is_one_of(instruction, {"bra", "brx"})) return branch(instruction, guard);
    if (guard == Value::kLoaded || takes_it(instruction)) return Step::kUses;
    if (is_one_of(instruction, {"ret", "exit"}))
      return guard == Value::kTrue ? Step::kLeaves : Step::kGoesOn;
    if (!instruction.operands.empty())
      set_under(guard, instruction.operands[0], Value::kOther, index);
    return Step::kGoesOn;
  }

  void compute(size_t index, const ptx::Instruction& instruction) {
    const Value value = result_of(instruction);
    const bool matters = mixed(value, value_of(instruction.operands[0])) == Value::kLoaded;
    const Value guard = guard_of(instruction, matters ? Ask::kYes : Ask::kNo);
    if (guard != Value::kFalse) set_under(guard, instruction.operands[0], value, index);
  }

  /// Whether memory, another lane or a call gets it.
  bool takes_it(const ptx::Instruction& instruction) {
    const size_t first = instruction.opcode == "ld" ? 1 : 0;
    for (size_t i = first; i < instruction.operands.size(); ++i) {
      if (value_of(instruction.operands[i]) == Value::kLoaded) return true;
    }
    return false;
  }

  const Function& function_;
  const RegisterUses& uses_;
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
bool may_be_early(const ptx::Instruction& instruction) {
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
