// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"

// What functions have in common that nvcc calls and does not define.

namespace warpgrade::emulator {

inline const Detail& detail_of(const Warp& warp, const Instruction& i) {
  return warp.worker->launch->module->program.details[i.detail];
}

/// An argument of a lane, or the part of it that begins at `offset`.
template <class T>
T argument(Warp& warp, const Detail& detail, size_t index, int lane, unsigned offset = 0) {
  uint8_t bytes[8] = {};
  for (unsigned done = 0; done < sizeof(T); done += 4) {
    std::memcpy(bytes + done,
                interleaved(warp.registers + detail.registers[index], offset + done, lane), 4);
  }
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Gives a lane the function's result.
template <class T>
void return_value(Warp& warp, const Detail& detail, int lane, T value) {
  static_assert(sizeof(T) % 4 == 0);
  for (unsigned done = 0; done < sizeof value; done += 4) {
    uint8_t* const word = interleaved(warp.registers + detail.more[0], done, lane);
    std::memcpy(word, reinterpret_cast<const uint8_t*>(&value) + done, 4);
  }
}

/// The function of the device runtime with that name (kernels that launch kernels), or null.
Builtin device_runtime_call(std::string_view name);

}  // namespace warpgrade::emulator
