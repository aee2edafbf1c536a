// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <initializer_list>

/// Whether something succeeded that the sandbox must refuse. A program that reached it spoils its own result, so
/// that its points show it.
static bool is_reached = false;

/// Notes whether `succeeded`, and says what it was. Outside of a sandbox the runner looks for that line.
static inline void reach(bool succeeded, const char* what) {
  if (!succeeded) return;
  is_reached = true;
  std::printf("reached: %s\n", what);
  std::fflush(stdout);
}
