// SPDX-License-Identifier: MIT
#include "build/toolchain.h"

#include <fmt/format.h>

#include "base/text.h"
#include "build/contract.h"

namespace warpgrade {
namespace {

/// PTX for the lowest capability that nvcc 13 knows runs on every device since; -lineinfo names the student's lines.
/// A symbol of the binding "unique" stays global whatever objcopy does.
constexpr const char* kFlags[] = {"-std=c++20",
                                  "-O2",
                                  "-lineinfo",
                                  "-cudart",
                                  "shared",
                                  "-Xcompiler",
                                  "-pipe,-fno-gnu-unique",
                                  "-gencode",
                                  "arch=compute_75,code=compute_75"};

constexpr const char* kPtxOfAll = "compute_75";

/// gold takes a third of the time of g++'s default, of which linking the class is a twentieth.
std::string quick_linker() {
  std::error_code missing;
  return fs::exists("/usr/bin/ld.gold", missing) ? "gold" : "";
}

std::vector<fs::path> candidates(const std::string& cuda_home, const std::string& search_path) {
  std::vector<fs::path> found;
  if (!cuda_home.empty()) found.push_back(fs::path(cuda_home) / "bin" / "nvcc");
  for (const std::string& folder : split(search_path, ':')) {
    if (!folder.empty()) found.push_back(fs::path(folder) / "nvcc");
  }
  found.emplace_back("/usr/local/cuda/bin/nvcc");
  return found;
}

ProcessOutcome ask(const Sandbox& trusted, std::vector<std::string> argv) {
  Command command;
  command.argv = std::move(argv);
  command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}};
  return trusted.run(command);
}

/// The folder that nvcc itself names: the one on PATH may be a link or a script elsewhere. Empty where it names none.
fs::path toolkit_root(const Sandbox& trusted, const fs::path& nvcc) {
  const ProcessOutcome outcome =
      ask(trusted, {nvcc.string(), "--dryrun", "-x", "cu", "-E", "/dev/null"});
  constexpr std::string_view kTop = "#$ TOP=";
  for (const std::string& line : split(outcome.err, '\n')) {
    std::error_code missing;
    if (line.starts_with(kTop)) return fs::canonical(trim(line.substr(kTop.size())), missing);
  }
  return {};
}

/// What of a toolkit a compilation needs beside nvcc; a half installed one lacks some.
constexpr const char* kParts[] = {"bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h",
                                  "lib64/libcudart.so"};

std::string missing_parts(const fs::path& root) {
  std::vector<std::string> missing;
  std::error_code ignored;
  for (const char* part : kParts) {
    if (!fs::exists(root / part, ignored)) missing.emplace_back(part);
  }
  return join(missing, ", ");
}

}  // namespace

std::vector<std::string> Toolchain::compile_argv(const std::string& source,
                                                 const std::string& object,
                                                 const fs::path& includes,
                                                 const std::vector<std::string>& code) const {
  std::vector<std::string> argv = {nvcc().string()};
  argv.insert(argv.end(), std::begin(kFlags), std::end(kFlags));
  for (const std::string& each : code) {
    if (each == kPtxOfAll) continue;
    const std::string arch = each.substr(each.find('_') + 1);
    argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{},code={}", arch, each)});
  }
  argv.insert(argv.end(), {"-I" + includes.string(), "-c", source, "-o", object});
  return argv;
}

// g++ in place of nvcc: without relocatable device code there is nothing to link for the device, and it is four times as fast.
std::vector<std::string> Toolchain::link_argv(const std::vector<std::string>& objects,
                                              const std::string& program,
                                              const std::string& linker) const {
  std::vector<std::string> argv = {"/usr/bin/g++", "-fno-use-linker-plugin", "-Wl,-z,noexecstack",
                                   "-o", program};
  if (!linker.empty()) argv.push_back("-fuse-ld=" + linker);
  argv.insert(argv.end(), objects.begin(), objects.end());
  argv.insert(argv.end(), {"-L" + (root / "lib64").string(), "-lcudart", "-ldl"});
  return argv;
}

// By name: its words are read.
std::vector<std::string> Toolchain::contract_argv(const std::string& driver,
                                                  const std::string& program) const {
  std::vector<std::string> argv = link_argv({driver}, program, "bfd");
  argv.insert(argv.end(), {"-Wl,--no-demangle", "-Wl,--warn-unresolved-symbols"});
  return argv;
}

std::vector<std::string> Toolchain::embed_argv(const std::string& contract,
                                               const std::string& driver,
                                               const std::string& product) const {
  const std::string section = kContractSection;
  return {kObjcopy, "--add-section=" + section + '=' + contract,
          "--set-section-flags=" + section + "=exclude", driver, product};
}

// A linker takes one copy of each group of sections, whichever object it comes from.
std::vector<std::string> Toolchain::isolate_argv(const std::string& contract,
                                                 const std::string& object,
                                                 const std::string& product) const {
  return {kObjcopy, "--keep-global-symbols=" + contract, "--remove-section=.group", object,
          product};
}

std::map<std::string, std::string> Toolchain::environment(const fs::path& temporary) const {
  return {{"PATH", (root / "bin").string() + ":/usr/bin:/bin"},
          {"TMPDIR", temporary.string()},
          {"HOME", temporary.string()},
          {"LC_ALL", "C"}};
}

Result<Toolchain> find_toolchain(const Sandbox& trusted, const std::string& cuda_home,
                                 const std::string& search_path) {
  for (const fs::path& nvcc : candidates(cuda_home, search_path)) {
    std::error_code missing;
    if (!fs::exists(nvcc, missing)) continue;
    const ProcessOutcome outcome = ask(trusted, {nvcc.string(), "--version"});
    if (!outcome.succeeded())
      return Error{fmt::format("{} --version does not work: {}{}", nvcc.string(), outcome.error,
                               outcome.err)};
    const fs::path root = toolkit_root(trusted, nvcc);
    if (root.empty())
      return Error{fmt::format("{} --dryrun does not say where its toolkit is", nvcc.string())};
    if (const std::string missing = missing_parts(root); !missing.empty())
      return Error{
          fmt::format("the CUDA Toolkit in {} is not whole, it lacks {}: install the package "
                      "cuda-toolkit-13-0, "
                      "or let CUDA_HOME name a whole toolkit",
                      root.string(), missing)};
    return Toolchain{root, split(trim(outcome.out), '\n').back(), quick_linker()};
  }
  return Error{
      "nvcc was not found: install the CUDA Toolkit 13 and put its bin folder on PATH, or set "
      "CUDA_HOME to the toolkit's folder"};
}

}  // namespace warpgrade
