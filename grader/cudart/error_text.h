// SPDX-License-Identifier: MIT
#pragma once

#include <driver_types.h>

namespace warpgrade::cudart {

/// An error of the Runtime API as cudaGetErrorName and cudaGetErrorString tell it.
struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

inline constexpr ErrorText kErrorTexts[] = {
#define ERROR(code, text) {code, #code, text},
#include "cudart/error_table.inc"
#undef ERROR
};

inline constexpr ErrorText kUnknownError = {cudaErrorUnknown, "unrecognized error code",
                                            "unrecognized error code"};

inline const ErrorText& error_text(cudaError_t code) {
  for (const ErrorText& row : kErrorTexts) {
    if (row.code == code) return row;
  }
  return kUnknownError;
}

}  // namespace warpgrade::cudart
