// SPDX-License-Identifier: MIT
// Any bytes as calls that a program sends to the device: each begins with its number and its length, 16 bits each.

#include <algorithm>

#include "emulator/device/dispatch.h"
#include "testing/fuzz/fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpgrade;
  std::span<const std::byte> left(reinterpret_cast<const std::byte*>(data), size);
  while (left.size() >= 4) {
    cudart::Reader head(left.first(4));
    const auto id = head.take<uint16_t>();
    const size_t bytes = std::min<size_t>(head.take<uint16_t>(), left.size() - 4);
    cudart::Reader message(left.subspan(4, bytes));
    cudart::Writer result;
    emulator::serve_call(id, message, result);
    left = left.subspan(4 + bytes);
  }
  return 0;
}
