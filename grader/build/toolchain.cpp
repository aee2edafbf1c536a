// SPDX-License-Identifier: MIT
#include "build/toolchain.h"

#include <fmt/format.h>

#include "base/text.h"

namespace warpgrade {
namespace {

/// PTX for the lowest capability that nvcc 13 knows runs on every device since; -lineinfo names the student's lines.
constexpr const char* kFlags[] = {"-std=c++20", "-O2",      "-lineinfo",
                                  "-cudart",    "shared",   "-Xcompiler",
                                  "-pipe",      "-gencode", "arch=compute_75,code=compute_75"};

std::vector<fs::path> candidates(const std::string& cuda_home, const std::string& search_path) {
  std::vector<fs::path> roots;
  if (!cuda_home.empty()) roots.emplace_back(cuda_home);
  for (const std::string& folder : split(search_path, ':')) {
    if (!folder.empty()) roots.push_back(fs::path(folder) / "..");
  }
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

}  // namespace

std::vector<std::string> Toolchain::compile_argv(const std::string& source,
                                                 const std::string& object,
                                                 const fs::path& includes) const {
  std::vector<std::string> argv = {nvcc().string()};
  argv.insert(argv.end(), std::begin(kFlags), std::end(kFlags));
  argv.insert(argv.end(), {"-I" + includes.string(), "-c", source, "-o", object});
  return argv;
}

// g++ in place of nvcc: without relocatable device code there is nothing to link for the device, and it is four times as fast.
std::vector<std::string> Toolchain::link_argv(const std::vector<std::string>& objects,
                                              const std::string& program) const {
  std::vector<std::string> argv = {"/usr/bin/g++", "-o", program};
  argv.insert(argv.end(), objects.begin(), objects.end());
  argv.insert(argv.end(), {"-L" + (root / "lib64").string(), "-lcudart", "-ldl"});
  return argv;
}

std::map<std::string, std::string> Toolchain::environment(const fs::path& temporary) const {
  return {{"PATH", (root / "bin").string() + ":/usr/bin:/bin"},
          {"TMPDIR", temporary.string()},
          {"HOME", temporary.string()},
          {"LC_ALL", "C"}};
}

Result<Toolchain> find_toolchain(const Sandbox& trusted, const std::string& cuda_home,
                                 const std::string& search_path) {
  for (const fs::path& root : candidates(cuda_home, search_path)) {
    std::error_code missing;
    const fs::path nvcc = fs::canonical(root / "bin" / "nvcc", missing);
    if (missing) continue;
    Toolchain toolchain{nvcc.parent_path().parent_path(), ""};
    Command command;
    command.argv = {nvcc.string(), "--version"};
    command.environment = toolchain.environment("/tmp");
    const ProcessOutcome outcome = trusted.run(command);
    if (!outcome.succeeded())
      return Error{fmt::format("{} --version does not work: {}{}", nvcc.string(), outcome.error,
                               outcome.err)};
    toolchain.version = split(trim(outcome.out), '\n').back();
    return toolchain;
  }
  return Error{
      "nvcc was not found: install the CUDA Toolkit 13 and put its bin folder on PATH, or set "
      "CUDA_HOME to the toolkit's folder"};
}

}  // namespace warpgrade
