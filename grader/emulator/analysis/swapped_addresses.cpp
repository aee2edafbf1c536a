// SPDX-License-Identifier: MIT
#include "emulator/analysis/swapped_addresses.h"

#include <algorithm>
#include <optional>

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Operand;

bool is_swap(const ptx::Instruction& instruction) {
  return instruction.opcode == "atom" && instruction.has("cas") && instruction.operands.size() > 1;
}

/// A call's arguments come behind its callee, its results before.
const Operand* arguments_of(const ptx::Instruction& call) {
  const Operand* callee = nullptr;
  for (const Operand& operand : call.operands) {
    if (operand.kind != Operand::Kind::vector)
      callee = &operand;
    else if (callee != nullptr)
      return &operand;
  }
  return nullptr;
}

std::string_view callee_of(const ptx::Instruction& call) {
  for (const Operand& operand : call.operands) {
    if (operand.kind != Operand::Kind::vector) return operand.name;
  }
  return {};
}

/// What the function puts into a call's argument, null where it does not put one whole value there.
const Operand* value_of(const Function& function, const Operand& argument) {
  const Operand* value = nullptr;
  for (const ptx::Instruction& store : function.body) {
    const bool here = store.opcode == "st" && store.has("param") && store.operands.size() == 2 &&
                      store.operands[0].variable == argument.variable;
    if (!here) continue;
    if (value != nullptr || store.operands[0].offset != 0) return nullptr;
    value = &store.operands[1];
  }
  return value;
}

/// The number of the parameter that the function loads into a register; none where it loads no whole one.
std::optional<size_t> parameter_in(const Function& function, int reg) {
  for (const ptx::Instruction& load : function.body) {
    const bool here = load.opcode == "ld" && load.has("param") && load.operands.size() == 2 &&
                      load.operands[0].reg == reg && load.operands[1].offset == 0;
    if (!here) continue;
    for (size_t number = 0; number < function.parameters.size(); ++number) {
      if (function.parameters[number].name == load.operands[1].name) return number;
    }
  }
  return std::nullopt;
}

}  // namespace

SwappedAddresses::SwappedAddresses(const ptx::Module& module) {
  const auto swaps = [](const Function& function) {
    return std::any_of(function.body.begin(), function.body.end(), is_swap);
  };
  if (std::none_of(module.functions.begin(), module.functions.end(), swaps)) return;
  std::map<const Function*, AddressPlaces> places;
  for (const Function& function : module.functions) {
    if (function.has_body && !function.is_entry) places.emplace(&function, AddressPlaces(function));
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [function, its] : places) {
      for (const AddressPlaces::Place& place : in(*function, its)) {
        if (place.reg < 0 || place.offset != 0) continue;
        const std::optional<size_t> number = parameter_in(*function, place.reg);
        if (number) grows |= parameters_[function->name].insert(*number).second;
      }
    }
  }
}

std::set<AddressPlaces::Place> SwappedAddresses::in(const Function& function,
                                                    const AddressPlaces& places) const {
  std::set<AddressPlaces::Place> found;
  for (const ptx::Instruction& instruction : function.body) {
    if (is_swap(instruction)) found.insert(places.of(instruction.operands[1]));
    if (instruction.opcode != "call" || parameters_.empty()) continue;
    const auto swapped = parameters_.find(callee_of(instruction));
    const Operand* const arguments = arguments_of(instruction);
    if (swapped == parameters_.end() || arguments == nullptr) continue;
    for (const size_t number : swapped->second) {
      if (number >= arguments->elements.size()) continue;
      const Operand* const value = value_of(function, arguments->elements[number]);
      if (value != nullptr) found.insert(places.of(*value));
    }
  }
  return found;
}

}  // namespace warpgrade::emulator
