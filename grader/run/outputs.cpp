// SPDX-License-Identifier: MIT
#include "run/outputs.h"

#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kMostArrays = 64;
constexpr size_t kLargestArrayBytes = size_t{16} << 20;

}  // namespace

void read_outputs(const fs::path& folder, RunResult& result) {
  std::error_code error;
  size_t seen = 0;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && seen < kMostArrays; entry.increment(error)) {
    const fs::path path = entry->path();
    if (path.extension() != ".npy") continue;
    ++seen;
    const std::string name = path.stem().string();
    const Result<std::string> contents = read_untrusted(path, kLargestArrayBytes);
    if (!contents) {
      result.unreadable[name] = contents.error().message;
      continue;
    }
    Result<NpyArray> array = parse_npy(*contents);
    if (array) {
      result.outputs.emplace(name, std::move(*array));
    } else {
      result.unreadable[name] = array.error().message;
    }
  }
}

}  // namespace warpgrade
