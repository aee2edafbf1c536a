// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {
struct Capture;
}

// What the toolkit's opaque handles point to.
struct CUstream_st {
  uint64_t id = 0;          ///< 0 for a device's default stream.
  bool is_threads = false;  ///< A host thread's own default stream.
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes{};
  double ready_ms = 0;  ///< When the work given to it so far ends, in modelled time.
  std::shared_ptr<warpgrade::emulator::Capture> capture{};  ///< Null while none is going on.
  std::vector<CUgraphNode_st*> captured_last{};             ///< What its next work comes after.

  /// Its number in the trace, which has one number for all default streams, as records of a GPU do.
  uint64_t recorded_id() const { return is_threads ? 0 : id; }
};

struct CUevent_st {
  uint64_t id = 0;
  int device = 0;
  unsigned flags = 0;
  std::optional<double> recorded_ms{};  ///< In modelled time; empty until recorded.
  std::shared_ptr<warpgrade::emulator::Capture> capture{};  ///< That it was recorded in, or null.
  std::vector<CUgraphNode_st*> captured_last{};
};

namespace warpgrade::emulator {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;
/// The ids of threads' default streams follow it, so that they do not count among those that programs create.
constexpr uint64_t kThreadStreams = uint64_t{1} << 32;

/// The host thread that makes a call, as far as streams depend on it.
struct HostThread {
  uint64_t number = 0;
  bool owns_default = false;  ///< The null handle means its own default stream during this call.
};

/// Streams, events and the modelled clock they live by.
///
/// Theory of operation: work runs when it is given, so streams and events never have anything to
/// wait for. Time is kept apart: each stream knows when its work would end, and work starts at the
/// later of that and the times it has to wait for, as CUDA's ordering rules say.
class Streams {
 public:
  cudaStream_t create(int device, unsigned flags, int priority);
  /// The stream that a handle means on `device` in that thread, the special handles included; null for
  /// one that is none.
  CUstream_st* find(cudaStream_t handle, int device, const HostThread& thread = {});
  bool destroy(cudaStream_t handle);
  /// The streams whose work goes into that capture.
  std::vector<CUstream_st*> captured_by(const Capture& capture);

  /// Appends work of that length.
  void advance(CUstream_st& stream, double ms);
  /// Appends a copy between host and device. A device moves one at a time each way, whatever the streams: two at once
  /// would share the bus and take as long.
  void advance_on_bus(CUstream_st& stream, double ms, bool to_device);

  cudaEvent_t create_event(int device, unsigned flags);
  CUevent_st* find(cudaEvent_t handle);
  bool destroy(cudaEvent_t handle);
  void record(CUevent_st& event, CUstream_st& stream);
  void wait(CUstream_st& stream, const CUevent_st& event);

  /// Those that the program made and has not destroyed.
  size_t stream_count() const { return streams_.size() - of_threads_.size(); }
  /// Whether work may run in two of them at once, the default stream included.
  bool may_overlap() const;
  size_t event_count() const { return events_.size(); }
  /// Forgets the streams and events of a device.
  void reset(int device);

 private:
  CUstream_st& default_stream(int device);
  CUstream_st& default_stream(int device, const HostThread& thread);
  double start_ms(const CUstream_st& stream);

  std::map<int, CUstream_st> defaults_;
  std::map<cudaStream_t, std::unique_ptr<CUstream_st>> streams_;
  std::map<std::pair<uint64_t, int>, cudaStream_t>
      of_threads_;  ///< By thread and device; in streams_.
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events_;
  std::map<std::pair<int, bool>, double> bus_ready_ms_;  ///< By device and whether to it.
  uint64_t next_stream_ = 1;
  uint64_t next_thread_stream_ = kThreadStreams + 1;
  uint64_t next_event_ = 1;
};

}  // namespace warpgrade::emulator
