// SPDX-License-Identifier: MIT
#include "emulator/ptxas/negation.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "emulator/analysis/register_uses.h"

namespace warpgrade::emulator {
namespace {

class Negations {
 public:
  explicit Negations(ptx::Function& function)
      : function_(function), uses_(function), places_(uses_.stretches()) {}

  void run() {
    for (size_t index = 0; index < function_.body.size(); ++index) {
      if (is_computed(index)) spell_out(function_.body[index]);
    }
  }

 private:
  bool is_computed(size_t index) const {
    const ptx::Instruction& neg = function_.body[index];
    const bool is_double = neg.has("f64");
    if (neg.opcode != "neg" || neg.operands.size() != 2 || !(is_double || neg.has("f32")))
      return false;
    if (neg.operands[0].reg < 0 || neg.operands[1].kind != ptx::Operand::Kind::reg) return false;
    if (uses_.sets_of(neg.operands[0].reg).size() > 1) return true;
    const std::vector<size_t>& uses = uses_.uses_of(neg.operands[0].reg);
    // In another place, machine code negates there, if lanes come there at all.
    return std::any_of(uses.begin(), uses.end(), [&](size_t use) {
      return places_[use] == places_[index] && !takes_a_sign(function_.body[use], is_double);
    });
  }

  static void spell_out(ptx::Instruction& neg) {
    const bool is_double = neg.has("f64"), ftz = neg.has("ftz");
    ptx::Operand zero;
    zero.kind = is_double ? ptx::Operand::Kind::float64 : ptx::Operand::Kind::float32;
    zero.bits = is_double ? uint64_t{1} << 63 : uint64_t{1} << 31;
    neg.operands.insert(neg.operands.begin() + 1, zero);
    neg.opcode = "sub";
    // A product of floats, and none of doubles, joins its negation to an fma.
    neg.text = is_double ? "sub.rn.f64" : ftz ? "sub.ftz.f32" : "sub.f32";
    if (is_double) neg.modifiers.insert(neg.modifiers.begin(), "rn");
  }

  ptx::Function& function_;
  const RegisterUses uses_;
  const std::vector<size_t> places_;
};

}  // namespace

bool takes_a_sign(const ptx::Instruction& user, bool is_double) {
  static const std::set<std::string_view> opcodes = {
      "abs", "add", "cos", "cvt", "div", "ex2",   "fma", "lg2",  "mad", "max", "min",
      "mul", "neg", "rcp", "rem", "set", "rsqrt", "sin", "setp", "sub", "tanh"};
  return opcodes.contains(user.opcode) || (user.opcode == "selp" && !is_double);
}

void spell_out_negations(ptx::Module& module) {
  if (module.is_debug) return;
  for (ptx::Function& function : module.functions) Negations(function).run();
}

}  // namespace warpgrade::emulator
