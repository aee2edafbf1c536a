// SPDX-License-Identifier: MIT
#include "pipeline/oracle_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kLargestFileBytes = size_t{1} << 30;  // cases for a GPU have arrays of 128 MiB
constexpr int kTries = 3;  // where the machine stops the oracle, which is our own program

/// Why a program ended before it could say anything.
std::string why_silent(const fs::path& program, int code) {
  if (::access(program.c_str(), X_OK) != 0)
    return fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno));
  return fmt::format("it ended with status {} and said nothing", code);
}

std::string why_failed(const fs::path& program, const ProcessOutcome& outcome) {
  switch (outcome.ending) {
    case Ending::kSystemError:
      return std::string(trim(outcome.error));
    case Ending::kSignalled:
      return fmt::format("signal {} ended it", outcome.code);
    case Ending::kTimedOut:
      return fmt::format("it was stopped after {} ms", outcome.wall_ms);
    case Ending::kMemoryExceeded:
      return fmt::format("it was stopped when it held {} bytes", outcome.max_rss_bytes);
    case Ending::kOutputExceeded:
      return "it wrote too much";
    case Ending::kExited:
      break;
  }
  const std::string said(trim(outcome.err));
  return said.empty() ? why_silent(program, outcome.code) : said;
}

}  // namespace

Status OracleProgram::call(const std::string& verb, const RunStep& step, const fs::path& folder,
                           std::optional<uint64_t> seed) const {
  Command command;
  command.argv = {program_.string(), verb, folder.string(), "--family", step.family};
  if (seed) command.argv.insert(command.argv.end(), {"--seed", std::to_string(*seed)});
  for (const auto& [name, value] : step.values)
    command.argv.push_back(fmt::format("{}={}", name, value));
  command.environment = {{"LC_ALL", "C"}, {"OPENBLAS_NUM_THREADS", "1"}};
  command.limits.wall_ms = 60'000;
  command.limits.cpu_s = 60;
  command.limits.file_bytes = kLargestFileBytes;
  ProcessOutcome outcome;
  for (int attempt = 0; attempt < kTries && outcome.ending != Ending::kExited; ++attempt)
    outcome = trusted_.run(command);
  if (outcome.succeeded()) return {};
  return Error{fmt::format("{} {} failed for case '{}': {}", program_.filename().string(), verb,
                           step.case_id, why_failed(program_, outcome))};
}

}  // namespace warpgrade
