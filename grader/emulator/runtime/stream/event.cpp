// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Event Management".
#include "emulator/runtime/graph/graphs.h"

namespace warpgrade::emulator {
namespace {

cudaError_t create(ApiCall& call, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~kKnown)) return cudaErrorInvalidValue;
  *event = call.machine().streams.create_event(call.device_index(), flags);
  call.note("event", (*event)->id);
  return cudaSuccess;
}

/// The event a handle means, or null.
CUevent_st* find(ApiCall& call, const char* key, cudaEvent_t handle) {
  CUevent_st* event = call.machine().streams.find(handle);
  if (event != nullptr) call.note(key, event->id);
  return event;
}

cudaError_t record(ApiCall& call, cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  if ((flags & ~unsigned{cudaEventRecordExternal}) != 0) return cudaErrorInvalidValue;
  CUevent_st* event = find(call, "event", handle);
  CUstream_st* queue = call.stream(stream);
  if (event == nullptr || queue == nullptr || event->device != queue->device) {
    return cudaErrorInvalidResourceHandle;
  }
  if (flags == cudaEventRecordExternal)
    return captured(*queue, EventNode{handle, false}).value_or(cudaErrorIllegalState);
  if (const auto why = refuse_legacy_work(call, *queue); why != cudaSuccess) return why;
  if (record_captured(*event, *queue)) return cudaSuccess;
  call.machine().streams.record(*event, *queue);
  call.machine().stream_races.order().record(event->id, work_of(*queue));
  return cudaSuccess;
}

/// Either the host waits, from when on it knows that the event is done, or it asks whether it is.
cudaError_t look_at(ApiCall& call, cudaEvent_t handle, bool waits) {
  const CUevent_st* const event = find(call, "event", handle);
  if (event == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->capture != nullptr && event->capture->graph != nullptr) {
    break_capture(event->capture);
    return cudaErrorCapturedEvent;
  }
  StreamRaces& races = call.machine().stream_races;
  if (waits) races.host_waits_for_event(event->id);
  return waits || races.host_finds_done(event->id) ? cudaSuccess : cudaErrorNotReady;
}

bool has_time(const CUevent_st* event) {
  return event != nullptr && event->recorded_ms && !(event->flags & cudaEventDisableTiming);
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api_call("cudaEventCreate", EarlierFault::if_known,
                  [&](ApiCall& call) { return create(call, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api_call("cudaEventCreateWithFlags", EarlierFault::if_known,
                  [&](ApiCall& call) { return create(call, event, flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api_call("cudaEventRecord", EarlierFault::if_known, [&](ApiCall& call) {
    return record(call, event, stream, cudaEventRecordDefault);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api_call("cudaEventRecordWithFlags", EarlierFault::if_known,
                  [&](ApiCall& call) { return record(call, event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api_call("cudaEventQuery", EarlierFault::found,
                  [&](ApiCall& call) { return look_at(call, event, false); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api_call("cudaEventSynchronize", EarlierFault::found,
                  [&](ApiCall& call) { return look_at(call, event, true); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return api_call("cudaEventElapsedTime", EarlierFault::found, [&](ApiCall& call) {
    if (ms == nullptr) return cudaErrorInvalidValue;
    const CUevent_st* from = find(call, "start", start);
    const CUevent_st* to = find(call, "end", end);
    if (!has_time(from) || !has_time(to) || from->device != to->device) {
      return cudaErrorInvalidResourceHandle;
    }
    for (const CUevent_st* event : {from, to}) {
      if (!call.machine().stream_races.host_sees_done(event->id)) return cudaErrorNotReady;
    }
    *ms = static_cast<float>(*to->recorded_ms - *from->recorded_ms);
    call.note("ms", *ms);
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api_call("cudaEventDestroy", EarlierFault::if_known, [&](ApiCall& call) {
    const CUevent_st* const found = find(call, "event", event);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    call.machine().stream_races.order().forget_event(found->id);
    call.machine().streams.destroy(event);
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
