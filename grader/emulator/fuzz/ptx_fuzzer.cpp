// SPDX-License-Identifier: MIT
// Any bytes as a PTX module: load it, and launch its first kernels.

#include <algorithm>
#include <cstring>

#include "emulator/exec/program.h"
#include "testing/fuzz/fuzzer.h"

using namespace warpgrade::emulator;

namespace {

constexpr int kSm = 90;
constexpr size_t kMaxKernels = 4;
constexpr size_t kMaxDynamicSharedBytes = 256;

/// Every parameter is the address of the same memory.
std::vector<std::byte> parameters_of(const KernelInfo& kernel, uint64_t address) {
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (size_t at = 0; at + sizeof address <= bytes.size(); at += sizeof address)
    std::memcpy(bytes.data() + at, &address, sizeof address);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DeviceMemory memory({size_t{1} << 26});
  const auto module = load_module({reinterpret_cast<const char*>(data), size}, 0, kSm, memory);
  if (!module) return 0;
  const uint64_t address = memory.allocate(0, 1 << 12, "cudaMalloc")->begin;
  DeviceHeap heap(memory.allocate(0, 1 << 16, "the heap")->begin, 1 << 16);
  LaunchOptions options;
  options.check = all_checkers();
  options.threads = 1;
  options.instruction_limit = 2000;
  size_t kernels = 0;
  for (const FunctionCode& function : (*module)->program.functions) {
    if (!function.is_entry || ++kernels > kMaxKernels) continue;
    LaunchRequest request;
    request.module = module->get();
    request.kernel = function.name;
    request.grid = {2, 1, 1};
    request.block = {33, 1, 1};
    request.sm = kSm;
    request.heap = &heap;
    request.dynamic_shared_bytes = kMaxDynamicSharedBytes;
    request.parameters = parameters_of(function.info, address);
    launch(request, options, memory);
  }
  return 0;
}
