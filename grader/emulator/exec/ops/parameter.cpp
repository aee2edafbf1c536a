// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9, ld.param and st.param: a kernel's parameters, and those of calls.

#include <algorithm>

#include "emulator/exec/ops/memory_operands.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T, class R>
void load_kernel_parameter(Warp& warp, const Instruction& i) {
  const auto& parameters = warp.worker->launch->request->parameters;
  for (unsigned element = 0; element < i.elements; ++element) {
    T value{};
    const size_t at = static_cast<size_t>(i.immediate) + element * sizeof(T);
    if (at + sizeof value <= parameters.size())
      std::memcpy(&value, parameters.data() + at, sizeof value);
    const uint32_t d =
        i.elements == 1 ? i.d
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    if (d != kNoRegister) write_lanes<R>(warp, d, [=](int) { return static_cast<R>(value); });
  }
}

/// A parameter of a call lies in the register file, in rows of 32 words.
template <class T, class R>
void load_call_parameter(Warp& warp, const Instruction& i) {
  uint8_t* const rows = warp.registers + i.a;
  for (unsigned element = 0; element < i.elements; ++element) {
    alignas(64) T values[kWarpSize];
    for_each_lane(warp.mask, [&](int lane) {
      for (unsigned done = 0; done < sizeof(T); done += std::min<unsigned>(sizeof(T), 4)) {
        const uint64_t at = static_cast<uint64_t>(i.immediate) + element * sizeof(T) + done;
        std::memcpy(reinterpret_cast<uint8_t*>(values + lane) + done, interleaved(rows, at, lane),
                    std::min<size_t>(sizeof(T), 4));
      }
    });
    const uint32_t d =
        i.elements == 1 ? i.d
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    if (d != kNoRegister)
      write_lanes<R>(warp, d, [&](int lane) { return static_cast<R>(values[lane]); });
  }
}

template <class T>
void store_call_parameter(Warp& warp, const Instruction& i) {
  uint8_t* const rows = warp.registers + i.a;
  for (unsigned element = 0; element < i.elements; ++element) {
    const uint32_t source =
        i.elements == 1 ? i.b
                        : warp.worker->launch->module->program.details[i.detail].registers[element];
    for_each_lane(warp.mask, [&](int lane) {
      const T value = lane_value<T>(warp.reg<uint8_t>(source), i.bytes, lane);
      for (unsigned done = 0; done < sizeof(T); done += std::min<unsigned>(sizeof(T), 4)) {
        const uint64_t at = static_cast<uint64_t>(i.immediate) + element * sizeof(T) + done;
        std::memcpy(interleaved(rows, at, lane), reinterpret_cast<const uint8_t*>(&value) + done,
                    std::min<size_t>(sizeof(T), 4));
      }
    });
  }
}

template <class T, class R>
struct LoadKernelParameter {
  static constexpr Handler kHandler = load_kernel_parameter<T, R>;
};
template <class T, class R>
struct LoadCallParameter {
  static constexpr Handler kHandler = load_call_parameter<T, R>;
};
template <class T>
struct StoreCallParameter {
  static constexpr Handler kHandler = store_call_parameter<T>;
};

/// Parameters of calls lie in words of 4 bytes.
void require_inside(const ptx::Instruction& from, int64_t offset, int64_t bytes, int64_t size) {
  if (offset < 0 || offset > size || bytes > size - offset)
    throw Unsupported{std::string(from.text) + " reaches outside its parameter"};
  if (offset % std::min<int64_t>(ptx::size_of(last_type(from)), 4) != 0)
    throw Unsupported{std::string(from.text) + " of a misaligned parameter"};
}

}  // namespace

bool decode_ld_parameter(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const ptx::Operand& address = from.operands[1];
  const int64_t bytes = int64_t{ptx::size_of(last_type(from))} * into.elements;
  if (const ParameterSlot* const slot = decoder.parameter_slot(address)) {
    require_inside(from, address.offset, bytes, slot->bytes);
    into.a = slot->offset;
    into.immediate = address.offset;
    choose_load<LoadCallParameter>(decoder, from, into);
    return true;
  }
  if (const int64_t offset = decoder.kernel_parameter(address.name); offset >= 0) {
    const size_t all = decoder.code().info.parameter_bytes;
    into.immediate =
        static_cast<int64_t>(static_cast<uint64_t>(offset) + static_cast<uint64_t>(address.offset));
    require_inside(from, into.immediate, bytes, static_cast<int64_t>(all));
    choose_load<LoadKernelParameter>(decoder, from, into);
    return true;
  }
  return false;
}

bool decode_st_parameter(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const ptx::Operand& address = from.operands[0];
  const ParameterSlot* const slot = decoder.parameter_slot(address);
  if (slot == nullptr) return false;
  const int64_t bytes = int64_t{ptx::size_of(last_type(from))} * into.elements;
  require_inside(from, address.offset, bytes, slot->bytes);
  into.a = slot->offset;
  into.immediate = address.offset;
  into.run = store_handler<StoreCallParameter>(last_type(from));
  require(into.run != nullptr, from);
  return true;
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
