// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "observe/trace.h"
#include "report/timeline_view.h"

namespace warpgrade {

/// A program that `warpgrade run` has run.
struct ProgramRun {
  std::string command;  ///< As the user wrote it.
  int status = 0;       ///< Its exit status; or, where a signal ended it,
  int signal = 0;       ///< that one.
  std::string language = "en";
  Trace trace;
  std::vector<TimelineTrack> timeline;
};

/// The base names of the files whose lines the kernels ran, the one that did most first.
std::vector<std::string> files_of(const Trace& trace);

/// A page that stands alone: findings, kernels, the roofline, the timeline, and the file `source_name` with the costs
/// of its lines; `source` is empty where it was not found.
std::string format_run_page(const ProgramRun& run, const std::string& source_name,
                            const std::string& source);

}  // namespace warpgrade
