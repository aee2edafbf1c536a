// SPDX-License-Identifier: MIT
// Streams and events.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

template <class Params>
void made_stream(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (call.succeeded && p.pStream != nullptr) call.note_stream(*p.pStream);
}

/// Any call about one stream, whose first parameter it is.
void about_stream(CallToDecode& call) {
  call.note_stream(call.as<cudaStreamSynchronize_v3020_params>().stream);
}

void destroyed_stream(CallToDecode& call) {
  const cudaStream_t stream = call.as<cudaStreamDestroy_v5050_params>().stream;
  call.note("stream",
            call.succeeded ? call.handles.forget_stream(stream) : call.handles.stream(stream));
}

void wait_for_event(CallToDecode& call) {
  const auto& p = call.as<cudaStreamWaitEvent_v3020_params>();
  note_stream_of(call, p);
  call.note_event("event", p.event);
}

template <class Params>
void made_event(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (call.succeeded && p.event != nullptr) call.note_event("event", *p.event);
}

template <class Params>
void recorded_event(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_event("event", p.event);
  note_stream_of(call, p);
}

void about_event(CallToDecode& call) {
  call.note_event("event", call.as<cudaEventQuery_v3020_params>().event);
}

void destroyed_event(CallToDecode& call) {
  const cudaEvent_t event = call.as<cudaEventDestroy_v3020_params>().event;
  call.note("event", call.succeeded ? call.handles.forget_event(event) : call.handles.event(event));
}

void elapsed_time(CallToDecode& call) {
  const auto& p = call.as<cudaEventElapsedTime_v12080_params>();
  call.note_event("start", p.start);
  call.note_event("end", p.end);
  if (call.succeeded && p.ms != nullptr) call.out.args["ms"] = *p.ms;
}

constexpr RuntimeDecoder kDecoders[] = {
    {"cudaStreamCreate", made_stream<cudaStreamCreate_v3020_params>},
    {"cudaStreamCreateWithFlags", made_stream<cudaStreamCreateWithFlags_v5000_params>},
    {"cudaStreamCreateWithPriority", made_stream<cudaStreamCreateWithPriority_v5050_params>},
    {"cudaStreamDestroy", destroyed_stream},
    {"cudaStreamSynchronize", about_stream},
    {"cudaStreamQuery", about_stream},
    {"cudaStreamAddCallback", about_stream},
    {"cudaStreamAttachMemAsync", about_stream},
    {"cudaStreamBeginCapture", about_stream},
    {"cudaStreamEndCapture", about_stream},
    {"cudaStreamIsCapturing", about_stream},
    {"cudaStreamGetCaptureInfo", about_stream},
    {"cudaStreamGetFlags", about_stream},
    {"cudaStreamGetPriority", about_stream},
    {"cudaStreamGetId", about_stream},
    {"cudaStreamGetDevice", about_stream},
    {"cudaStreamWaitEvent", wait_for_event},
    {"cudaEventCreate", made_event<cudaEventCreate_v3020_params>},
    {"cudaEventCreateWithFlags", made_event<cudaEventCreateWithFlags_v3020_params>},
    {"cudaEventRecord", recorded_event<cudaEventRecord_v3020_params>},
    {"cudaEventRecordWithFlags", recorded_event<cudaEventRecordWithFlags_v11010_params>},
    {"cudaEventQuery", about_event},
    {"cudaEventSynchronize", about_event},
    {"cudaEventDestroy", destroyed_event},
    {"cudaEventElapsedTime", elapsed_time},
};

}  // namespace

std::span<const RuntimeDecoder> stream_decoders() { return kDecoders; }

}  // namespace warpgrade::injection
