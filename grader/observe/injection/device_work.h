// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cupti.h>

namespace warpgrade::injection {

/// Nanoseconds of CLOCK_MONOTONIC, the end not included.
struct Interval {
  int64_t start_ns = 0, end_ns = 0;
};

/// How long at least one of them went on.
int64_t union_ns(std::vector<Interval> intervals);
/// The part of `interval` within `window`; empty where start_ns >= end_ns.
Interval within(const Interval& interval, const Interval& window);

enum class WorkKind {
  kKernel,
  kInternal,  ///< A fill, or a copy that does not leave the device.
  kTransfer,  ///< A copy between host and device.
};

/// What two runs of one program have in common of a kernel, a copy or a fill.
struct WorkShape {
  std::string mangled = {};  ///< The kernel's mangled name.
  std::array<int, 3> grid{}, block{};
  int dynamic_shared_bytes = 0;
  std::string direction =
      {};              ///< The copy's direction, "HtoD", "DtoH" or "DtoD"; empty for other work.
  uint64_t bytes = 0;  ///< The size of a copy or fill.

  bool is_known() const { return !mangled.empty() || bytes != 0; }
};

/// Something that a device did, on any stream.
struct DeviceWork {
  WorkKind kind = WorkKind::kKernel;
  Interval when;
  uint32_t context = 0, stream = 0;
  uint32_t mark = 0;  ///< The word of a fill of one word.
  WorkShape shape = {};
};

/// A kernel that has run.
struct KernelRun {
  std::string mangled;
  std::array<int, 3> grid{}, block{};
  int static_shared_bytes = 0, dynamic_shared_bytes = 0;
  int device = 0;
  uint32_t correlation = 0;
  bool in_graph = false;
  Interval when;
};

/// Whether CUPTI says that a kernel ran and not when.
bool is_untimed_kernel(const CUpti_Activity& record);

/// Nothing for a record that is no work, or of work that did not end.
std::optional<DeviceWork> work_of(const CUpti_Activity& record);
std::optional<KernelRun> kernel_of(const CUpti_Activity& record);

}  // namespace warpgrade::injection
