// SPDX-License-Identifier: MIT
#pragma once

#include <linux/filter.h>

#include <vector>

namespace warpgrade {

/// A seccomp filter that refuses, with EPERM, what no CUDA program needs and namespaces do not
/// contain: sockets other than local ones, kernel keyrings, io_uring, bpf, ptrace and its kin,
/// mounts, new namespaces and filters of system calls. With `loopback`, sockets of the Internet's
/// families are let through: for a namespace whose network is its loopback interface alone.
std::vector<sock_filter> system_call_filter(bool loopback = false);

}  // namespace warpgrade
