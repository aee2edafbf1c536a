// SPDX-License-Identifier: MIT
// Every export of the toolkit's libcuda.so that nothing else here defines: a program that names one links, and is told
// which call it was when it makes it.
#include "cudart/driver/driver.h"

#define WARPGRADE_UNSUPPORTED(name)                                            \
  extern "C" __attribute__((weak)) CUresult warpgrade_##name() __asm__(#name); \
  CUresult warpgrade_##name() { return warpgrade::cudart::driver::refuse(#name); }

namespace warpgrade::cudart::driver {

CUresult refuse(const char* name) {
  __cudaRefuse(name);
  // The driver API keeps no last error: whoever called has it.
  cudaGetLastError();
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace warpgrade::cudart::driver

#include "cudart/driver/unsupported.inc"
