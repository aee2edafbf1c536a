// SPDX-License-Identifier: MIT
#include "commands/run_report.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include "base/text.h"
#include "commands/options.h"
#include "pipeline/workspace.h"
#include "report/run_page.h"

namespace warpgrade {
namespace {

constexpr int kSystemError = 99, kSignalBase = 128;

/// The first of the places where the file may lie; empty where it lies in none.
std::string find_source(const std::string& name, const fs::path& program) {
  if (name.empty()) return {};
  const RealFiles files;
  for (const fs::path& place : {fs::path(name), program.parent_path() / name}) {
    const Result<std::string> text = files.read(place);
    if (text) return *text;
  }
  return {};
}

/// The language of the device's findings.
std::string language_of(const ForegroundProgram& program) {
  if (!program.language.empty()) return program.language;
  const std::string asked = variable("WARPGRADE_LANGUAGE");
  return asked.empty() ? "en" : asked;
}

Result<ProgramRun> read_run(const ForegroundProgram& program, int status) {
  const RealFiles files;
  const bool is_signalled = WIFSIGNALED(status);
  ProgramRun run{join(program.argv, " "),
                 is_signalled ? 0 : WEXITSTATUS(status),
                 is_signalled ? WTERMSIG(status) : 0,
                 language_of(program),
                 {},
                 {}};
  const Result<std::string> record = files.read(program.record);
  if (!record) return Error{"the program made no CUDA call that says what it did"};
  Result<Trace> trace = parse_trace(*record);
  if (!trace) return trace.error();
  run.trace = std::move(*trace);
  // A program that was killed leaves no timeline.
  if (const Result<std::string> events = files.read(program.timeline)) {
    if (Result<std::vector<TimelineTrack>> tracks = read_timeline(*events))
      run.timeline = std::move(*tracks);
  }
  return run;
}

Status write_page(const ForegroundProgram& program, int status, const fs::path& page) {
  const Result<ProgramRun> run = read_run(program, status);
  if (!run) return run.error();
  const std::vector<std::string> names = files_of(run->trace);
  const std::string name = names.empty() ? "" : names.front();
  return RealFiles().write(page,
                           format_run_page(*run, name, find_source(name, program.argv.at(0))));
}

}  // namespace

int run_with_report(const ForegroundProgram& program, const fs::path& page) {
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) {
    fmt::print(stderr, "{}\n", workspace.error().message);
    return kSystemError;
  }
  ForegroundProgram watched = program;
  watched.record = (*workspace)->folder() / "record";
  if (watched.timeline.empty()) watched.timeline = (*workspace)->folder() / "timeline.json";
  const Result<int> status = run_to_end(watched);
  const Status written = status ? write_page(watched, *status, page) : Status(status.error());
  if (!written) {
    fmt::print(stderr, "warpgrade: there is no report: {}\n", written.error().message);
    return kSystemError;
  }
  return WIFSIGNALED(*status) ? kSignalBase + WTERMSIG(*status) : WEXITSTATUS(*status);
}

}  // namespace warpgrade
