// SPDX-License-Identifier: MIT
// Every export of the toolkit's libcublas.so that nothing else here defines: a program that names one links, and is told
// which call it was when it makes it.
#include "cudart/cublas/handle.h"

#define WARPGRADE_UNSUPPORTED(name)                                                  \
  extern "C" __attribute__((weak)) cublasStatus_t warpgrade_##name() __asm__(#name); \
  cublasStatus_t warpgrade_##name() { return warpgrade::cudart::cublas::refuse(#name); }

#include "cudart/cublas/unsupported.inc"
