// SPDX-License-Identifier: MIT
// CUDA Driver API, "Module Management": cuLink*. Translation units of PTX are linked into one text of PTX, which
// cuModuleLoadData takes as it takes a cubin.
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

struct CUlinkState_st {
  std::string image;  ///< The units one after another, under the directives of the first.
};

namespace {

constexpr std::string_view kElfMagic("\177ELF", 4);

bool starts_with_word(std::string_view line, std::string_view word) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin != std::string_view::npos && line.substr(begin).starts_with(word);
}

/// What may stand once in a translation unit, at its head (PTX ISA, "PTX Module Directives").
bool is_head(std::string_view line) {
  for (const std::string_view word : {".version", ".target", ".address_size"}) {
    if (starts_with_word(line, word)) return true;
  }
  return false;
}

/// `.file` and `.loc` count the files of a unit by numbers of its own.
bool is_place(std::string_view line) {
  return starts_with_word(line, ".file") || starts_with_word(line, ".loc");
}

void add_unit(std::string& image, std::string_view text) {
  if (image.empty()) {
    image = text;
    return;
  }
  image += '\n';
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!is_head(line) && !is_place(line)) {
      image += line;
      image += '\n';
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// The device runtime, which is the emulated device's own.
bool is_device_runtime(std::string_view path) { return path.find("cudadevrt") != path.npos; }

CUresult add(CUlinkState state, CUjitInputType type, std::string_view code) {
  if (state == nullptr || code.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_JIT_INPUT_PTX || code.starts_with(kElfMagic)) {
    refuse("linking anything but PTX");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  // A text may be given with the zero behind it.
  add_unit(state->image, code.substr(0, code.find('\0')));
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] {
    clear_logs(count, options, values);
    *state = std::make_unique<CUlinkState_st>().release();
    return cudaSuccess;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                          const char*, unsigned, CUjit_option*, void**) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(state, type, {static_cast<const char*>(data), bytes});
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned,
                          CUjit_option*, void**) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (type == CU_JIT_INPUT_LIBRARY && is_device_runtime(path)) return CUDA_SUCCESS;
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  return add(state, type, std::string(std::istreambuf_iterator<char>(file), {}));
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  if (state == nullptr || image == nullptr || state->image.empty()) return CUDA_ERROR_INVALID_VALUE;
  *image = state->image.data();
  if (bytes != nullptr) *bytes = state->image.size() + 1;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::unique_ptr<CUlinkState_st> held(state);
  return CUDA_SUCCESS;
}

}  // extern "C"
