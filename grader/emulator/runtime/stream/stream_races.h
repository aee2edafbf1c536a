// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/checkers/access_map.h"
#include "emulator/checkers/stream_order.h"
#include "emulator/exec/launch.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/stream/used_pages.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// A kernel, copy or fill that a program gave to a stream.
struct StreamOperation {
  std::string name;  ///< "cudaMemcpyAsync"; of a kernel, its mangled name
  StreamOfWork stream;
  Moment moment;
  MemoryUse use;
  bool launches_dependents = false;  ///< the kernel lets the next one begin before its own end
  MemoryUse early;                   ///< what blocks use before they wait for earlier kernels
  std::optional<Moment> beside;  ///< of the kernel ahead, where this one may begin before its end
  uint64_t graph = 0;            ///< the launch of a graph that it is a node of, or 0
  const LoadedModule* module = nullptr;  ///< null but for kernels
  Dim3 grid, block;
  bool signals = false;     ///< the kernel has fences
  uint64_t generation = 0;  ///< of the cells of a kernel that did not note all it used; else 0
  std::vector<uint64_t> touched;  ///< the allocations that such a kernel used
  UsedPages pages;
};

/// The race checker between streams: two operations that use the same bytes, one of which writes
/// them, and that nothing orders. Theory of operation: stream_order.h says what is ordered,
/// access_map.h what an operation uses. What the host has waited for is ordered before all that
/// comes, so only the operations since are kept, and of those that use the same memory in one lane the
/// last, which is ordered before no more than the others are. Beyond a limit the oldest are forgotten; a
/// later operation that nothing orders behind such a one may race with it, which is told as `unchecked`.
/// As long as all work goes into one lane, kernels note nothing: should another lane follow, their cells
/// still say what they used.
class StreamRaces {
 public:
  explicit StreamRaces(bool on, const DeviceMemory& memory)
      : on_(on), memory_(memory), watched_(memory) {}

  bool on() const { return on_; }
  StreamOrder& order() { return order_; }

  /// Takes the next place of a stream, before the operation is done. `programmatic`: a kernel that may begin once the one
  /// ahead of it has let it; until one of its blocks waits for that one's end, nothing orders the two.
  StreamOperation begin(std::string name, const StreamOfWork& stream, bool programmatic = false);
  /// Whether a kernel that has begun must note what it uses,
  bool records() const { return on_ && order_.has_lanes(); }
  /// or at least what it uses of the host's memory.
  bool records_host_memory() const;
  /// The operation is done: at most one race with an earlier one. `range`: that it belongs to; each tells its races anew.
  std::vector<Finding> finish(StreamOperation operation, const std::string& range);

  /// The program goes on with its own code: guards host memory that its work may still use. Kernels that wait may change
  /// that memory meanwhile.
  void guard_host_memory(bool kernels_wait);
  /// The emulator works again. A race where the host has touched guarded memory.
  std::vector<Finding> lift_guard(const std::string& range);

  /// As those of the order.
  void begin_graph(const StreamOfWork& stream);
  void begin_node(const void* node, const std::vector<const void*>& after);
  void end_node();
  void end_graph(const StreamOfWork& stream);

  // What the API's calls mean for the order.
  void host_waits_for(const StreamOfWork& stream);
  void host_waits_for_event(uint64_t event);
  void host_waits_for_device(int device);
  /// As those of the order; without the race checker all work is done when it is given.
  bool host_finds_done(const StreamOfWork& stream);
  bool host_finds_done(uint64_t event);
  /// For a call that fails where the event is to come, with or without the race checker.
  bool host_sees_done(uint64_t event);
  void host_waits_for_all();
  /// Forgets a device's modules, whose kernels may be among the operations.
  void reset();

 private:
  /// Forgets what the host knows to be done.
  void settle();
  /// The kernels that noted nothing so far note what their cells hold.
  void note_from_cells();
  const StreamOperation* kernel_ahead(const StreamOfWork& stream) const;
  std::optional<Finding> race_with_kernel_ahead(const StreamOperation& operation) const;
  void add(StreamOperation operation);
  void limit();
  void forget(const StreamOperation& operation);
  std::vector<Finding> unchecked(const StreamOperation& operation, const std::string& range);
  bool is_new(const Finding& finding, const std::string& range);
  bool concurrent(const StreamOperation& first, const StreamOperation& second) const;
  Finding tell_host(const StreamOperation& first, const Touch& touch, const Clash& clash) const;
  Finding tell(const StreamOperation& first, const StreamOperation& second,
               const Clash& clash) const;
  Sentence place_of(const ByteRange& bytes) const;
  Sentence stream_of(const StreamOperation& operation) const;

  const bool on_;
  const DeviceMemory& memory_;
  WatchedParts watched_;
  StreamOrder order_;
  /// What was forgotten of a lane: its last operation, and the kernels.
  struct Forgotten {
    Moment moment;
    std::set<std::string> kernels;
  };

  std::deque<StreamOperation> open_;         ///< that the host has not waited for
  std::map<uint64_t, Forgotten> forgotten_;  ///< by lane
  std::set<std::string> told_;
  std::vector<uint64_t> graphs_;  ///< launches under way
  uint64_t next_graph_ = 0;
  size_t under_way_ = 0;  ///< operations that have begun and are not done
  bool lanes_seen_ = false;
};

/// The same stream for the checker.
StreamOfWork work_of(const CUstream_st& stream);

}  // namespace warpgrade::emulator
