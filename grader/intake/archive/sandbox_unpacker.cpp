// SPDX-License-Identifier: MIT
#include "intake/archive/sandbox_unpacker.h"

#include <fmt/format.h>

#include "base/copy_program.h"
#include "base/remove_tree.h"
#include "base/text.h"
#include "intake/archive/record.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr const char* kProgram = "warpgrade-unpack";
constexpr const char* kMoreLibraries = "more-libs";
constexpr size_t kMostOutBytes = size_t{700} << 20;
constexpr std::chrono::seconds kPatience{10};

ProcessLimits limits_of(int levels) {
  ProcessLimits limits;
  limits.wall_ms = levels > 1 ? 300'000 : 60'000;
  limits.cpu_s = levels > 1 ? 300 : 60;
  limits.memory_bytes = size_t{3} << 30;
  limits.file_bytes = kMostOutBytes;
  limits.processes = 8;
  return limits;
}

/// Why the archive's program ended as it did: too much for the limits is the archive's fault.
void explain(const ProcessOutcome& outcome, UnpackedArchive& unpacked) {
  if (outcome.ending == Ending::kTimedOut)
    unpacked.refusal = {"intake.unpacks_too_long"};
  else if (outcome.ending == Ending::kMemoryExceeded || outcome.ending == Ending::kOutputExceeded)
    unpacked.refusal = {"intake.unpacks_too_large"};
  else
    unpacked.system_error = fmt::format("{} failed: {}", kProgram,
                                        outcome.ending == Ending::kSignalled
                                            ? fmt::format("signal {}", outcome.code)
                                            : printable(trim(outcome.error + outcome.err)));
}

}  // namespace

Result<std::unique_ptr<SandboxUnpacker>> SandboxUnpacker::make(const Sandbox& sandbox,
                                                               const fs::path& program,
                                                               const fs::path& folder,
                                                               std::vector<std::string> keep) {
  std::unique_ptr<SandboxUnpacker> unpacker(new SandboxUnpacker(sandbox, folder, std::move(keep)));
  if (Status copied = copy_program(program, unpacker->parts() / kProgram); !copied)
    return copied.error();
  // An installed engine keeps libarchive apart from what every grading needs.
  const fs::path more = program.parent_path() / kMoreLibraries;
  std::error_code failed;
  if (fs::is_directory(more, failed))
    fs::copy(more, unpacker->parts() / kMoreLibraries, fs::copy_options::recursive, failed);
  if (failed && failed != std::errc::no_such_file_or_directory)
    return Error{fmt::format("cannot copy {}: {}", more.string(), failed.message())};
  return unpacker;
}

UnpackedArchive SandboxUnpacker::unpack(const std::string& bytes, int levels, int slot) const {
  UnpackedArchive unpacked;
  const fs::path room = folder_ / fmt::format("slot-{}", slot);
  const fs::path archive = room / "archive", out = room / "out";
  remove_tree(room, kPatience);
  std::error_code failed;
  fs::create_directories(out, failed);
  const Status written = RealFiles().write(archive, bytes);
  if (failed || !written || !sandbox_.hand_over(out, slot)) {
    unpacked.system_error =
        written ? fmt::format("cannot make {}", out.string()) : written.error().message;
    return unpacked;
  }
  Command command;
  command.argv = {(parts() / kProgram).string(), archive.string(), (out / "found").string(),
                  std::to_string(levels)};
  command.argv.insert(command.argv.end(), keep_.begin(), keep_.end());
  command.environment = {{"LC_ALL", "C.UTF-8"}};
  command.readable = {parts(), archive};
  command.writable = {out};
  command.limits = limits_of(levels);
  command.slot = slot;
  const ProcessOutcome outcome = sandbox_.run(command);
  if (!outcome.succeeded()) {
    explain(outcome, unpacked);
  } else if (const Result<std::string> found = read_untrusted(out / "found", kMostOutBytes);
             !found) {
    unpacked.system_error = found.error().message;
  } else if (Result<UnpackedArchive> parsed = parse_unpacked(*found); !parsed) {
    unpacked.system_error = parsed.error().message;
  } else {
    unpacked = std::move(*parsed);
  }
  remove_tree(room, kPatience);
  return unpacked;
}

}  // namespace warpgrade
