// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Error Handling".
#include "emulator/runtime/error.h"

#include <fmt/format.h>

#include "cudart/error_text.h"
#include "emulator/runtime/api.h"

namespace warpgrade::emulator {

std::string in_words(cudaError_t error) {
  const cudart::ErrorText& row = cudart::error_text(error);
  return fmt::format("{} ({})", row.name, row.text);
}

const char* text_of_error(int error, bool name) {
  const cudart::ErrorText& row = cudart::error_text(static_cast<cudaError_t>(error));
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
