// SPDX-License-Identifier: MIT
#include "report/measurement.h"

#include <algorithm>

namespace warpgrade {

std::vector<Measurement> measurements_of(const std::string& case_id, const Measured& measured) {
  std::vector<Measurement> rows;
  for (const auto& [program, ranges] : measured.timed.programs) {
    for (const auto& [range, samples] : ranges) {
      rows.push_back({case_id, range, program, measured.gpu, measured.timed.clocks,
                      measured.timed.empty_event_ms, measured.timed.again, samples});
      const auto other = measured.other_work.find(range);
      if (program == kStudentProgram && other != measured.other_work.end())
        rows.back().other_work = other->second;
    }
  }
  std::stable_partition(rows.begin(), rows.end(),
                        [](const Measurement& row) { return row.program == kStudentProgram; });
  return rows;
}

}  // namespace warpgrade
