// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "course/handout.h"
#include "pipeline/driver.h"
#include "pipeline/oracle.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

const fs::path kInHandout = "engine";
// What belongs to single assignments, and the libraries that not every program loads.
const fs::path kCompiled = "lib/warpgrade/assignments",
               kLibraries[] = {"lib/warpgrade/libs", "lib/warpgrade/more-libs"};
// For the staff.
const fs::path kStaff[] = {"share/warpgrade/grader/course",
                           "share/warpgrade/grader/check",
                           "share/warpgrade/docs/add-an-assignment.md",
                           "share/warpgrade/docs/rubric.md",
                           "share/man",
                           "share/bash-completion",
                           "share/zsh",
                           "share/fish",
                           "lib/warpgrade/warpgrade-zip",
                           "lib/warpgrade/warpgrade-unpack",
                           "lib/warpgrade/libwarpgrade-oracle.a"};

bool is_for_everybody(const fs::path& path) {
  const auto is_among = [&path](const auto& folders) {
    return std::find(std::begin(folders), std::end(folders), path) != std::end(folders);
  };
  return path != kCompiled && !is_among(kLibraries) && !is_among(kStaff);
}

/// Adds every file below prefix / `folder` that every student needs, relative to the prefix.
Status take_shared(const fs::path& prefix, const fs::path& folder, FileTree& tree) {
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(prefix / folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const fs::path path = folder / name;
    if (!is_for_everybody(path)) continue;
    if (files.is_folder(prefix / path)) {
      if (Status taken = take_shared(prefix, path, tree); !taken) return taken;
      continue;
    }
    Result<std::string> bytes = files.read(prefix / path);
    if (!bytes) return bytes.error();
    tree[path] = std::move(*bytes);
  }
  return {};
}

/// The assignment's oracle without its debug information, and its driver with the key that it is known by.
Status take_compiled(const Installation& installation, const std::string& slug,
                     const fs::path& folder, FileTree& tree) {
  const Result<fs::path> oracle = oracle_of(installation, slug);
  if (!oracle) return oracle.error();
  const fs::path program = folder / ("oracle-" + slug), driver = folder / ("driver-" + slug + ".o");
  Command strip;
  strip.argv = {"/usr/bin/strip", "-o", program.string(), oracle->string()};
  if (const ProcessOutcome done = installation.trusted.run(strip); !done.succeeded())
    return Error{fmt::format("strip {}: {}", oracle->string(), trim(done.error + done.err))};
  if (Status made = prebuild_driver(installation, slug, driver); !made) return made;
  for (const fs::path& file : {program, driver, fs::path(driver.string() + ".key")}) {
    Result<std::string> bytes = RealFiles().read(file);
    if (!bytes) return bytes.error();
    tree[kCompiled / file.filename()] = std::move(*bytes);
  }
  return {};
}

/// Names of the libraries that a program loads, its libraries' own included.
std::vector<std::string> libraries_of(const Sandbox& trusted, const fs::path& program) {
  Command command;
  command.argv = {"/usr/bin/ldd", program.string()};
  command.environment = {{"LC_ALL", "C"}, {"PATH", "/usr/bin:/bin"}};
  std::vector<std::string> names;
  for (const std::string& line : split(trim(trusted.run(command).out), '\n'))
    names.push_back(split(trim(line), ' ').front());
  return names;
}

/// Adds those libraries of the engine that programs below `folder` load.
Status take_libraries(const Installation& installation, const fs::path& folder, FileTree& tree) {
  const fs::path& prefix = installation.paths.engine.portable;
  const RealFiles files;
  std::set<fs::path> wanted;
  for (const auto& [path, bytes] : tree) {
    if (!is_executable(bytes)) continue;
    for (const std::string& name : libraries_of(installation.trusted, folder / path)) {
      for (const fs::path& libraries : kLibraries)
        if (!name.empty() && files.exists(prefix / libraries / name))
          wanted.insert(libraries / name);
    }
  }
  for (const fs::path& library : wanted) {
    Result<std::string> bytes = files.read(prefix / library);
    if (!bytes) return bytes.error();
    tree[library] = std::move(*bytes);
  }
  return {};
}

}  // namespace

Result<FileTree> engine_files(const Installation& installation,
                              const std::vector<std::string>& slugs) {
  const fs::path& prefix = installation.paths.engine.portable;
  if (!RealFiles().is_folder(prefix / kLibraries[0]))
    return Error{fmt::format("{} holds no engine to hand out: run `meson compile -C build engine`",
                             prefix.string())};
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  FileTree tree;
  if (Status taken = take_shared(prefix, "", tree); !taken) return taken.error();
  for (const std::string& slug : slugs) {
    Status taken = take_compiled(installation, slug, (*workspace)->folder(), tree);
    if (!taken) return taken.error();
  }
  // Where they will lie, since a program says where it looks relative to its own place.
  const fs::path laid_out = (*workspace)->folder() / "engine";
  if (Status written = write_tree(tree, laid_out); !written) return written.error();
  if (Status taken = take_libraries(installation, laid_out, tree); !taken) return taken.error();
  FileTree below;
  for (auto& [path, bytes] : tree) below[kInHandout / path] = std::move(bytes);
  return below;
}

}  // namespace warpgrade
