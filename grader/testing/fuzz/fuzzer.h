// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// What libFuzzer calls with each input (llvm.org/docs/LibFuzzer.html); 0 always.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
