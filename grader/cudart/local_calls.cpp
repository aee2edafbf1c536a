// SPDX-License-Identifier: MIT
// The calls that need no device: texts of errors, and the configuration of a <<< >>> launch being made.
#include <deque>
#include <vector>

#include "cudart/client.h"
#include "cudart/codecs.h"
#include "cudart/error_text.h"
#include "cudart/lines/source_lines.h"

namespace warpgrade::cudart {
namespace {

/// The error in words. Whoever wants it has seen the error.
const ErrorText& look_up(cudaError_t code) {
  Client* const client = code == cudaSuccess ? nullptr : Client::if_connected();
  if (client != nullptr) client->exchange(Message::error_seen, Writer());
  return error_text(code);
}

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};

std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> of_thread;
  return of_thread;
}

}  // namespace

const char* keep_text(std::string text) {
  static auto& kept = *new std::deque<std::string>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  for (const std::string& one : kept) {
    if (one == text) return one.c_str();
  }
  kept.push_back(std::move(text));
  return kept.back().c_str();
}

// What a program asked for stays valid, as far as it can know, while the graph or capture does.
void* keep_array(const void* bytes, size_t count, size_t element_bytes) {
  constexpr size_t kMostKept = 4096;
  thread_local std::deque<std::vector<std::byte>> kept;
  const auto* const begin = static_cast<const std::byte*>(bytes);
  kept.emplace_back(begin, begin + count * element_bytes);
  if (kept.size() > kMostKept) kept.pop_front();
  return kept.back().data();
}

extern "C" {

const char* cudaGetErrorName(cudaError_t error) { return look_up(error).name; }

const char* cudaGetErrorString(cudaError_t error) { return look_up(error).text; }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     CUstream_st* stream) {
  configurations().push_back({grid, block, shared_bytes, stream});
  note_launch(__builtin_return_address(0));
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const Configuration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

}  // extern "C"
}  // namespace warpgrade::cudart
