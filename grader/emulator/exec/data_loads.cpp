// SPDX-License-Identifier: MIT
#include "emulator/exec/data_loads.h"

#include <algorithm>
#include <set>

#include "emulator/analysis/register_uses.h"
#include "emulator/exec/value_sources.h"

namespace warpgrade::emulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_of_floats(const Instruction& one) { return one.has("f32") || one.has("f64"); }

/// Some compilers give loads of floating-point values no more than a width.
bool is_candidate(const Instruction& one) {
  const bool is_global = !one.has("shared") && !one.has("local") && !one.has("param");
  const bool may_be_float = is_of_floats(one) || one.has("b32") || one.has("b64");
  const bool is_volatile = is_strong(one) || one.has("cg") || one.has("cv");
  return one.opcode == "ld" && is_global && may_be_float && is_volatile && one.guard < 0 &&
         one.operands.size() > 1;
}

bool names(const Operand& operand, const std::set<int>& registers) {
  bool does = false;
  for_registers(operand, [&](int reg) { does = does || registers.contains(reg); });
  return does;
}

class Finder {
 public:
  explicit Finder(const ptx::Function& function)
      : function_(function), uses_(function), values_(function) {}

  bool only_carries(size_t load) const {
    const std::set<int> made = values_.made_of(ValueSources::results(function_.body[load]));
    bool is_float = is_of_floats(function_.body[load]);
    for (const int reg : made) {
      if (function_.registers[static_cast<size_t>(reg)].type == ptx::Type::pred) return false;
      for (const size_t use : values_.uses_of(reg)) {
        if (decides(use, made)) return false;
        is_float = is_float || is_of_floats(function_.body[use]);
      }
    }
    return is_float;
  }

 private:
  /// Whether the instruction makes more of the registers than other registers and values in memory.
  bool decides(size_t index, const std::set<int>& registers) const {
    if (uses_.only_computes(index)) return false;
    const Instruction& one = function_.body[index];
    const bool hands_on =
        is_one_of(one, {"ld", "st", "red", "atom", "shfl"}) && !one.has("param") && !one.has("cas");
    return std::any_of(one.operands.begin(), one.operands.end(), [&](const Operand& operand) {
      return (!hands_on || operand.is_address) && names(operand, registers);
    });
  }

  const ptx::Function& function_;
  const RegisterUses uses_;
  const ValueSources values_;
};

}  // namespace

std::vector<size_t> data_loads(const ptx::Function& function) {
  std::vector<size_t> found;
  const auto& body = function.body;
  if (std::none_of(body.begin(), body.end(), is_candidate)) return found;
  const Finder finder(function);
  for (size_t index = 0; index < body.size(); ++index)
    if (is_candidate(body[index]) && finder.only_carries(index)) found.push_back(index);
  return found;
}

}  // namespace warpgrade::emulator
