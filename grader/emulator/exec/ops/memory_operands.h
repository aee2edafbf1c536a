// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/ops/lanes.h"

// What ld and st of every space share: the value's type in memory and in its register.

namespace warpgrade::emulator::WARPGRADE_ISA {

constexpr unsigned kMaxLaneBytes = 16;

/// The low bytes of a register whose lanes are `width` bytes apart.
template <class T>
inline T lane_value(const uint8_t* lanes, unsigned width, int lane) {
  T value;
  std::memcpy(&value, lanes + static_cast<unsigned>(lane) * width, sizeof value);
  return value;
}

/// Handlers for every pair of memory type and register width; `Make<T, R>::kHandler`.
template <template <class, class> class Make>
Handler load_handler(Type type, unsigned register_bytes) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return register_bytes == 2   ? Make<uint8_t, uint16_t>::kHandler
             : register_bytes == 4 ? Make<uint8_t, uint32_t>::kHandler
                                   : Make<uint8_t, uint64_t>::kHandler;
    case Type::s8:
      return register_bytes == 2   ? Make<int8_t, int16_t>::kHandler
             : register_bytes == 4 ? Make<int8_t, int32_t>::kHandler
                                   : Make<int8_t, int64_t>::kHandler;
    case Type::u16:
    case Type::b16:
    case Type::f16:
    case Type::bf16:
      return register_bytes == 2   ? Make<uint16_t, uint16_t>::kHandler
             : register_bytes == 4 ? Make<uint16_t, uint32_t>::kHandler
                                   : Make<uint16_t, uint64_t>::kHandler;
    case Type::s16:
      return register_bytes == 2   ? Make<int16_t, int16_t>::kHandler
             : register_bytes == 4 ? Make<int16_t, int32_t>::kHandler
                                   : Make<int16_t, int64_t>::kHandler;
    case Type::u32:
    case Type::b32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
      return register_bytes == 4 ? Make<uint32_t, uint32_t>::kHandler
                                 : Make<uint32_t, uint64_t>::kHandler;
    case Type::s32:
      return register_bytes == 4 ? Make<int32_t, int32_t>::kHandler
                                 : Make<int32_t, int64_t>::kHandler;
    case Type::u64:
    case Type::s64:
    case Type::b64:
    case Type::f64:
      return Make<uint64_t, uint64_t>::kHandler;
    default:
      return nullptr;
  }
}

template <template <class> class Make>
Handler store_handler(Type type) {
  switch (ptx::size_of(type)) {
    case 1:
      return Make<uint8_t>::kHandler;
    case 2:
      return Make<uint16_t>::kHandler;
    case 4:
      return Make<uint32_t>::kHandler;
    case 8:
      return Make<uint64_t>::kHandler;
    default:
      return nullptr;
  }
}

template <template <class, class> class Make>
inline void choose_load(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const ptx::Operand& target = from.operands[0];
  const ptx::Operand& sample =
      target.kind == ptx::Operand::Kind::vector ? target.elements.at(0) : target;
  into.run = load_handler<Make>(last_type(from), decoder.register_bytes(sample));
  require(into.run != nullptr, from);
}

/// Fills the registers, their width in bytes and their number from `r` or `{r, ...}`.
void decode_elements(Decoder& decoder, const ptx::Operand& operand, const ptx::Instruction& from,
                     Instruction& into, bool is_load, Type type);

/// Decodes ld.param and st.param of variables that lie in the register file or in the launch's
/// parameters; false for any other address.
bool decode_ld_parameter(Decoder& decoder, const ptx::Instruction& from, Instruction& into);
bool decode_st_parameter(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
