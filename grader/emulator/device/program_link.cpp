// SPDX-License-Identifier: MIT
#include "emulator/device/program_link.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "emulator/runtime/host.h"

namespace warpgrade::emulator {

void end_program(int code) {
  std::fflush(nullptr);
  if (ProgramLink* const link = ProgramLink::only())
    link->send({.packet = cudart::Packet::finish, .tag = static_cast<uint64_t>(code)}, -1);
  ::_exit(code);
}

ProgramLink*& ProgramLink::only() {
  static ProgramLink* link = nullptr;
  return link;
}

void ProgramLink::send(const cudart::SocketPacket& packet, int descriptor) {
  const std::lock_guard lock(mutex_);
  cudart::send_packet(socket_, packet, descriptor);
}

uint64_t ProgramLink::send_memory(int descriptor) {
  const std::lock_guard lock(mutex_);
  const uint64_t tag = next_tag_;
  next_tag_ += 2;
  cudart::send_packet(socket_, {.packet = cudart::Packet::memory, .tag = tag}, descriptor);
  return tag;
}

std::pair<void*, int> make_shared_memory(size_t bytes) {
  const int descriptor = ::memfd_create("warpgrade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return {nullptr, -1};
  const bool sized =
      ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 &&
      ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* const memory = sized ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_NORESERVE, descriptor, 0)
                             : MAP_FAILED;
  if (memory == MAP_FAILED) {
    ::close(descriptor);
    return {nullptr, -1};
  }
  ::madvise(memory, bytes, MADV_DONTDUMP);
  return {memory, descriptor};
}

}  // namespace warpgrade::emulator
