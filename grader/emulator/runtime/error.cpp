// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Error Handling".
#include "emulator/runtime/error.h"

#include <fmt/format.h>

#include "emulator/runtime/api.h"

namespace warpgrade::emulator {

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define ERROR(code, text) {code, #code, text},
#include "cudart/error_table.inc"
#undef ERROR
};

constexpr ErrorText kUnknown = {cudaErrorUnknown, "unrecognized error code",
                                "unrecognized error code"};

const ErrorText& look_up(cudaError_t code) {
  for (const ErrorText& row : kErrors) {
    if (row.code == code) return row;
  }
  return kUnknown;
}

}  // namespace

std::string in_words(cudaError_t error) {
  const ErrorText& row = look_up(error);
  return fmt::format("{} ({})", row.name, row.text);
}

const char* text_of_error(int error, bool name) {
  const ErrorText& row = look_up(static_cast<cudaError_t>(error));
  return name ? row.name : row.text;
}

extern "C" {

cudaError_t cudaGetLastError() {
  return api_call("cudaGetLastError", EarlierFault::ignored, [](ApiCall& call) {
    call.keep_last_error();
    return std::exchange(call.thread().last_error, cudaSuccess);
  });
}

cudaError_t cudaPeekAtLastError() {
  return api_call("cudaPeekAtLastError", EarlierFault::ignored, [](ApiCall& call) {
    call.keep_last_error();
    return call.thread().last_error;
  });
}

}  // extern "C"

}  // namespace warpgrade::emulator
