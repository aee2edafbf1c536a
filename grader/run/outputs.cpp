// SPDX-License-Identifier: MIT
#include "run/outputs.h"

#include <algorithm>

#include "sandbox/untrusted_file.h"

namespace warpgrade {

// Each file is asked for by its name: how many others a program left costs nothing.
std::map<std::string, NpyArray> ArrayReader::read(const fs::path& folder, const std::string& prefix,
                                                  const std::set<std::string>& wanted) {
  std::map<std::string, NpyArray> arrays;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return arrays;
  for (const std::string& name : wanted) {
    const fs::path path = folder / (name + ".npy");
    if (!fs::exists(fs::symlink_status(path, error))) continue;
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
