// SPDX-License-Identifier: MIT
#include "emulator/exec/value_sources.h"

#include <algorithm>
#include <utility>

#include "emulator/analysis/register_uses.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

/// No value of a kernel that people write is made of more.
constexpr size_t kMostRegisters = 2048;

bool sets_first(const ptx::Instruction& instruction) {
  return !instruction.operands.empty() && !instruction.operands[0].is_address &&
         !is_one_of(instruction, {"st", "red", "bra", "brx", "call", "ret", "exit", "bar",
                                  "barrier", "sust", "nanosleep"});
}

bool is_parameter(const ptx::Function& function, const Operand& address) {
  return std::any_of(function.parameters.begin(), function.parameters.end(),
                     [&](const ptx::Variable& one) { return one.name == address.name; });
}

}  // namespace

bool is_strong(const ptx::Instruction& access) {
  return is_one_of(access, {"atom", "red"}) || access.has("volatile") || access.has("relaxed") ||
         access.has("acquire") || access.has("release");
}

bool computes(const ptx::Instruction& instruction) {
  return sets_first(instruction) &&
         !is_one_of(instruction, {"ld", "ldu", "atom", "tex", "tld4", "suld", "ldmatrix"});
}

ValueSources::ValueSources(const ptx::Function& function)
    : function_(function),
      places_(function),
      uses_(function.registers.size()),
      sets_(function.registers.size()) {
  for (size_t index = 0; index < function.body.size(); ++index) {
    const ptx::Instruction& one = function.body[index];
    const bool sets = sets_first(one);
    for (size_t i = 0; i < one.operands.size(); ++i) {
      for_registers(one.operands[i], [&](int reg) {
        (sets && i == 0 ? sets_ : uses_)[static_cast<size_t>(reg)].push_back(index);
      });
    }
    if (one.guard >= 0) uses_[static_cast<size_t>(one.guard)].push_back(index);
    if (one.opcode == "st" && one.operands.size() > 1)
      stores_[places_.of(one.operands[0])].push_back(index);
    if (one.opcode == "st" && one.has("shared") && one.operands.size() > 1)
      shared_stores_.push_back(index);
  }
}

std::set<int> ValueSources::results(const ptx::Instruction& instruction) {
  std::set<int> registers;
  if (sets_first(instruction))
    for_registers(instruction.operands[0], [&](int reg) { registers.insert(reg); });
  return registers;
}

ValueSources::Sources ValueSources::sources_of(const Operand& operand) const {
  Sources sources;
  sources.varies = operand.kind == Operand::Kind::special;
  std::vector<int> open;
  for_registers(operand, [&](int reg) { open.push_back(reg); });
  follow(std::move(open), sources);
  return sources;
}

ValueSources::Sources ValueSources::sources_of(int reg) const {
  Sources sources;
  follow({reg}, sources);
  return sources;
}

void ValueSources::follow(std::vector<int> open, Sources& into) const {
  while (!open.empty() && into.registers.size() < kMostRegisters) {
    const int reg = open.back();
    open.pop_back();
    if (!into.registers.insert(reg).second) continue;
    for (const size_t index : sets_of(reg)) {
      const ptx::Instruction& step = function_.body[index];
      if (!computes(step)) {
        into.varies = true;
        follow_load(index, open, into);
        continue;
      }
      into.steps.insert(index);
      for (size_t i = 1; i < step.operands.size(); ++i) {
        if (step.operands[i].kind == Operand::Kind::special) into.varies = true;
        for_registers(step.operands[i], [&](int source) { open.push_back(source); });
      }
    }
  }
}

/// A load gets what the same function has stored at the place, or anywhere in shared memory where none has the same address.
/// One of a parameter or of local memory reads nothing else.
void ValueSources::follow_load(size_t index, std::vector<int>& open, Sources& into) const {
  const ptx::Instruction& load = function_.body[index];
  if (load.operands.size() < 2) return;
  const Operand& address = load.operands[1];
  if (load.has("param")) {
    if (!function_.is_entry || !is_parameter(function_, address)) into.is_unknown = true;
    return;
  }
  if (!into.reads.insert(index).second || load.opcode != "ld") return;
  // Shared memory may be a way from a read to the write that goes on from it, whatever orders the accesses there.
  if (is_strong(load) && !load.has("shared")) return;
  const auto stored = stores_.find(places_.of(address));
  if (stored == stores_.end()) into.is_unknown |= load.has("local");
  const bool is_elsewhere = stored == stores_.end() && load.has("shared");
  if (stored == stores_.end() && !is_elsewhere) return;
  for (const size_t store : is_elsewhere ? shared_stores_ : stored->second)
    for_registers(function_.body[store].operands[1], [&](int reg) { open.push_back(reg); });
}

std::set<int> ValueSources::made_of(const std::set<int>& registers) const {
  std::set<int> made;
  std::vector<int> open(registers.begin(), registers.end());
  while (!open.empty() && made.size() < kMostRegisters) {
    const int reg = open.back();
    open.pop_back();
    if (!made.insert(reg).second) continue;
    for (const size_t index : uses_of(reg)) {
      const ptx::Instruction& step = function_.body[index];
      if (step.guard == reg || !computes(step)) continue;
      for_registers(step.operands[0], [&](int result) { open.push_back(result); });
    }
  }
  return made;
}

}  // namespace warpgrade::emulator
