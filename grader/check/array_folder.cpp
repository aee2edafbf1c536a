// SPDX-License-Identifier: MIT
#include "check/array_folder.h"

#include <fmt/format.h>

#include <fstream>

namespace warpgrade {

Result<Arrays> read_arrays(const Files& files, const fs::path& folder) {
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names) return names.error();
  Arrays arrays;
  for (const std::string& name : *names) {
    const fs::path path = folder / name;
    if (path.extension() != ".npy") continue;
    const Result<std::string> contents = files.read(path);
    if (!contents) return contents.error();
    Result<NpyArray> array = parse_npy(*contents);
    if (!array) return Error{fmt::format("{}: {}", path.string(), array.error().message)};
    arrays.emplace(path.stem().string(), std::move(*array));
  }
  return arrays;
}

Status write_arrays(const fs::path& folder, const Arrays& arrays) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  for (const auto& [name, array] : arrays) {
    const fs::path path = folder / (name + ".npy");
    std::ofstream file(path, std::ios::binary);
    file << format_npy(array);
    file.close();
    if (!file) return Error{fmt::format("cannot write {}", path.string())};
  }
  return {};
}

}  // namespace warpgrade
