// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "course/handout.h"

namespace warpgrade {
namespace {

const fs::path kInHandout = "engine";
// What an engine holds of single assignments, the libraries that not every program loads, and which one loads which.
const fs::path kCompiled = "lib/warpgrade/assignments", kLibraries = "lib/warpgrade/libs",
               kUses = "lib/warpgrade/libs.txt";
// For the staff.
const fs::path kTemplates = "share/warpgrade/grader/course",
               kPacker = "lib/warpgrade/warpgrade-zip";

bool is_for_everybody(const fs::path& path) {
  return path != kCompiled && path != kLibraries && path != kTemplates && path != kPacker;
}

/// Every file below prefix / `folder` that every student needs, relative to the prefix.
void list_shared(const fs::path& prefix, const fs::path& folder, std::set<fs::path>& found) {
  const Result<std::vector<std::string>> names = RealFiles().list(prefix / folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const fs::path path = folder / name;
    if (!is_for_everybody(path)) continue;
    if (RealFiles().is_folder(prefix / path)) {
      list_shared(prefix, path, found);
    } else {
      found.insert(path);
    }
  }
}

/// Adds the libraries that the programs among `files` load.
void add_libraries(const std::string& uses, std::set<fs::path>& files) {
  for (const std::string& line : split(uses, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    if (files.count(words.front()) == 0) continue;
    for (size_t i = 1; i < words.size(); ++i) files.insert(kLibraries / words[i]);
  }
}

}  // namespace

Result<FileTree> engine_files(const Engine& engine, const std::vector<std::string>& slugs) {
  const RealFiles files;
  const Result<std::string> uses = files.read(engine.portable / kUses);
  if (!uses)
    return Error{fmt::format("{} holds no engine for other machines: run `ninja -C build`",
                             engine.portable.string())};
  std::set<fs::path> wanted;
  list_shared(engine.portable, "", wanted);
  for (const std::string& slug : slugs) {
    for (const char* name : {"oracle-{}", "driver-{}.o", "driver-{}.o.key"})
      wanted.insert(kCompiled / fmt::format(fmt::runtime(name), slug));
  }
  add_libraries(*uses, wanted);
  FileTree tree;
  for (const fs::path& path : wanted) {
    Result<std::string> bytes = files.read(engine.portable / path);
    if (!bytes) return bytes.error();
    tree[kInHandout / path] = std::move(*bytes);
  }
  return tree;
}

}  // namespace warpgrade
