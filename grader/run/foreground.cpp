// SPDX-License-Identifier: MIT
#include "run/foreground.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <thread>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Seconds after which people ask themselves whether a kernel ever ends.
constexpr const char* kNoticeAfterS = "5";

/// Where the program lies: as given, or along PATH where it is a bare name.
std::string locate(const Files& files, const std::string& name) {
  if (name.find('/') != std::string::npos || files.exists(name))
    return name.find('/') == std::string::npos ? "./" + name : name;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (files.exists(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  return name;
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) ::setenv(name, value.c_str(), 1);
}

/// Waits for the program's device, which a crash of the program leaves to this process; not for ever, because the
/// program may have started daemons, too.
void wait_for_the_rest() {
  using namespace std::chrono_literals;
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(1ms);
}

bool uses_runtime(const std::vector<std::string>& needed) {
  return std::ranges::any_of(
      needed, [](const std::string& name) { return name.starts_with("libcudart.so"); });
}

/// A library with kernels that the program opens, or a program that it starts, may use the shared runtime. Kernels of the
/// program's own use one that is linked into it.
bool may_load_later(const ElfFile& elf) { return elf.is_dynamic && !elf.has_device_code; }

bool uses_driver(const std::vector<std::string>& needed) {
  return std::ranges::any_of(
      needed, [](const std::string& name) { return name.starts_with("libcuda.so"); });
}

}  // namespace

Result<ElfFile> program_at(const Files& files, const fs::path& path) {
  if (path.extension() == ".cu" && files.exists(path))
    return Error{
        fmt::format("{} is source code; compile it, and run the program: nvcc -cudart "
                    "shared -lineinfo -o {} {}",
                    path.string(), path.stem().string(), path.string())};
  Result<ElfFile> elf = read_elf(files, path);
  if (elf) return elf;
  const Result<std::string> text = files.read(path);
  const bool is_script = text && text->starts_with("#!");
  // Its interpreter loads libraries.
  return is_script ? Result<ElfFile>(ElfFile{.is_dynamic = true}) : elf.error();
}

Result<fs::path> library_for(const Files& files, const fs::path& program, const ElfFile& elf,
                             const std::vector<std::string>& needed,
                             const std::vector<fs::path>& ours) {
  const auto cudart = std::find_if(needed.begin(), needed.end(), [](const std::string& name) {
    return name.rfind("libcudart.so", 0) == 0;
  });
  // The driver API comes with the newest of the runtimes.
  if (cudart == needed.end() && uses_driver(needed) && !ours.empty()) return ours.front();
  if (cudart == needed.end()) {
    if (may_load_later(elf) && !ours.empty()) return ours.front();
    return Error{
        fmt::format("{} does not use the shared CUDA runtime: build with nvcc -cudart shared",
                    program.string())};
  }
  std::vector<std::string> names;
  for (const fs::path& library : ours) {
    names.push_back(library.filename());
    if (*cudart != library.filename()) continue;
    if (!files.exists(library)) return Error{fmt::format("{} is missing", library.string())};
    return library;
  }
  return Error{
      fmt::format("{} uses {}, and the emulated device stands in for {}: build with a CUDA that "
                  "has one of these",
                  program.string(), *cudart, join(names, ", "))};
}

std::vector<std::string> not_in_folder(const Files& files, const std::vector<std::string>& names,
                                       const fs::path& folder) {
  std::vector<std::string> lacking;
  std::ranges::copy_if(names, std::back_inserter(lacking),
                       [&](const std::string& name) { return !files.exists(folder / name); });
  return lacking;
}

std::string without_gpu(const fs::path& program, const std::vector<std::string>& needed,
                        bool has_driver) {
  constexpr std::string_view kOfGpu[] = {"libcublas",   "libcufft",    "libcurand", "libcusparse",
                                         "libcusolver", "libcudnn.so", "libnpp",    "libnccl"};
  if (uses_driver(needed) && !has_driver)
    return fmt::format("{} uses libcuda.so, which is emulated for programs of CUDA 13 only",
                       program.string());
  for (const std::string& name : needed) {
    if (std::ranges::any_of(kOfGpu, [&](std::string_view each) { return name.starts_with(each); }))
      return fmt::format(
          "{} uses {}, which needs a GPU: of CUDA, the runtime and the driver API are emulated",
          program.string(), name);
  }
  return "";
}

std::string without_runtime(const fs::path& program) {
  return fmt::format(
      "{} does not use the shared CUDA runtime itself; what it opens or starts runs on the "
      "emulated device where nvcc -cudart shared has built it",
      program.string());
}

Result<int> run_to_end(const ForegroundProgram& program) {
  constexpr int kCannotStart = 99;
  // Ctrl-C is meant for the program, which says where it was; what it leaves is still to be reported.
  ::signal(SIGINT, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  if (child < 0) return Error{fmt::format("cannot fork: {}", std::strerror(errno))};
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);
    fmt::print(stderr, "{}\n", become(program).message);
    ::_exit(kCannotStart);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error{fmt::format("cannot wait: {}", std::strerror(errno))};
  }
  wait_for_the_rest();
  ::signal(SIGINT, SIG_DFL);
  return status;
}

Error become(const ForegroundProgram& program) {
  const RealFiles files;
  const std::string path = locate(files, program.argv.at(0));
  const Result<ElfFile> elf = program_at(files, path);
  if (!elf) return elf.error();
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::vector<std::string> libraries =
      all_needed(files, path, *elf, before == nullptr ? "" : before);
  const Result<fs::path> library =
      library_for(files, path, *elf, libraries, program.device_libraries);
  if (!library) return library.error();
  const fs::path driver = library->parent_path() / "driver";
  const bool has_driver =
      *library == program.device_libraries.front() && files.exists(driver / "libcuda.so.1");
  const std::vector<std::string> lacking =
      has_driver ? not_in_folder(files, libraries, driver) : libraries;
  const bool is_known = uses_runtime(libraries) || uses_driver(libraries);
  const std::string warning =
      is_known ? without_gpu(path, lacking, has_driver) : without_runtime(path);
  if (!warning.empty()) fmt::print(stderr, "{}\n", warning);
  std::vector<std::string> folders = {library->parent_path().string()};
  if (has_driver) folders.push_back(driver.string());
  for (const fs::path& other : program.device_libraries) {
    if (!is_known && other != *library) folders.push_back(other.parent_path().string());
  }
  const std::string ours = join(folders, ":");
  set("LD_LIBRARY_PATH", before == nullptr || *before == '\0' ? ours : ours + ":" + before);
  set("NVTX_INJECTION64_PATH", library->string());
  set("WARPGRADE_DEVICES", program.devices);
  set("WARPGRADE_CHECK", program.checkers);
  set("WARPGRADE_METRICS", program.metrics);
  set("WARPGRADE_METRICS_FILE", program.metrics_file);
  set("WARPGRADE_LANGUAGE", program.language);
  set("WARPGRADE_ORDER", program.order);
  set("WARPGRADE_INSTRUCTION_LIMIT", program.instruction_limit);
  set("WARPGRADE_TIME_LIMIT", program.time_limit);
  set("WARPGRADE_ERROR_EXITCODE", program.error_exit_code);
  set("WARPGRADE_TIMELINE", program.timeline);
  set("WARPGRADE_TRACE", program.record);
  if (!program.is_plain) {
    set("WARPGRADE_SUMMARY", "1");
    ::setenv("WARPGRADE_NOTICE", kNoticeAfterS, 0);
  }
  std::vector<char*> argv;
  for (const std::string& word : program.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  return {fmt::format("cannot run {}: {}", path, std::strerror(errno))};
}

}  // namespace warpgrade
