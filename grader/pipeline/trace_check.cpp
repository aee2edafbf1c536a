// SPDX-License-Identifier: MIT
#include "pipeline/trace_check.h"

#include <fmt/format.h>

#include "base/text.h"
#include "observe/tool_command.h"
#include "observe/trace.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kTraceBytes = size_t{1} << 20;

std::string bad_end(const ProcessOutcome& outcome) {
  switch (outcome.ending) {
    case Ending::kSystemError:
      return outcome.error;
    case Ending::kTimedOut:
      return fmt::format("a program that is traced did not end within {} s",
                         outcome.wall_ms / 1000);
    case Ending::kSignalled:
      return fmt::format("a program that is traced crashed with signal {}", outcome.code);
    default:
      return outcome.succeeded()
                 ? ""
                 : "a program that is traced failed: " + last_said(outcome.out + outcome.err);
  }
}

}  // namespace

std::string tracing_trouble(const Sandbox& sandbox, const GpuTools& tools, const Gpu& gpu,
                            const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !sandbox.hand_over(folder, 0))
    return fmt::format("cannot make {}", folder.string());
  const ProcessOutcome outcome = sandbox.run(traced_check(tools, gpu, folder));
  const Result<std::string> text = read_untrusted(folder / "trace.jsonl", kTraceBytes);
  const Result<Trace> trace = parse_trace(text ? *text : "");
  // What the tracing library says of itself says most.
  if (!trace) return trace.error().message;
  if (const std::string end = bad_end(outcome); !end.empty()) return end;
  if (trace->source != "gpu")
    return "nothing was recorded: the driver did not load the tracing library";
  return trace->calls.empty() ? "no call of the program was recorded" : "";
}

}  // namespace warpgrade
