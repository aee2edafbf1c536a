// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Stream Management".
#include <algorithm>

#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/memory/managed.h"

namespace warpgrade::emulator {
namespace {

cudaError_t create(ApiCall& call, cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking})) return cudaErrorInvalidValue;
  const int granted = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *stream = call.machine().streams.create(call.device_index(), flags, granted);
  call.note("stream", (*stream)->id);
  return cudaSuccess;
}

/// The frame of the calls that ask something about a stream.
template <class Body>
cudaError_t stream_call(const char* name, EarlierFault when, cudaStream_t handle, Body body) {
  return api_call(name, when, [&](ApiCall& call) {
    CUstream_st* stream = call.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(call, *stream);
  });
}

template <class Value>
cudaError_t give(Value* to, Value value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

/// All work is done when it is given, but a stream that is captured must not be waited for.
cudaError_t wait_for_all(ApiCall& call, CUstream_st& stream) {
  cudaError_t refused = refuse_while_captured(stream);
  if (refused == cudaSuccess) refused = refuse_legacy_work(call, stream);
  if (refused != cudaSuccess) return refused;
  call.machine().stream_races.host_waits_for(work_of(stream));
  return cudaSuccess;
}

cudaError_t wait(ApiCall& call, CUstream_st& waiting, cudaEvent_t event, unsigned flags) {
  if ((flags & ~unsigned{cudaEventWaitExternal}) != 0) return cudaErrorInvalidValue;
  const CUevent_st* const awaited = call.machine().streams.find(event);
  if (awaited == nullptr) return cudaErrorInvalidResourceHandle;
  call.note("event", awaited->id);
  if (flags == cudaEventWaitExternal)
    return captured(waiting, EventNode{event, true}).value_or(cudaErrorIllegalState);
  if (const auto captured = wait_captured(waiting, *awaited)) return *captured;
  call.machine().streams.wait(waiting, *awaited);
  call.machine().stream_races.order().wait(work_of(waiting), awaited->id);
  return cudaSuccess;
}

/// Whether a kernel that waits holds the stream up, also now that it has looked again.
bool is_held(ApiCall& call, cudaStream_t handle) {
  WaitingKernels& kernels = call.machine().waiting_kernels;
  const CUstream_st* const stream =
      call.machine().streams.find(handle, call.device_index(), call.thread().host_thread);
  if (kernels.empty() || stream == nullptr) return false;
  kernels.take_turns(call);
  return kernels.hold(*stream);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api_call("cudaStreamCreate", EarlierFault::if_known, [&](ApiCall& call) {
    return create(call, stream, cudaStreamDefault, kLeastPriority);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return api_call("cudaStreamCreateWithFlags", EarlierFault::if_known,
                  [&](ApiCall& call) { return create(call, stream, flags, kLeastPriority); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api_call("cudaStreamCreateWithPriority", EarlierFault::if_known,
                  [&](ApiCall& call) { return create(call, stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return stream_call("cudaStreamDestroy", EarlierFault::if_known, stream,
                     [&](ApiCall& call, CUstream_st&) {
                       const bool destroyed = call.machine().streams.destroy(stream);
                       return destroyed ? cudaSuccess : cudaErrorInvalidResourceHandle;
                     });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream_call("cudaStreamSynchronize", EarlierFault::found, stream, wait_for_all);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api_call("cudaStreamQuery", EarlierFault::found, [&](ApiCall& call) {
    if (is_held(call, stream)) return cudaErrorNotReady;
    CUstream_st* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const bool done = call.machine().stream_races.host_finds_done(work_of(*found));
    return done ? wait_for_all(call, *found) : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return stream_call(
      "cudaStreamWaitEvent", EarlierFault::if_known, stream,
      [&](ApiCall& call, CUstream_st& waiting) { return wait(call, waiting, event, flags); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return stream_call("cudaStreamAddCallback", EarlierFault::if_known, stream,
                     [&](ApiCall& call, CUstream_st& found) {
                       if (callback == nullptr) return cudaErrorInvalidValue;
                       const cudaError_t refused = refuse_while_captured(found);
                       if (refused != cudaSuccess) return refused;
                       const cudaError_t status = call.device().fault;
                       call.call_back([&] { host().call(callback, stream, status, data); });
                       call_back_ended(call, found);
                       return cudaSuccess;
                     });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* memory, size_t, unsigned) {
  return stream_call("cudaStreamAttachMemAsync", EarlierFault::if_known, stream,
                     [&](ApiCall& call, CUstream_st&) {
                       const Allocation* const found =
                           call.machine().memory.find(reinterpret_cast<uint64_t>(memory));
                       const bool fits = found != nullptr && is_managed(*found);
                       return fits ? cudaSuccess : cudaErrorInvalidValue;
                     });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return stream_call("cudaStreamGetFlags", EarlierFault::if_known, stream,
                     [&](ApiCall&, CUstream_st& found) { return give(flags, found.flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return stream_call("cudaStreamGetPriority", EarlierFault::if_known, stream,
                     [&](ApiCall&, CUstream_st& found) { return give(priority, found.priority); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return stream_call("cudaStreamGetId", EarlierFault::if_known, stream,
                     [&](ApiCall&, CUstream_st& found) {
                       return give(id, static_cast<unsigned long long>(found.id));
                     });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return stream_call("cudaStreamGetDevice", EarlierFault::if_known, stream,
                     [&](ApiCall&, CUstream_st& found) { return give(device, found.device); });
}

}  // extern "C"
}  // namespace warpgrade::emulator
