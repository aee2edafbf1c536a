// SPDX-License-Identifier: MIT
#include "emulator/ptxas/other_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "emulator/analysis/register_uses.h"
#include "emulator/ptxas/negation.h"

namespace warpgrade::emulator {
namespace {

/// What an operand is multiplied by, before the approximation.
enum class Factor { two_to_24, half, quarter, turns_of_radian };

bool is_approximation(const ptx::Instruction& instruction) {
  return instruction.has("f32") && (instruction.has("approx") || instruction.has("full"));
}

/// The operands that are scaled where they, or the divisor, are near 0 or large; none with .ftz, which has no such numbers.
std::vector<std::pair<size_t, Factor>> scaled(const ptx::Instruction& instruction) {
  if (!is_approximation(instruction) || instruction.has("ftz") || instruction.guard >= 0) return {};
  if (is_one_of(instruction, {"lg2", "rsqrt", "sqrt"})) return {{1, Factor::two_to_24}};
  if (instruction.opcode == "ex2") return {{1, Factor::half}};
  if (instruction.opcode != "div") return {};
  const Factor factor = instruction.has("full") ? Factor::quarter : Factor::two_to_24;
  return {{1, factor}, {2, factor}};
}

/// Exact functions that ptxas calls with a number whose sign it has settled before.
bool takes_a_magnitude(const ptx::Instruction& user, bool is_double) {
  const bool calls = user.opcode == "rcp" && !user.has("approx");
  return takes_a_sign(user, is_double) && !calls;
}

bool is_exact_quotient(const ptx::Instruction& instruction) {
  return instruction.opcode == "div" && instruction.has("f32") && instruction.has("rn");
}

/// Between 0 and 1.
bool is_clamp(const ptx::Instruction& instruction) {
  return instruction.opcode == "cvt" && instruction.has("sat") && instruction.guard < 0 &&
         std::all_of(
             instruction.modifiers.begin(), instruction.modifiers.end(),
             [](const auto& each) { return each == "sat" || each == "ftz" || each == "f32"; });
}

bool may_take_other_steps(const ptx::Instruction& instruction) {
  return is_approximation(instruction) || is_exact_quotient(instruction) || is_clamp(instruction) ||
         instruction.opcode == "abs";
}

class StepsOfFunction {
 public:
  explicit StepsOfFunction(const ptx::Function& function)
      : uses_(function), stretches_(uses_.stretches()) {
    for (const ptx::Instruction& mov : function.body) {
      if (mov.opcode != "mov" || mov.operands.size() != 2 || mov.operands[0].reg < 0) continue;
      const bool is_constant = mov.operands[1].kind == ptx::Operand::Kind::float32;
      if (is_constant && is_set_once(mov.operands[0].reg)) constants_.insert(mov.operands[0].reg);
    }
  }

  std::map<size_t, OtherSteps> find() {
    for (size_t index = 0; index < uses_.count(); ++index) {
      if (uses_.is_entered(index)) {
        made_ = made_for_all_;
        all_come_here_ = false;
      }
      note_scaled(index);
      note_own_product(index);
      note_angle(index);
      note_quotient(index);
      note_magnitude(index);
      note_clamp(index);
      note_slow(index);
      uses_.for_results(index, [&](int reg) {
        std::erase_if(made_, [&](const auto& made) { return made.first == reg; });
      });
      if (uses_.ends_stretch(index)) made_ = made_for_all_;
      all_come_here_ = all_come_here_ && !branches(index);
    }
    return std::move(steps_);
  }

 private:
  const ptx::Instruction& at(size_t index) const { return uses_.at(index); }
  bool is_set_once(int reg) const { return uses_.sets_of(reg).size() == 1; }

  /// Whether some lanes go on elsewhere; those that leave the kernel do not.
  bool branches(size_t index) const {
    if (is_one_of(at(index), {"brx", "call"})) return true;
    if (at(index).opcode != "bra") return false;
    const size_t target = uses_.target_of(at(index));
    return target < uses_.count() && !is_one_of(at(target), {"ret", "exit"});
  }

  /// Whether the product is new here.
  bool make(int reg, Factor factor) {
    if (all_come_here_ && is_set_once(reg)) made_for_all_.insert({reg, factor});
    return made_.insert({reg, factor}).second;
  }

  /// How often the instruction reads the register for something else than that product.
  int other_reads(size_t index, int reg, Factor factor) const {
    int reads = 0;
    uses_.for_sources(index, [&](int source) { reads += source == reg ? 1 : 0; });
    for (const auto& [operand, by] : scaled(at(index)))
      reads -= at(index).operands[operand].reg == reg && by == factor ? 1 : 0;
    return reads;
  }
  bool is_needed_behind(size_t index, int reg, Factor factor) const {
    size_t next = index + 1;
    for (; next < uses_.count() && !uses_.is_entered(next); ++next) {
      if (other_reads(next, reg, factor) > 0) return true;
      if (uses_.may_set(next, reg)) return false;
      if (uses_.ends_stretch(next)) break;
    }
    return uses_.reaches(next, reg);
  }

  void note_scaled(size_t index) {
    for (const auto& [operand, factor] : scaled(at(index))) {
      const int reg = at(index).operands[operand].reg;
      if (reg < 0 || constants_.contains(reg) || !is_needed_behind(index, reg, factor)) continue;
      if (make(reg, factor)) ++steps_[index].products;
    }
  }

  /// The program may scale by hand, too: then one product does.
  void note_own_product(size_t index) {
    constexpr uint64_t kTwoTo24 = 0x4B80'0000;
    const ptx::Instruction& mul = at(index);
    if (mul.opcode != "mul" || !mul.has("f32") || mul.operands.size() != 3) return;
    if (mul.operands[1].reg < 0 || mul.operands[2].kind != ptx::Operand::Kind::float32) return;
    if (mul.operands[2].bits == kTwoTo24 && !make(mul.operands[1].reg, Factor::two_to_24))
      --steps_[index].products;
  }

  void note_angle(size_t index) {
    if (!is_approximation(at(index)) || !is_one_of(at(index), {"sin", "cos"})) return;
    const int reg = at(index).operands[1].reg;
    if (reg >= 0 && !make(reg, Factor::turns_of_radian)) --steps_[index].products;
  }

  /// A sum of floats, whose rounding the PTX leaves open.
  static bool is_open_sum(const ptx::Instruction& instruction, bool ftz) {
    return is_one_of(instruction, {"add", "sub"}) && instruction.guard < 0 &&
           instruction.has("f32") && instruction.has("ftz") == ftz &&
           instruction.modifiers.size() == (ftz ? 2u : 1u);
  }

  void note_quotient(size_t index) {
    if (at(index).opcode != "div" || !is_approximation(at(index)) || at(index).guard >= 0) return;
    const int quotient = at(index).operands[0].reg;
    if (quotient < 0 || uses_.uses_of(quotient).size() != 1) return;
    for (size_t next = index + 1; next < uses_.count() && !uses_.is_entered(next); ++next) {
      int reads = 0;
      uses_.for_sources(next, [&](int source) { reads += source == quotient ? 1 : 0; });
      const bool is_sum = reads == 1 && is_open_sum(at(next), at(index).has("ftz"));
      if (is_sum && joined_.insert(next).second) {
        --steps_[index].products;
        --steps_[next].sums;
        ++steps_[next].fmas;
      }
      if (reads != 0 || uses_.ends_stretch(next)) return;
    }
  }

  void note_magnitude(size_t index) {
    const ptx::Instruction& abs = at(index);
    const bool is_double = abs.has("f64");
    if (abs.opcode != "abs" || abs.guard >= 0 || !(is_double || abs.has("f32"))) return;
    const int result = abs.operands[0].reg;
    if (result < 0 || !is_set_once(result)) return;
    const std::vector<size_t>& uses = uses_.uses_of(result);
    const bool is_computed = std::any_of(uses.begin(), uses.end(), [&](size_t use) {
      return stretches_[use] == stretches_[index] && !takes_a_magnitude(at(use), is_double);
    });
    if (is_computed) ++(is_double ? steps_[index].double_sums : steps_[index].sums);
  }

  /// A sum, a product or an fma clamps what it gives by itself; anything else gets 0 added by a sum that does.
  void note_clamp(size_t index) {
    if (!is_clamp(at(index))) return;
    const int reg = at(index).operands[1].reg;
    const bool by_itself =
        reg >= 0 && is_set_once(reg) && uses_.uses_of(reg).size() == 1 &&
        is_one_of(at(uses_.sets_of(reg)[0]), {"add", "sub", "mul", "fma", "mad"});
    if (!by_itself) ++steps_[index].sums;
  }

  /// Whether an operand is made here by changing a sign, which machine code leaves to the instruction that takes it.
  bool is_signed_here(size_t index, const ptx::Operand& operand) const {
    if (operand.reg < 0 || !is_set_once(operand.reg)) return false;
    const size_t set = uses_.sets_of(operand.reg)[0];
    return stretches_[set] == stretches_[index] && is_one_of(at(set), {"neg", "abs"});
  }

  /// The function for quotients that need care gets its operands without a sign to change. An `ex2` of a large negative
  /// number is the square of that of its half.
  void note_slow(size_t index) {
    if (is_exact_quotient(at(index)) && at(index).guard < 0 &&
        is_signed_here(index, at(index).operands[1]))
      steps_[index].slow_sums = 1;
    if (at(index).opcode == "ex2" && !scaled(at(index)).empty())
      steps_[index].slow_products = 2 - steps_[index].products;
  }

  const RegisterUses uses_;
  const std::vector<size_t> stretches_;
  std::set<size_t> joined_;  ///< sums that have a quotient's product
  std::set<int> constants_;
  std::set<std::pair<int, Factor>> made_,  ///< products that the stretch has so far
      made_for_all_;                       ///< and those that any later one has, too
  bool all_come_here_ = true;              ///< each lane that has not left the kernel
  std::map<size_t, OtherSteps> steps_;
};

}  // namespace

std::map<size_t, OtherSteps> other_steps(const ptx::Function& function) {
  if (std::none_of(function.body.begin(), function.body.end(), may_take_other_steps)) return {};
  return StepsOfFunction(function).find();
}

}  // namespace warpgrade::emulator
