// SPDX-License-Identifier: MIT
#include "emulator/memory/host_pages.h"

#include <sys/mman.h>

namespace warpgrade::emulator {
namespace {

class OwnPages final : public HostPages {
 public:
  uint8_t* expose(uint64_t begin, size_t bytes) override {
    void* const host =
        ::mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return host == MAP_FAILED ? nullptr : static_cast<uint8_t*>(host);
  }
  Result<uint8_t*> adopt(uint64_t begin, size_t) override {
    return reinterpret_cast<uint8_t*>(begin);
  }
  void withdraw(uint64_t, uint8_t* at, size_t bytes, bool from_program) override {
    if (from_program) ::munmap(at, bytes);
  }
};

}  // namespace

std::unique_ptr<HostPages> pages_of_this_process() { return std::make_unique<OwnPages>(); }

}  // namespace warpgrade::emulator
