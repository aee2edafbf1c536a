// SPDX-License-Identifier: MIT
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace warpgrade {

constexpr int kStatusDescriptor = 3;
constexpr int kFilterDescriptor = 4;

/// Everything a new process needs to become the command, laid out before fork so that the child
/// only makes system calls.
struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value
  std::string folder = "/";
  std::optional<uid_t> user;            ///< whom to become; none: stay who we are
  std::optional<ProcessLimits> limits;  ///< none: someone further in sets them
  std::optional<rlim_t> processes;      ///< RLIMIT_NPROC; none: someone further in sets it
  std::vector<sock_filter> filter;      ///< installed before exec where not empty
  std::vector<int> doors;               ///< of the control group to enter
  int out = -1, err = -1, status = -1, filter_pipe = -1, supervisor = -1, control = -1;
};

/// Forks a child that becomes the command itself; its standard input is empty. -1 where it cannot
/// be forked.
pid_t start_directly(const Launch& launch);

/// Forks a supervisor that runs the command, kills whatever it leaves behind, writes its wait
/// status (an int) to `status` and ends. SIGTERM makes it do so at once.
pid_t start_supervised(const Launch& launch);

}  // namespace warpgrade
