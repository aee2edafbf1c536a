// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// The driver ends with status 98 where it cannot write an output, and the loader with 127 where it
// cannot resolve a symbol. The student's code runs in the same process and can do either. So the
// status alone decides nothing: what lies outside of the process does, the disk and the loader.
#include "run/machine_trouble.h"

#include <fmt/format.h>

#include "base/text.h"
#include "sandbox/disk_use.h"

namespace warpgrade {
namespace {

constexpr int kLoaderFailed = 127;
#ifdef __aarch64__
constexpr const char* kLoader = "/lib/ld-linux-aarch64.so.1";
#else
constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";
#endif

}  // namespace

std::string disk_trouble(const RunResult& run, const fs::path& folder) {
  const ProcessOutcome& process = run.process;
  const bool ended = process.ending == Ending::kExited || process.ending == Ending::kSignalled;
  const bool is_torn = !run.trace.empty() && run.trace.back() != '\n';
  if (!ended || (process.succeeded() && !is_torn && run.unreadable.empty())) return "";
  if (!process.disk_was_full && !refuses_files(folder)) return "";
  return fmt::format("the disk that holds {} was full while the program ran", folder.string());
}

std::string loader_trouble(const ProcessOutcome& ended, Command command, Room& room) {
  if (ended.ending != Ending::kExited || ended.code != kLoaderFailed) return "";
  command.argv = {kLoader, "--list", command.argv.front()};
  command.environment["LD_BIND_NOW"] = "1";
  command.environment["LD_WARN"] = "1";
  const ProcessOutcome listed = room.run(command);
  if (listed.ending == Ending::kSystemError) return listed.error;
  for (const std::string& line : split(listed.out + listed.err, '\n')) {
    const bool is_missing = line.find("undefined symbol") != std::string::npos ||
                            line.find("not found") != std::string::npos;
    if (is_missing || (!listed.succeeded() && !line.empty()))
      return fmt::format("the program cannot be loaded on this machine: {}",
                         printable(trim(line.substr(0, 200))));
  }
  return "";
}

}  // namespace warpgrade
