// SPDX-License-Identifier: MIT
#include "build/toolchain.h"

#include <fmt/format.h>

#include "base/text.h"
#include "build/contract.h"

namespace warpgrade {
namespace {

/// PTX for the lowest capability that nvcc 13 knows runs on every device since. Machine code for that capability proves
/// that ptxas takes it. -lineinfo names the student's lines on the device, -g1 those on the host.
/// A symbol of the binding "unique" stays global whatever objcopy does.
constexpr const char* kFlags[] = {"-O2",        "-lineinfo",
                                  "-cudart",    "shared",
                                  "-Xcompiler", "-pipe,-fno-gnu-unique,-g1",
                                  "-gencode",   "arch=compute_75,code=[compute_75,sm_75]"};

constexpr const char* kCompiler = "/usr/bin/g++";

constexpr const char* kPtxOfAll = "compute_75";

/// The first toolkit whose nvcc compiles C++20.
constexpr int kFirstWithCpp20 = 12;

/// A distribution's package spreads the toolkit over the folders of /usr and keeps the compiler's own files here.
constexpr const char* kDistributionsPart = "lib/nvidia-cuda-toolkit";

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
/// A distribution's nvcc names the folder of its libdevice alone.
fs::path toolkit_root(const Sandbox& trusted, const fs::path& nvcc) {
  const ProcessOutcome outcome =
      ask(trusted, {nvcc.string(), "--dryrun", "-x", "cu", "-E", "/dev/null"});
  constexpr std::string_view kTop = "#$ TOP=", kLibdevice = "#$ NVVMIR_LIBRARY_DIR=";
  fs::path root;
  for (const std::string& line : split(outcome.err, '\n')) {
    std::error_code missing;
    if (line.starts_with(kTop)) return fs::canonical(trim(line.substr(kTop.size())), missing);
    if (!line.starts_with(kLibdevice)) continue;
    const fs::path own = fs::path(trim(line.substr(kLibdevice.size()))).parent_path();
    if (own.string().ends_with(kDistributionsPart))
      root = fs::canonical(own.parent_path().parent_path(), missing);
  }
  return root;
}

/// Where a toolkit may keep a part: below one folder, or where the packages of Debian and Ubuntu have it.
struct Part {
  std::vector<const char*> places;

  /// The first place that there is; empty where there is none.
  fs::path find(const fs::path& root) const {
    std::error_code ignored;
    for (const char* place : places) {
      if (fs::exists(root / place, ignored)) return root / place;
    }
    return {};
  }
};

const Part kRuntime = {{"lib64/libcudart.so", "lib/x86_64-linux-gnu/libcudart.so",
                        "lib/aarch64-linux-gnu/libcudart.so"}};

/// What of a toolkit a compilation needs beside nvcc; a half installed one lacks some.
const Part kParts[] = {{{"bin/ptxas"}},
                       {{"nvvm/bin/cicc", "lib/nvidia-cuda-toolkit/bin/cicc"}},
                       {{"include/cuda_runtime.h"}},
                       kRuntime};

std::string missing_parts(const fs::path& root) {
  std::vector<std::string> missing;
  for (const Part& part : kParts) {
    if (part.find(root).empty()) missing.emplace_back(part.places.front());
  }
  return join(missing, ", ");
}

bool is_distributions(const fs::path& root) {
  std::error_code ignored;
  return fs::exists(root / kDistributionsPart, ignored);
}

int major_of(const Toolchain& toolchain) {
  const std::string release = toolchain.release();
  return release.empty() ? kFirstWithCpp20 : std::stoi(release);
}

const char* standard_of(const Toolchain& toolchain) {
  return major_of(toolchain) < kFirstWithCpp20 ? "-std=c++17" : "-std=c++20";
}

}  // namespace

// "Build cuda_11.8.r11.8/compiler.31833905_0"
std::string Toolchain::release() const {
  constexpr std::string_view kMark = "cuda_";
  const size_t mark = version.find(kMark);
  if (mark == std::string::npos) return "";
  const std::string number = version.substr(mark + kMark.size());
  const size_t end = number.find(".r");
  const bool is_number = end != std::string::npos && end > 0 &&
                         number.find_first_not_of("0123456789.") >= end && number[0] != '.';
  return is_number ? number.substr(0, end) : "";
}

// CUDA 11 has kept the library name of its first release.
std::string Toolchain::runtime_library() const {
  const int major = major_of(*this);
  return major == 11 ? "libcudart.so.11.0" : fmt::format("libcudart.so.{}", major);
}

std::vector<fs::path> Toolchain::readable() const {
  if (root != "/usr" && !root.string().starts_with("/usr/")) return {root};
  const fs::path profile = "/etc/nvcc.profile";
  std::error_code ignored;
  return is_distributions(root) && fs::exists(profile, ignored) ? std::vector{profile}
                                                                : std::vector<fs::path>();
}

std::vector<std::string> Toolchain::compile_argv(const std::string& source,
                                                 const std::string& object,
                                                 const fs::path& includes,
                                                 const std::vector<std::string>& code) const {
  std::vector<std::string> argv = {nvcc().string(), standard_of(*this)};
  argv.insert(argv.end(), std::begin(kFlags), std::end(kFlags));
  for (const std::string& each : code) {
    if (each == kPtxOfAll) continue;
    const std::string arch = each.substr(each.find('_') + 1);
    argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{},code={}", arch, each)});
  }
  argv.insert(argv.end(), {"-I" + includes.string(), "-c", source, "-o", object});
  return argv;
}

std::vector<std::string> Toolchain::compile_host_argv(const std::string& source,
                                                      const std::string& object,
                                                      const fs::path& includes) const {
  std::vector<std::string> argv = {kCompiler,          "-x",  "c++",
                                   standard_of(*this), "-O2", "-pipe",
                                   "-fno-gnu-unique",  "-g1", "-I" + includes.string()};
  // g++ has those of a distribution's toolkit among its own.
  if (root != "/usr") argv.insert(argv.end(), {"-isystem", (root / "include").string()});
  argv.insert(argv.end(), {"-include", "cuda_runtime.h", "-c", source, "-o", object});
  return argv;
}

// g++ in place of nvcc: without relocatable device code there is nothing to link for the device, and it is four times as fast.
std::vector<std::string> Toolchain::link_argv(const std::vector<std::string>& objects,
                                              const std::string& program,
                                              const std::string& linker) const {
  std::vector<std::string> argv = {kCompiler, "-fno-use-linker-plugin", "-Wl,-z,noexecstack", "-o",
                                   program};
  if (!linker.empty()) argv.push_back("-fuse-ld=" + linker);
  argv.insert(argv.end(), objects.begin(), objects.end());
  argv.insert(argv.end(), {"-L" + libraries.string(), "-lcudart", "-ldl"});
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
  // A call of the driver's has no line that a student could look at.
  return {kObjcopy,
          "--strip-debug",
          "--add-section=" + section + '=' + contract,
          "--set-section-flags=" + section + "=exclude",
          driver,
          product};
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
          fmt::format("the CUDA Toolkit in {} is not whole, it lacks {}: install the package {}, "
                      "or let CUDA_HOME name a whole toolkit",
                      root.string(), missing,
                      is_distributions(root) ? "nvidia-cuda-toolkit" : "cuda-toolkit-13-0")};
    return Toolchain{root, split(trim(outcome.out), '\n').back(), quick_linker(),
                     kRuntime.find(root).parent_path()};
  }
  return Error{
      "nvcc was not found: install a CUDA Toolkit from 11.8 to 13 and put its bin folder on PATH, "
      "or set CUDA_HOME to the toolkit's folder"};
}

}  // namespace warpgrade
