// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// A kernel or a copy on a stream, in modelled microseconds.
struct TimelineSpan {
  std::string name;
  std::string kind;  ///< "kernel" or "copy"
  double begin_us = 0, us = 0;
};

/// The work of one stream.
struct TimelineTrack {
  std::string name;  ///< "device 0, stream 1"
  std::vector<TimelineSpan> spans;
};

/// Reads the file that `warpgrade run --trace` writes. An Error for anything else.
Result<std::vector<TimelineTrack>> read_timeline(std::string_view trace_events);

/// A section of a page: each stream as a row of spans, and how long each was busy. Empty where nothing ran.
std::string timeline_section(const std::vector<TimelineTrack>& tracks, const std::string& language);

}  // namespace warpgrade
