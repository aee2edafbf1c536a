// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Stream Management": stream capture.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "emulator/runtime/graph/graphs.h"

namespace warpgrade::emulator {
namespace {

/// The frame of the calls about a stream's capture.
template <class Body>
cudaError_t capture_call(const char* name, cudaStream_t handle, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    CUstream_st* stream = call.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(call, *stream);
  });
}

/// Whether all of a capture's work comes before the end of the stream that began it.
bool is_joined(const Capture& capture, const std::vector<CUstream_st*>& streams) {
  std::set<const CUgraphNode_st*> reached;
  std::vector<const CUgraphNode_st*> open(capture.origin->captured_last.begin(),
                                          capture.origin->captured_last.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (reached.insert(node).second)
      open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return std::all_of(streams.begin(), streams.end(), [&](const CUstream_st* stream) {
    const auto& last = stream->captured_last;
    return std::all_of(last.begin(), last.end(),
                       [&](const CUgraphNode_st* node) { return reached.count(node) != 0; });
  });
}

cudaError_t end(ApiCall& call, CUstream_st& stream, cudaGraph_t* graph) {
  const std::shared_ptr<Capture> capture = stream.capture;
  // Who gave a graph to capture into has it already.
  if (graph == nullptr && (capture == nullptr || capture->owns_graph)) return cudaErrorInvalidValue;
  if (graph != nullptr) *graph = nullptr;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->origin != &stream) return cudaErrorStreamCaptureUnmatched;
  const std::vector<CUstream_st*> streams = call.machine().streams.captured_by(*capture);
  const bool joined = is_joined(*capture, streams);
  for (CUstream_st* each : streams) {
    each->capture = nullptr;
    each->captured_last.clear();
  }
  CUgraph_st* const filled = std::exchange(capture->graph, nullptr);
  if ((capture->broken || !joined) && capture->owns_graph) call.machine().graphs.destroy(filled);
  if (capture->broken) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  if (graph != nullptr) *graph = filled;
  return cudaSuccess;
}

cudaError_t begin(ApiCall& call, CUstream_st& stream, cudaStreamCaptureMode mode) {
  if (stream.id == 0) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture != nullptr) return cudaErrorIllegalState;
  stream.capture = std::make_shared<Capture>();
  stream.capture->origin = &stream;
  stream.capture->mode = mode;
  stream.capture->thread = &call.thread();
  call.machine().graphs.begin(stream.capture);
  return cudaSuccess;
}

bool is_synchronous(std::string_view name) { return !name.ends_with("Async"); }

/// A copy or a fill that the host waits for.
bool is_synchronous_transfer(std::string_view name) {
  return is_synchronous(name) && (name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset"));
}

/// The calls that CUDA calls potentially unsafe: what they do is not ordered by streams.
bool is_unsafe(std::string_view name) {
  const bool allocates = name.starts_with("cudaMalloc") || name.starts_with("cudaFree") ||
                         name == "cudaHostAlloc" || name == "cudaHostRegister" ||
                         name == "cudaHostUnregister";
  // A fill is none: so says an H100.
  const bool copies = name.starts_with("cudaMemcpy");
  return name == "cudaEventQuery" || ((allocates || copies) && is_synchronous(name));
}

bool forbids_unsafe_calls(const Capture& capture, const ThreadState& thread) {
  if (thread.capture_mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == &thread) return capture.mode != cudaStreamCaptureModeRelaxed;
  return thread.capture_mode == cudaStreamCaptureModeGlobal &&
         capture.mode == cudaStreamCaptureModeGlobal;
}

/// Whether one of the capture's streams on the device waits for the legacy stream and makes it wait.
bool holds_blocking_stream(ApiCall& call, const Capture& capture, int device) {
  const std::vector<CUstream_st*> streams = call.machine().streams.captured_by(capture);
  return std::any_of(streams.begin(), streams.end(), [&](const CUstream_st* stream) {
    return stream->device == device && (stream->flags & cudaStreamNonBlocking) == 0;
  });
}

/// Breaks the open captures of which this holds; whether there were any.
template <class Predicate>
bool break_captures(ApiCall& call, Predicate concerns) {
  bool any = false;
  for (const std::shared_ptr<Capture>& capture : call.machine().graphs.open_captures()) {
    if (!concerns(*capture)) continue;
    break_capture(capture);
    any = true;
  }
  return any;
}

bool breaks_by_legacy_work(ApiCall& call, int device) {
  return break_captures(
      call, [&](const Capture& capture) { return holds_blocking_stream(call, capture, device); });
}

/// It goes by way of the null stream.
cudaError_t refuse_synchronous_transfer(ApiCall& call) {
  CUstream_st& queue =
      *call.machine().streams.find(nullptr, call.device_index(), call.thread().host_thread);
  const cudaError_t error = refuse_while_captured(queue);
  return error == cudaSuccess ? refuse_legacy_work(call, queue) : error;
}

bool are_nodes_of(ApiCall& call, cudaGraph_t graph, const cudaGraphNode_t* nodes, size_t count) {
  const Graphs& graphs = call.machine().graphs;
  if (!graphs.is_graph(graph) || (count != 0 && nodes == nullptr)) return false;
  return std::all_of(nodes, nodes + count, [&](cudaGraphNode_t node) {
    return graphs.is_node(node) && node->graph == graph;
  });
}

cudaStreamCaptureStatus status_of(const CUstream_st& stream) {
  if (stream.capture == nullptr) return cudaStreamCaptureStatusNone;
  return stream.capture->broken ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
}

}  // namespace

cudaError_t refuse_while_captured(CUstream_st& stream) {
  if (stream.capture == nullptr) return cudaSuccess;
  stream.capture->broken = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t refuse_legacy_work(ApiCall& call, const CUstream_st& queue) {
  const bool refused = queue.id == 0 && breaks_by_legacy_work(call, queue.device);
  return refused ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t refused_by_captures(ApiCall& call) {
  if (call.machine().graphs.open_captures().empty()) return cudaSuccess;
  const std::string_view name = call.name();
  if (name == "cudaDeviceSynchronize") {
    const bool any = break_captures(call, [&](const Capture& capture) {
      return capture.origin->device == call.device_index();
    });
    return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
  }
  if (is_synchronous_transfer(name)) {
    const cudaError_t error = refuse_synchronous_transfer(call);
    if (error != cudaSuccess) return error;
  }
  const bool forbidden = is_unsafe(name) && break_captures(call, [&](const Capture& capture) {
                           return forbids_unsafe_calls(capture, call.thread());
                         });
  return forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

bool record_captured(CUevent_st& event, CUstream_st& stream) {
  event.capture = stream.capture;
  event.captured_last = stream.captured_last;
  return stream.capture != nullptr;
}

std::optional<cudaError_t> wait_captured(CUstream_st& stream, const CUevent_st& event) {
  const bool is_captured = event.capture != nullptr && event.capture->graph != nullptr;
  if (!is_captured && stream.capture == nullptr) return std::nullopt;
  const bool merges = is_captured && stream.capture != nullptr && stream.capture != event.capture;
  const bool is_legacy = is_captured && stream.id == 0;
  if (!is_captured || merges || is_legacy) {
    if (is_captured) break_capture(event.capture);
    if (stream.capture != nullptr) break_capture(stream.capture);
    return is_legacy ? cudaErrorStreamCaptureImplicit
           : merges  ? cudaErrorStreamCaptureMerge
                     : cudaErrorStreamCaptureIsolation;
  }
  stream.capture = event.capture;
  auto& last = stream.captured_last;
  last.insert(last.end(), event.captured_last.begin(), event.captured_last.end());
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return capture_call("cudaStreamBeginCapture", stream, [&](ApiCall& call, CUstream_st& found) {
    const cudaError_t error = begin(call, found, mode);
    if (error == cudaSuccess)
      found.capture->graph = call.machine().graphs.adopt(std::make_unique<CUgraph_st>());
    return error;
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          size_t count, cudaStreamCaptureMode mode) {
  return capture_call("cudaStreamBeginCaptureToGraph", stream,
                      [&](ApiCall& call, CUstream_st& found) {
                        if (!are_nodes_of(call, graph, after, count)) return cudaErrorInvalidValue;
                        const cudaError_t error = begin(call, found, mode);
                        if (error != cudaSuccess) return error;
                        found.capture->graph = graph;
                        found.capture->owns_graph = false;
                        found.captured_last.assign(after, after + count);
                        return cudaSuccess;
                      });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned flags) {
  return capture_call("cudaStreamUpdateCaptureDependencies", stream,
                      [&](ApiCall& call, CUstream_st& found) {
                        if (found.capture == nullptr) return cudaErrorIllegalState;
                        if (flags > cudaStreamSetCaptureDependencies ||
                            !are_nodes_of(call, found.capture->graph, nodes, count))
                          return cudaErrorInvalidValue;
                        auto& last = found.captured_last;
                        if (flags == cudaStreamSetCaptureDependencies) last.clear();
                        last.insert(last.end(), nodes, nodes + count);
                        return cudaSuccess;
                      });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return capture_call("cudaStreamEndCapture", stream,
                      [&](ApiCall& call, CUstream_st& found) { return end(call, found, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return capture_call("cudaStreamIsCapturing", stream, [&](ApiCall&, CUstream_st& found) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(found);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** last, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return capture_call("cudaStreamGetCaptureInfo", stream, [&](ApiCall&, CUstream_st& found) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = status_of(found);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = found.capture->id;
    if (graph != nullptr) *graph = found.capture->graph;
    if (last != nullptr) *last = found.captured_last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = found.captured_last.size();
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api_call("cudaThreadExchangeStreamCaptureMode", EarlierFault::ignored, [&](ApiCall& call) {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, call.thread().capture_mode);
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
