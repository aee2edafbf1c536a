// SPDX-License-Identifier: MIT
#include "observe/injection/device_work.h"

#include <algorithm>
#include <utility>

namespace warpgrade::injection {
namespace {

bool leaves_the_device(uint8_t copy_kind) {
  switch (copy_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return false;
    default:
      return true;
  }
}

/// CUPTI leaves the times at 0 where it has none.
template <class Record>
std::optional<DeviceWork> timed(WorkKind kind, const Record& record) {
  if (record.start == 0 || record.end <= record.start) return std::nullopt;
  return DeviceWork{kind,
                    {static_cast<int64_t>(record.start), static_cast<int64_t>(record.end)},
                    record.contextId,
                    record.streamId,
                    0,
                    {}};
}

const char* direction_of(uint8_t copy_kind) {
  switch (copy_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "DtoH";
    default:
      return leaves_the_device(copy_kind) ? "" : "DtoD";
  }
}

std::optional<DeviceWork> with_shape(std::optional<DeviceWork> work, WorkShape shape) {
  if (work) work->shape = std::move(shape);
  return work;
}

/// A copy that no device took part in is left out.
std::optional<DeviceWork> copied(std::optional<DeviceWork> work, const char* direction,
                                 uint64_t bytes) {
  return *direction == '\0' ? work : with_shape(std::move(work), {{}, {}, {}, 0, direction, bytes});
}

std::optional<DeviceWork> ran(const CUpti_ActivityKernel10& kernel) {
  return with_shape(timed(WorkKind::kKernel, kernel),
                    {kernel.name == nullptr ? "" : kernel.name,
                     {kernel.gridX, kernel.gridY, kernel.gridZ},
                     {kernel.blockX, kernel.blockY, kernel.blockZ},
                     kernel.dynamicSharedMemory,
                     {},
                     0});
}

}  // namespace

int64_t union_ns(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
  int64_t total = 0, covered_to = INT64_MIN;
  for (const Interval& interval : intervals) {
    const int64_t from = std::max(interval.start_ns, covered_to);
    if (interval.end_ns > from) total += interval.end_ns - from;
    covered_to = std::max(covered_to, interval.end_ns);
  }
  return total;
}

Interval within(const Interval& interval, const Interval& window) {
  return {std::max(interval.start_ns, window.start_ns), std::min(interval.end_ns, window.end_ns)};
}

bool is_untimed_kernel(const CUpti_Activity& record) {
  return record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && !work_of(record);
}

std::optional<DeviceWork> work_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return ran(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
      return copied(
          timed(leaves_the_device(copy.copyKind) ? WorkKind::kTransfer : WorkKind::kInternal, copy),
          direction_of(copy.copyKind), copy.bytes);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record);
      return copied(timed(WorkKind::kInternal, copy), "DtoD", copy.bytes);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      std::optional<DeviceWork> work = timed(WorkKind::kInternal, fill);
      if (work && fill.bytes == sizeof fill.value) work->mark = fill.value;
      return with_shape(std::move(work), {{}, {}, {}, 0, {}, fill.bytes});
    }
    default:
      return std::nullopt;
  }
}

std::optional<KernelRun> kernel_of(const CUpti_Activity& record) {
  if (record.kind != CUPTI_ACTIVITY_KIND_KERNEL &&
      record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return std::nullopt;
  const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
  KernelRun run;
  run.mangled = kernel.name == nullptr ? "" : kernel.name;
  run.grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  run.block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  run.static_shared_bytes = kernel.staticSharedMemory;
  run.dynamic_shared_bytes = kernel.dynamicSharedMemory;
  run.device = static_cast<int>(kernel.deviceId);
  run.correlation = kernel.correlationId;
  run.in_graph = kernel.graphNodeId != 0;
  run.when = {static_cast<int64_t>(kernel.start), static_cast<int64_t>(kernel.end)};
  return run;
}

}  // namespace warpgrade::injection
