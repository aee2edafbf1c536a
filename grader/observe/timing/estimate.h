// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "observe/timing/sample.h"

namespace warpgrade {

/// What a program took: the median of its accepted samples' kernel times.
struct TimeEstimate {
  double ms = 0;
  double low = 0, high = 0;  ///< 95 % interval of `ms`
  double mad = 0;            ///< median distance from `ms`
  int samples = 0;           ///< accepted ones; 0 = nothing is known
};

/// How many times as fast the student's program is: median(baseline) / median(student).
struct RatioEstimate {
  double ratio = 0;
  double low = 0, high = 0;  ///< 95 % interval of `ratio`
  double student_ms = 0, baseline_ms = 0;
  double student_mad = 0, baseline_mad = 0;
  int samples = 0;  ///< accepted ones of the program that has fewer; 0 = nothing is known
};

/// The middle of `values`, the mean of the two middle ones where their number is even; 0 of none.
double median(std::vector<double> values);

TimeEstimate estimate_time(const std::vector<TimeSample>& samples);

/// The interval comes from rounds drawn again and again, for both programs the same, so that what a
/// round did to both of them cancels; its width is Student's for that number of rounds. The same
/// samples give the same estimate.
RatioEstimate estimate_ratio(const std::vector<TimeSample>& student,
                             const std::vector<TimeSample>& baseline);

/// Half the interval's width as a part of the estimate.
double half_width(const TimeEstimate& estimate);
double half_width(const RatioEstimate& estimate);

}  // namespace warpgrade
