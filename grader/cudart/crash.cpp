// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>

#include "cudart/client.h"
#include "cudart/host_guard.h"

namespace warpgrade::cudart {
namespace {

/// The address may be the device's, which knows what lies there.
void tell_crash(uint64_t address, bool writes) {
  if (Client* const client = Client::if_connected())
    client->tell({.packet = writes ? Packet::host_write : Packet::host_read, .tag = address});
}

/// What a graded program printed before it crashed is what its author looks for.
__attribute__((constructor)) void print_line_by_line() {
  if (std::getenv(kSocketVariable) != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

}  // namespace

void tell_device_of_crashes() { HostGuard::before_crash(tell_crash); }

}  // namespace warpgrade::cudart
