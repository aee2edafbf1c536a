// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/streams.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

// Between two events in a row, on an H200.
constexpr double kEventRecordMs = 0.00128;

bool blocks_default(const CUstream_st& stream) { return !(stream.flags & cudaStreamNonBlocking); }

template <class Map>
void erase_device(Map& map, int device) {
  for (auto it = map.begin(); it != map.end();) {
    it = it->second->device == device ? map.erase(it) : std::next(it);
  }
}

}  // namespace

cudaStream_t Streams::create(int device, unsigned flags, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->id = next_stream_++;
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  stream->ready_ms = default_stream(device).ready_ms;
  const cudaStream_t handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

CUstream_st* Streams::find(cudaStream_t handle, int device, const HostThread& thread) {
  const bool is_threads =
      handle == cudaStreamPerThread || (handle == nullptr && thread.owns_default);
  if (is_threads) return &default_stream(device, thread);
  if (handle == nullptr || handle == cudaStreamLegacy) return &default_stream(device);
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

bool Streams::destroy(cudaStream_t handle) { return streams_.erase(handle) != 0; }

std::vector<CUstream_st*> Streams::captured_by(const Capture& capture) {
  std::vector<CUstream_st*> found;
  for (const auto& [handle, stream] : streams_) {
    if (stream->capture.get() == &capture) found.push_back(stream.get());
  }
  return found;
}

CUstream_st& Streams::default_stream(int device) {
  CUstream_st& stream = defaults_[device];
  stream.device = device;
  return stream;
}

CUstream_st& Streams::default_stream(int device, const HostThread& thread) {
  cudaStream_t& handle = of_threads_[{thread.number, device}];
  if (handle == nullptr) {
    auto stream = std::make_unique<CUstream_st>();
    stream->id = next_thread_stream_++;
    stream->is_threads = true;
    stream->device = device;
    stream->ready_ms = default_stream(device).ready_ms;
    handle = stream.get();
    streams_.emplace(handle, std::move(stream));
  }
  return *handle;
}

/// The default stream waits for every blocking stream of its device, and they wait for it.
double Streams::start_ms(const CUstream_st& stream) {
  double start = stream.ready_ms;
  if (stream.id == 0) {
    for (const auto& [handle, other] : streams_) {
      const bool ordered = other->device == stream.device && blocks_default(*other);
      if (ordered) start = std::max(start, other->ready_ms);
    }
  } else if (blocks_default(stream)) {
    start = std::max(start, default_stream(stream.device).ready_ms);
  }
  return start;
}

void Streams::advance(CUstream_st& stream, double ms) { stream.ready_ms = start_ms(stream) + ms; }

void Streams::advance_on_bus(CUstream_st& stream, double ms, bool to_device) {
  double& bus_ready_ms = bus_ready_ms_[{stream.device, to_device}];
  stream.ready_ms = std::max(start_ms(stream), bus_ready_ms) + ms;
  bus_ready_ms = stream.ready_ms;
}

cudaEvent_t Streams::create_event(int device, unsigned flags) {
  auto event = std::make_unique<CUevent_st>();
  event->id = next_event_++;
  event->device = device;
  event->flags = flags;
  const cudaEvent_t handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

CUevent_st* Streams::find(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

bool Streams::destroy(cudaEvent_t handle) { return events_.erase(handle) != 0; }

void Streams::record(CUevent_st& event, CUstream_st& stream) {
  advance(stream, kEventRecordMs);
  event.recorded_ms = stream.ready_ms;
}

void Streams::wait(CUstream_st& stream, const CUevent_st& event) {
  stream.ready_ms = std::max(stream.ready_ms, event.recorded_ms.value_or(0));
}

bool Streams::may_overlap() const {
  return streams_.size() > 1 ||
         std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return !blocks_default(*entry.second); });
}

void Streams::reset(int device) {
  std::erase_if(of_threads_, [&](const auto& entry) { return entry.first.second == device; });
  erase_device(streams_, device);
  erase_device(events_, device);
}

}  // namespace warpgrade::emulator
