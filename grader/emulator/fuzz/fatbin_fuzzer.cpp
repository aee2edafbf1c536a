// SPDX-License-Identifier: MIT
// Any bytes as the container of device code that nvcc embeds in programs.

#include "emulator/runtime/program/fatbin.h"
#include "testing/fuzz/fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpgrade::emulator;
  const auto entries = read_fatbin({reinterpret_cast<const char*>(data), size});
  if (entries && choose_ptx(*entries, 90) == nullptr) explain_no_ptx(*entries, 90);
  return 0;
}
