// SPDX-License-Identifier: MIT
#include "emulator/exec/updates.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "emulator/analysis/address_places.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

constexpr size_t kMostApart = 512;

/// Looks for updates in one function.
class Updates {
 public:
  explicit Updates(const ptx::Function& function) : function_(function), places_(function) {}

  std::optional<Update> from_load(size_t load) const {
    for (size_t store = load + 1; store < function_.body.size(); ++store) {
      if (const auto update = between(load, store)) return update;
    }
    return std::nullopt;
  }
  std::optional<Update> to_store(size_t store, size_t most_apart = SIZE_MAX) const {
    const size_t first = store > most_apart ? store - most_apart : 0;
    for (size_t load = store; load-- > first;) {
      if (const auto update = between(load, store)) return update;
    }
    return std::nullopt;
  }

 private:
  static bool writes(const ptx::Instruction& instruction) {
    return !instruction.operands.empty() && !instruction.operands[0].is_address &&
           instruction.opcode != "st" && instruction.opcode != "bra" &&
           instruction.opcode != "call";
  }

  static bool reads_any(const Operand& operand, const std::vector<bool>& of) {
    if (operand.reg >= 0 && of[static_cast<size_t>(operand.reg)]) return true;
    return std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const Operand& element) { return reads_any(element, of); });
  }

  static void set(const Operand& operand, std::vector<bool>& of, bool value) {
    if (operand.reg >= 0) of[static_cast<size_t>(operand.reg)] = value;
    for (const Operand& element : operand.elements) set(element, of, value);
  }

  std::optional<Update> between(size_t load, size_t store) const {
    const ptx::Instruction &from = function_.body[load], &to = function_.body[store];
    if (from.opcode != "ld" || to.opcode != "st" || from.operands.size() < 2 ||
        to.operands.size() < 2 || places_.of(from.operands[1]) != places_.of(to.operands[0]))
      return std::nullopt;
    std::vector<bool> made_of(function_.registers.size(), false);
    set(from.operands[0], made_of, true);
    std::string_view opcode;
    for (size_t index = load + 1; index < store; ++index) {
      const ptx::Instruction& step = function_.body[index];
      if (!writes(step)) continue;
      const bool depends = std::any_of(step.operands.begin() + 1, step.operands.end(),
                                       [&](const Operand& one) { return reads_any(one, made_of); });
      set(step.operands[0], made_of, depends);
      if (depends && reads_any(to.operands[1], made_of)) opcode = step.opcode;
    }
    if (opcode.empty() || !reads_any(to.operands[1], made_of)) return std::nullopt;
    return Update{static_cast<uint32_t>(load), static_cast<uint32_t>(store), opcode};
  }

  const ptx::Function& function_;
  const AddressPlaces places_;
};

}  // namespace

std::vector<size_t> counting_stores(const ptx::Function& function) {
  constexpr std::string_view kCounting[] = {"add", "sub", "mad", "fma", "mul", "xor", "shl", "not"};
  std::vector<size_t> stores;
  for (size_t index = 0; index < function.body.size(); ++index) {
    const ptx::Instruction& one = function.body[index];
    if (one.opcode == "st" && (one.has("volatile") || one.has("relaxed") || one.has("release")))
      stores.push_back(index);
  }
  if (stores.empty()) return stores;
  const Updates updates(function);
  std::erase_if(stores, [&](size_t store) {
    const auto update = updates.to_store(store, kMostApart);
    return !update || std::find(std::begin(kCounting), std::end(kCounting), update->opcode) ==
                          std::end(kCounting);
  });
  return stores;
}

std::string_view updated_by(const LoadedModule& module, uint32_t pc) {
  const auto& split = module.program.split_updates;
  if (const auto found = split.find(pc); found != split.end()) return found->second.opcode;
  const auto update = update_at(module, pc);
  return update ? update->opcode : std::string_view();
}

std::optional<Update> update_at(const LoadedModule& module, uint32_t pc) {
  for (const FunctionCode& code : module.program.functions) {
    if (pc < code.first || pc - code.first >= code.count) continue;
    const ptx::Function* const function = module.ptx.find_function(code.name);
    if (function == nullptr || pc - code.first >= function->body.size()) return std::nullopt;
    const size_t index = pc - code.first;
    const Updates updates(*function);
    auto found =
        function->body[index].opcode == "st" ? updates.to_store(index) : updates.from_load(index);
    if (found) {
      found->load += code.first;
      found->store += code.first;
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace warpgrade::emulator
