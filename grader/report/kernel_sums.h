// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// A counter of a kernel beside the best that a kernel can reach.
struct Gauge {
  std::string label;  ///< "Global loads"
  double part = 0;    ///< The share of the ideal, 0 to 1.
  std::string text;   ///< "8 sectors a request where 4 would do"
};

/// All launches of one kernel.
struct KernelSum {
  std::string name;
  long launches = 0;
  double modelled_ms = 0, measured_ms = 0;  ///< 0 = no time of the kind is known.
  std::map<std::string, double> metrics;    ///< Those that add up: their names end in ".sum".
  std::map<std::string, double>
      shape;            ///< What ncu calls launch__..., of the longest launch that has them.
  double shape_ms = 0;  ///< That launch's time.

  double of(const std::string& metric) const;
};

/// By name.
std::vector<KernelSum> kernel_sums(const SubmissionResult& result);

/// What the counters say of the kernel's accesses and warps; nothing of what it did not do.
std::vector<Gauge> gauges_of(const KernelSum& kernel, const std::string& language);

}  // namespace warpgrade
