// SPDX-License-Identifier: MIT
#include "emulator/analysis/address_places.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

AddressPlaces::Place place_as_written(const Operand& operand) {
  if (operand.reg >= 0) return {operand.reg, "", -1, operand.offset};
  return {-1, operand.name, operand.variable, operand.offset};
}

}  // namespace

AddressPlaces::AddressPlaces(const ptx::Function& function) : sources_(function.registers.size()) {
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.operands.empty() || instruction.operands[0].is_address) continue;
    write(instruction.operands[0], source_of(instruction));
  }
}

void AddressPlaces::write(const Operand& target, const Source& source) {
  if (target.reg >= 0) {
    Source& known = sources_[static_cast<size_t>(target.reg)];
    known = known.is_written ? Source{true, false, {}} : source;
  }
  for (const Operand& element : target.elements) write(element, {true, false, {}});
}

AddressPlaces::Source AddressPlaces::source_of(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool copies = (instruction.opcode == "cvta" || instruction.opcode == "mov") &&
                      operands.size() == 2 &&
                      (operands[1].reg >= 0 || operands[1].kind == Operand::Kind::symbol);
  if (copies) return {true, true, place_as_written(operands[1])};
  const bool adds = instruction.opcode == "add" && operands.size() == 3 && operands[1].reg >= 0 &&
                    operands[2].kind == Operand::Kind::integer;
  if (adds) return {true, true, {operands[1].reg, "", -1, static_cast<int64_t>(operands[2].bits)}};
  return {true, false, {}};
}

AddressPlaces::Place AddressPlaces::of(const Operand& address) const {
  constexpr int kMostSteps = 8;
  Place place = place_as_written(address);
  for (int step = 0; place.reg >= 0 && step < kMostSteps; ++step) {
    const Source& source = sources_[static_cast<size_t>(place.reg)];
    if (!source.is_known) break;
    const uint64_t offset =
        static_cast<uint64_t>(place.offset) + static_cast<uint64_t>(source.place.offset);
    place = source.place;
    place.offset = static_cast<int64_t>(offset);
  }
  return place;
}

}  // namespace warpgrade::emulator
