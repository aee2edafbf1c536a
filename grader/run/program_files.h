// SPDX-License-Identifier: MIT
#pragma once

#include "run/run_folder.h"
#include "run/runner.h"

namespace warpgrade {

/// Sizes of what a program may leave behind.
struct FileLimits {
  size_t file_bytes = size_t{16} << 20;  ///< each
  size_t total_bytes = size_t{1} << 30;  ///< of all arrays together; with the trace, of all files
  size_t trace_bytes = size_t{8} << 20;
};

/// For runs of several repetitions on a GPU, whose cases are larger: arrays of 64 MiB with their headers, and all that some
/// repetitions write.
constexpr FileLimits kTimedFileLimits = {(size_t{64} << 20) + 4096, size_t{4} << 30,
                                         size_t{8} << 20};

ProcessLimits process_limits(const Limits& limits, const FileLimits& files);

/// What runs of one program share, on whatever device: its folders in/, which it reads, out/ and log/,
/// which it writes.
class ProgramFiles {
 public:
  /// The trace is looked for at `trace`; empty: in log/, where the program's own process writes it.
  ProgramFiles(const Sandbox& sandbox, ProgramPlace place, FileLimits limits = {},
               fs::path trace = {})
      : sandbox_(sandbox),
        place_(std::move(place)),
        limits_(limits),
        out_(place_.folder / "out"),
        log_(place_.folder / "log"),
        trace_(trace.empty() ? log() / "trace.jsonl" : std::move(trace)) {}

  /// What every run sees of them. A device adds what it needs.
  Command view() const;
  /// One run, in a given view.
  Command command(Command view, const RunStep& step) const;
  /// One run of several cases; its limits are those of one.
  Command command(Command view, const std::vector<CaseToRun>& cases) const;
  /// Makes the folders, empty but for the inputs: those in `inputs`, or, for repetitions, in its
  /// folders 0/, 1/, ...
  Status lay_out(const RunStep& step, const fs::path& inputs);
  /// The inputs of each in in/0/, in/1/, ...
  Status lay_out(const std::vector<CaseToRun>& cases);
  /// Whether the folders laid out last are others than before: then a room opened before has not got
  /// them in its view.
  bool renewed() const { return renewed_; }
  /// Reads what the run left, none of it trusted: of its arrays those that the step names.
  void collect(const RunStep& step, RunResult& result) const;
  void collect(const std::vector<CaseToRun>& cases, RunResult& result) const;
  const fs::path& log() const { return log_.path(); }

 private:
  const FileLimits& limits_of(const RunStep& step) const {
    return step.repetitions.empty() ? limits_ : kTimedFileLimits;
  }
  /// Makes in/, out/ and log/, empty; in/ not where it may stay.
  Status make_folders(bool keep_inputs);
  void collect_trace(const FileLimits& limits, RunResult& result) const;
  fs::path in() const { return place_.folder / "in"; }
  const fs::path& out() const { return out_.path(); }
  const fs::path& trace() const { return trace_; }

  const Sandbox& sandbox_;
  ProgramPlace place_;
  FileLimits limits_;
  RunFolder out_, log_;
  fs::path trace_;
  bool renewed_ = false;
  fs::path
      laid_out_;  ///< Where what repetitions read in in/ came from; empty = it may be anything.
};

}  // namespace warpgrade
