// SPDX-License-Identifier: MIT
#include "run/outputs.h"

#include <algorithm>

#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kMostArrays = 64;

}  // namespace

std::map<std::string, NpyArray> ArrayReader::read(const fs::path& folder) {
  return read_those(folder, "", [](const std::string&) { return true; });
}

std::map<std::string, NpyArray> ArrayReader::read(const fs::path& folder, const std::string& prefix,
                                                  const std::set<std::string>& wanted) {
  return read_those(folder, prefix,
                    [&](const std::string& name) { return wanted.count(name) != 0; });
}

std::map<std::string, NpyArray> ArrayReader::read_those(const fs::path& folder,
                                                        const std::string& prefix,
                                                        const Choice& wanted) {
  std::map<std::string, NpyArray> arrays;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return arrays;
  size_t seen = 0;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && seen < kMostArrays; entry.increment(error)) {
    const fs::path path = entry->path();
    if (path.extension() != ".npy") continue;
    ++seen;
    const std::string name = path.stem().string();
    if (!wanted(name)) continue;
    const Result<std::string> contents = read_untrusted(path, std::min(file_bytes_, left_bytes_));
    if (!contents) {
      unreadable_[prefix + name] = contents.error().message;
      continue;
    }
    left_bytes_ -= contents->size();
    Result<NpyArray> array = parse_npy(*contents);
    if (array) {
      arrays.emplace(name, std::move(*array));
    } else {
      unreadable_[prefix + name] = array.error().message;
    }
  }
  return arrays;
}

}  // namespace warpgrade
