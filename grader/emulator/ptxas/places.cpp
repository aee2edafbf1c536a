// SPDX-License-Identifier: MIT
#include "emulator/ptxas/places.h"

#include <algorithm>
#include <array>

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

constexpr uint64_t kMostAligned = uint64_t{1} << 32;

uint64_t alignment_of(uint64_t value) {
  return value == 0 ? kMostAligned : std::min(value & (~value + 1), kMostAligned);
}

}  // namespace

bool writes_first_operand(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 6> kOthers = {"st", "red", "bar", "barrier", "bra", "brx"};
  return std::find(kOthers.begin(), kOthers.end(), instruction.opcode) == kOthers.end() &&
         !instruction.operands.empty() && !instruction.operands[0].is_address;
}

Alignments::Alignments(const ptx::Module& module, const ptx::Function& function,
                       const SharedLayout& layout)
    : function_(function), layout_(layout), known_(function.registers.size(), kMostAligned) {
  for (const ptx::Variable& variable : module.variables) by_name_.emplace(variable.name, &variable);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function.body) {
      if (!writes_first_operand(instruction)) continue;
      changed |= lower(instruction.operands[0], result_of(instruction));
      for (const Operand& element : instruction.operands[0].elements) changed |= lower(element, 1);
    }
  }
}

uint64_t Alignments::of(const Operand& operand) const {
  const uint64_t offset = alignment_of(static_cast<uint64_t>(operand.offset));
  switch (operand.kind) {
    case Operand::Kind::reg:
      return std::min(of_register(operand.reg), offset);
    case Operand::Kind::integer:
      return alignment_of(operand.bits);
    case Operand::Kind::symbol:
      return std::min(of_symbol(operand), offset);
    default:
      return 1;
  }
}

uint64_t Alignments::of_symbol(const Operand& operand) const {
  if (const auto known = layout_.offset_of(operand)) return alignment_of(*known);
  if (operand.variable >= 0)
    return function_.variables[static_cast<size_t>(operand.variable)].alignment;
  const auto found = by_name_.find(operand.name);
  return found == by_name_.end() ? 1 : found->second->alignment;
}

bool Alignments::lower(const Operand& target, uint64_t alignment) {
  if (target.kind != Operand::Kind::reg || target.reg < 0) return false;
  uint64_t& known = known_[static_cast<size_t>(target.reg)];
  if (alignment >= known) return false;
  known = alignment;
  return true;
}

uint64_t Alignments::result_of(const ptx::Instruction& instruction) const {
  const auto from = [&](size_t index) { return of(instruction.operands[index]); };
  const std::string_view op = instruction.opcode;
  const size_t count = instruction.operands.size();
  if (count == 2 && (op == "mov" || op == "cvt" || op == "cvta" || op == "neg")) return from(1);
  if (count == 3 &&
      (op == "add" || op == "sub" || op == "or" || op == "xor" || op == "min" || op == "max"))
    return std::min(from(1), from(2));
  if (op == "selp") return std::min(from(1), from(2));
  if (count == 3 && op == "and") return std::max(from(1), from(2));
  if (count == 3 && op == "mul" && !instruction.has("hi"))
    return std::min(from(1) * from(2), kMostAligned);
  if (count == 4 && op == "mad" && !instruction.has("hi"))
    return std::min(std::min(from(1) * from(2), kMostAligned), from(3));
  if (count == 3 && op == "shl" && instruction.operands[2].kind == Operand::Kind::integer)
    return std::min(from(1) << std::min<uint64_t>(instruction.operands[2].bits, 31), kMostAligned);
  return 1;
}

Roots::Roots(const ptx::Function& function, const SharedLayout& layout)
    : layout_(layout), writers_(function.registers.size()), written_(function.registers.size()) {
  for (const ptx::Instruction& instruction : function.body) {
    if (!writes_first_operand(instruction)) continue;
    note(instruction.operands[0], &instruction);
    for (const Operand& element : instruction.operands[0].elements) note(element, nullptr);
  }
}

void Roots::note(const Operand& target, const ptx::Instruction* writer) {
  if (target.kind != Operand::Kind::reg || target.reg < 0) return;
  writers_[static_cast<size_t>(target.reg)] = writer;
  ++written_[static_cast<size_t>(target.reg)];
}

/// Null where there are several, or one that some lanes skip.
const ptx::Instruction* Roots::only_writer(int reg) const {
  const ptx::Instruction* const writer = writers_[static_cast<size_t>(reg)];
  const bool is_only = written_[static_cast<size_t>(reg)] == 1 && writer != nullptr;
  return is_only && writer->guard < 0 ? writer : nullptr;
}

Place Roots::of_symbol(const Operand& symbol, int64_t offset) const {
  if (const auto known = layout_.offset_of(symbol))
    return {-1, {}, offset + static_cast<int64_t>(*known), true};
  return {-1, symbol.name, offset, false};
}

Place Roots::of(const Operand& address) const {
  constexpr int kMaxSteps = 16;
  if (address.reg < 0) return of_symbol(address, address.offset);
  Place place{address.reg, {}, address.offset, false};
  for (int step = 0; step < kMaxSteps; ++step) {
    const ptx::Instruction* const writer = only_writer(place.reg);
    if (writer == nullptr) break;
    if (writer->opcode == "mov" && writer->operands.size() == 2 &&
        writer->operands[1].kind == Operand::Kind::symbol && layout_.offset_of(writer->operands[1]))
      return of_symbol(writer->operands[1], place.offset + writer->operands[1].offset);
    if (writer->opcode != "add" || writer->operands.size() != 3) break;
    const Operand &from = writer->operands[1], &by = writer->operands[2];
    if (from.kind != Operand::Kind::reg || by.kind != Operand::Kind::integer ||
        written_[static_cast<size_t>(from.reg)] != 1)
      break;
    place.reg = from.reg;
    place.offset += static_cast<int32_t>(by.bits);
  }
  return place;
}

}  // namespace warpgrade::emulator
