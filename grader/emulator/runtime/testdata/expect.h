// SPDX-License-Identifier: MIT
// What the test programs share: count what is wrong, say it, and end with that as the exit code.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

inline int failures = 0;

inline void expect_that(bool holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  std::printf("line %d: not so: %s\n", line, what);
}

inline void expect_error(cudaError_t got, cudaError_t wanted, const char* what, int line) {
  cudaGetLastError();
  if (got == wanted) return;
  ++failures;
  std::printf("line %d: %s gave %s, not %s\n", line, what, cudaGetErrorName(got),
              cudaGetErrorName(wanted));
}

#define EXPECT(condition) expect_that(condition, #condition, __LINE__)
#define EXPECT_ERROR(call, wanted) expect_error(call, wanted, #call, __LINE__)
#define EXPECT_SUCCESS(call) expect_error(call, cudaSuccess, #call, __LINE__)
