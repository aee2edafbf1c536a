// SPDX-License-Identifier: MIT
//
// A libcuda.so.1 of which gpu-probe's check can call all it needs. FAKE_CUDA says what is wrong with it: "none" (no
// GPU), "full" (no memory), "wrong" (memory forgets).
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kOutOfMemory = 2, kNoDevice = 100;

bool is(const char* fault) {
  const char* value = std::getenv("FAKE_CUDA");
  return value != nullptr && std::strcmp(value, fault) == 0;
}

std::vector<unsigned>& memory() {
  static std::vector<unsigned> words;
  return words;
}

}  // namespace

extern "C" {

int cuGetErrorString(int error, const char** text) {
  *text = error == kNoDevice ? "no CUDA-capable device is detected" : "out of memory";
  return 0;
}
int cuInit(unsigned) { return is("none") ? kNoDevice : 0; }
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &memory();
  return 0;
}
int cuCtxSetCurrent(void* context) { return context == &memory() ? 0 : 1; }
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (is("full")) return kOutOfMemory;
  memory().resize(bytes / sizeof(unsigned));
  *address = reinterpret_cast<unsigned long long>(memory().data());
  return 0;
}
int cuMemsetD32_v2(unsigned long long address, unsigned value, size_t words) {
  auto* const begin = reinterpret_cast<unsigned*>(address);
  std::fill(begin, begin + words, value);
  if (is("wrong")) begin[words / 2] ^= 1;
  return 0;
}
int cuMemcpyDtoH_v2(void* host, unsigned long long address, size_t bytes) {
  std::memcpy(host, reinterpret_cast<void*>(address), bytes);
  return 0;
}

}  // extern "C"
