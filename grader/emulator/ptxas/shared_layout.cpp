// SPDX-License-Identifier: MIT
#include "emulator/ptxas/shared_layout.h"

#include <algorithm>
#include <set>

namespace warpgrade::emulator {
namespace {

/// How ptxas aligns `extern __shared__` arrays.
constexpr uint64_t kDynamicAlignment = 16;

struct NamedVariables {
  std::set<int> own;
  std::set<std::string_view> of_module;
  bool calls = false;

  void note(const ptx::Operand& operand) {
    if (operand.variable >= 0)
      own.insert(operand.variable);
    else if (!operand.name.empty())
      of_module.insert(operand.name);
    for (const ptx::Operand& element : operand.elements) note(element);
  }
};

NamedVariables named_in(const ptx::Function& function) {
  NamedVariables named;
  for (const ptx::Instruction& instruction : function.body) {
    named.calls |= instruction.opcode == "call";
    for (const ptx::Operand& operand : instruction.operands) named.note(operand);
  }
  return named;
}

uint64_t next_multiple(uint64_t of, uint64_t from) { return (from + of - 1) / of * of; }

}  // namespace

SharedLayout::SharedLayout(const ptx::Module& module, const ptx::Function& function)
    : own_(function.variables.size()) {
  if (!function.is_entry) return;
  const NamedVariables named = named_in(function);
  uint64_t end = 0;
  const auto place = [&](const ptx::Variable& variable) {
    const uint64_t at = next_multiple(std::max<uint64_t>(variable.alignment, 1), end);
    end = at + variable.size;
    return at;
  };
  for (const int index : named.own) {
    const ptx::Variable& variable = function.variables[static_cast<size_t>(index)];
    if (variable.space == ptx::Space::shared && !variable.is_extern)
      own_[static_cast<size_t>(index)] = place(variable);
  }
  if (named.calls) return;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::shared && !variable.is_extern &&
        named.of_module.contains(variable.name))
      of_module_.emplace(variable.name, place(variable));
  }
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::shared && variable.is_extern)
      of_module_.emplace(
          variable.name,
          next_multiple(std::max<uint64_t>(variable.alignment, kDynamicAlignment), end));
  }
}

std::optional<uint64_t> SharedLayout::offset_of(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::symbol) return std::nullopt;
  if (operand.variable >= 0) return own_[static_cast<size_t>(operand.variable)];
  const auto found = of_module_.find(operand.name);
  return found == of_module_.end() ? std::nullopt : std::optional<uint64_t>(found->second);
}

}  // namespace warpgrade::emulator
