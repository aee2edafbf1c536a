// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

struct Pipe {
  Descriptor read, write;
};

/// Both ends are closed on exec.
Result<Pipe> make_pipe();

/// A pipe that holds the system call filter for bubblewrap to read.
Result<Pipe> make_filter_pipe(bool loopback);

/// What lies in a pipe now, up to 4096 bytes.
std::string read_rest(int fd);

}  // namespace warpgrade
