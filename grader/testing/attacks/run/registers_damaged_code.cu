// SPDX-License-Identifier: MIT
// attacks: containers of device code that are cut off, endless, full of noise, or unpack to gigabytes
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <cuda_runtime.h>

#include <random>
#include <string>
#include <vector>

extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);

struct Wrapper {
  int magic, version;
  const void* data;
  void* file_name;
};

template <class T>
static void put(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// One region of PTX, an LZ4 block of a blank that is repeated many million times.
static std::string bomb() {
  static const size_t kRepeats = 1000000;
  std::string block("\x1f\x20\x01\x00", 4);
  block += std::string(kRepeats, '\xff') + std::string("\x00\x50     ", 7);
  std::string region;
  put(region, short{1});
  put(region, short{0});
  put(region, 64);
  put(region, static_cast<unsigned long long>(block.size()));
  put(region, static_cast<unsigned>(block.size()));
  region.append(8, '\0');
  put(region, 75);
  region.append(8, '\0');
  put(region, 0x2000ull);
  region.append(8, '\0');
  put(region, 255ull * kRepeats + 25);
  region += block;
  std::string whole;
  put(whole, 0xBA55ED50u);
  put(whole, short{1});
  put(whole, short{16});
  put(whole, static_cast<unsigned long long>(8 * region.size()));
  for (int i = 0; i < 8; ++i) whole += region;
  return whole;
}

__attribute__((constructor)) static void register_all() {
  std::minstd_rand random(7);
  static std::vector<std::string> codes = {bomb(), std::string("\x50\xed\x55\xba\x01\x00\x10\x00\xff\xff\xff\xff\xff\xff\xff\x7f", 16)};
  for (int i = 0; i < 20; ++i) {
    std::string noise("\x50\xed\x55\xba\x01\x00\x10\x00\x00\x10\x00\x00\x00\x00\x00\x00", 16);
    for (int k = 0; k < 4096; ++k) noise += static_cast<char>(random() & 0xff);
    codes.push_back(noise);
  }
  static std::vector<Wrapper> wrappers;
  wrappers.reserve(codes.size());
  for (const std::string& code : codes) {
    wrappers.push_back({0x466243b1, 1, code.data(), nullptr});
    __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrappers.back()));
  }
}

#include "controls/honest.cu"
