// SPDX-License-Identifier: MIT
#include "observe/injection/api_tracer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "observe/injection/copy_hash.h"
#include "observe/injection/own_work.h"

namespace warpgrade::injection {
namespace {

constexpr unsigned char kPoison = 0xFF;
/// Filling host memory takes the host's time; the emulated device stops there as well.
constexpr uint64_t kMaxHostPoisonBytes = uint64_t{256} << 20;
constexpr double kNsPerMs = 1e6;

/// Results of a launch that had nothing to launch: no function, image or stream of that kind.
constexpr int kNoKernel[] = {98, 200, 209, 400};

/// cudaError_t and CUresult give the same numbers to the same errors.
int result_of(const CUpti_CallbackData& data) {
  return data.functionReturnValue == nullptr ? 0 : *static_cast<int*>(data.functionReturnValue);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool begins_capture(const std::string& api) { return api.rfind("cudaStreamBeginCapture", 0) == 0; }

template <class Extents>
Json triple(const Extents& extents) {
  return {extents[0], extents[1], extents[2]};
}

Json measured(const KernelRun& run) {
  const auto ns = static_cast<double>(run.when.end_ns - run.when.start_ns);
  return {{"value", ns / kNsPerMs}, {"source", "measured"}};
}

/// The run that a launch became: by what CUPTI says links them, or by its name.
const KernelRun* run_of(const std::vector<KernelRun>& runs, const std::vector<uint32_t>& links,
                        const std::string& mangled) {
  for (const KernelRun& run : runs) {
    if (std::find(links.begin(), links.end(), run.correlation) != links.end()) return &run;
  }
  const auto same = std::find_if(runs.rbegin(), runs.rend(),
                                 [&](const KernelRun& run) { return run.mangled == mangled; });
  return same == runs.rend() ? nullptr : &*same;
}

}  // namespace

ApiTracer::ApiTracer(Recorder& recorder, const Driver& driver, const Cupti& cupti,
                     std::function<std::string()> range)
    : recorder_(recorder), driver_(driver), cupti_(cupti), range_(std::move(range)) {}

ApiTracer::ThreadCalls& ApiTracer::this_thread() {
  thread_local ThreadCalls calls;
  return calls;
}

void ApiTracer::on_runtime_call(const CUpti_CallbackData& data) {
  ThreadCalls& thread = this_thread();
  if (data.callbackSite == CUPTI_API_ENTER) {
    ++thread.runtime_depth;
    return;
  }
  // The first call of a program may have begun before anybody listened.
  thread.runtime_depth = std::max(0, thread.runtime_depth - 1);
  if (thread.runtime_depth > 0) return;
  const std::string name = recorded_name(data.functionName);
  if (name.empty()) return;
  const int result = result_of(data);
  const DecodedCall call = decode_runtime_call(name, data.functionParams, result == 0, handles_);
  finish(thread, {call, data.functionParams, result, data.correlationId,
                  data.symbolName != nullptr ? data.symbolName : ""});
}

void ApiTracer::on_driver_call(const CUpti_CallbackData& data) {
  ThreadCalls& thread = this_thread();
  const std::string name = plain_name(data.functionName);
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (is_driver_launch(name)) {
    enters ? begin_launch(thread, name, data) : end_launch(thread, data);
  } else if (name == "cuGraphLaunch") {
    enters ? begin_graph(thread, data) : end_graph(thread, data);
  }
  if (thread.runtime_depth > 0) return;
  if (enters) {
    ++thread.driver_depth;
    return;
  }
  thread.driver_depth = std::max(0, thread.driver_depth - 1);
  if (thread.driver_depth > 0) return;
  const int result = result_of(data);
  const auto call = decode_driver_call(name, data.functionParams, result == 0, handles_);
  if (call) finish(thread, {*call, nullptr, result, data.correlationId, ""});
}

void ApiTracer::add(KernelRun run) {
  const std::lock_guard lock(runs_mutex_);
  runs_.push_back(std::move(run));
}

void ApiTracer::context_destroyed() { live_.forget_device_memory(); }

void ApiTracer::begin_launch(ThreadCalls& thread, const std::string& name,
                             const CUpti_CallbackData& data) {
  const OwnWork own;
  PendingLaunch launch;
  launch.request = driver_launch(name, data.functionParams);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (captures_ > 0) driver_.is_capturing(launch.request.stream, &capture);
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE) return;
  // One call may launch on several devices; the first launch holds the turn for all.
  if (thread.launches.empty()) launch.turn = std::unique_lock(launch_turn_);
  launch.mangled = data.symbolName != nullptr ? data.symbolName : name_of(launch.request, driver_);
  launch.correlations = {data.correlationId};
  launch.parameters = parameters_of(launch.request, driver_);
  launch.static_shared_bytes = static_shared_bytes_of(launch.request, driver_);
  launch.observed = captures_ == 0;
  if (launch.observed) {
    wait_for_device();
    for (const LiveMemory& memory : reachable_from(launch.parameters, live_)) {
      if (memory.bytes() <= kMaxSnapshotBytes)
        launch.snapshots.push_back({memory, contents_of(memory), {}});
    }
    take_runs();
  }
  thread.launches.push_back(std::move(launch));
}

void ApiTracer::end_launch(ThreadCalls& thread, const CUpti_CallbackData& data) {
  const OwnWork own;
  const auto same = std::find_if(thread.launches.rbegin(), thread.launches.rend(),
                                 [&](const PendingLaunch& launch) {
                                   return launch.correlations.front() == data.correlationId;
                                 });
  if (same == thread.launches.rend()) return;
  same->result = result_of(data);
  if (same->result != 0 || !same->observed) return;
  same->result = static_cast<int>(driver_.synchronize());
  same->has_faulted = same->result != 0;
  if (same->has_faulted) return;
  for (Snapshot& snapshot : same->snapshots) snapshot.after = contents_of(snapshot.memory);
}

void ApiTracer::begin_graph(ThreadCalls& thread, const CUpti_CallbackData& data) {
  if (captures_ > 0) return;
  const auto& params = *static_cast<const cuGraphLaunch_params*>(data.functionParams);
  thread.graph_stream = handles_.stream(params.hStream);
  const OwnWork own;
  thread.graph_turn = std::unique_lock(launch_turn_);
  wait_for_device();
  take_runs();
}

void ApiTracer::end_graph(ThreadCalls& thread, const CUpti_CallbackData& data) {
  if (!thread.graph_turn.owns_lock()) return;
  const OwnWork own;
  if (result_of(data) == 0) {
    wait_for_device();
    thread.graph_runs = take_runs();
  }
  thread.graph_turn.unlock();
}

void ApiTracer::finish(ThreadCalls& thread, const Ended& ended) {
  const OwnWork own;
  const bool is_launch = is_runtime_launch(ended.call.name);
  const bool launched = !thread.launches.empty();
  for (PendingLaunch& launch : thread.launches) {
    launch.correlations.push_back(ended.correlation);
    write_launch(thread, launch, ended.result);
  }
  thread.launches.clear();
  // As on the emulated device: a graph with kernels is told of by them.
  const bool ran_graph = ended.call.name == "cudaGraphLaunch" && !thread.graph_runs.empty();
  write_graph_runs(thread);
  if ((is_launch && launched) || ran_graph) return;
  const bool has_kernel =
      std::find(std::begin(kNoKernel), std::end(kNoKernel), ended.result) == std::end(kNoKernel);
  const bool into_graph = ended.result == 0 && captures_ > 0;
  if (is_launch && ended.params != nullptr && has_kernel && !into_graph)
    return write_shape(thread, ended);
  note_effects(thread, ended);
}

void ApiTracer::note_effects(ThreadCalls& thread, const Ended& ended) {
  DecodedCall call = ended.call;
  if (ended.result == 0) {
    if (begins_capture(call.name)) ++captures_;
    if (call.name == "cudaSetDevice") thread.device = call.args.value("device", 0);
    if (call.copy && captures_ == 0) add_copy_facts(call);
    const std::optional<LiveMemory> made = live_.note(call.name, call.args);
    if (made && call.name != "cudaHostRegister") poison(*made);
  }
  if (call.name == "cudaStreamEndCapture" && captures_ > 0) --captures_;
  write_call(thread, call, ended.result);
}

void ApiTracer::poison(const LiveMemory& memory) {
  if (captures_ > 0) return;
  if (!memory.on_device) {
    std::memset(reinterpret_cast<void*>(memory.ptr), kPoison,
                std::min(memory.bytes(), kMaxHostPoisonBytes));
    return;
  }
  // Before: what a stream allocates is there only when the stream has come so far.
  wait_for_device();
  driver_.fill(memory.ptr, kPoison, memory.bytes());
  wait_for_device();
}

bool ApiTracer::is_on_device(const CopySide& side) const {
  if (side.is_array || side.is_symbol) return true;
  if (const auto memory = live_.holding(side.address)) return memory->on_device;
  unsigned type = 0, managed = 0;
  const auto address = static_cast<CUdeviceptr>(side.address);
  if (driver_.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS)
    return false;
  driver_.pointer_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  return type == CU_MEMORYTYPE_DEVICE && managed == 0;
}

void ApiTracer::add_copy_facts(DecodedCall& call) {
  const Copy& copy = *call.copy;
  if (copy.empty()) return;
  const bool from_device = is_on_device(copy.from), to_device = is_on_device(copy.to);
  call.args["direction"] = std::string(from_device ? "D" : "H") + "to" + (to_device ? "D" : "H");
  if (!from_device || to_device) return;
  if (ends_with(call.name, "Async")) wait_for_device();
  note_hashes(copy, call.args);
}

std::vector<uint8_t> ApiTracer::contents_of(const LiveMemory& memory) const {
  std::vector<uint8_t> bytes(memory.bytes());
  if (!memory.on_device) {
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(memory.ptr), bytes.size());
  } else if (driver_.copy_to_host(bytes.data(), memory.ptr, bytes.size()) != CUDA_SUCCESS) {
    bytes.clear();
  }
  return bytes;
}

void ApiTracer::wait_for_device() const { driver_.synchronize(); }

std::vector<KernelRun> ApiTracer::take_runs() {
  // Forced: the device is idle, and without it CUPTI may keep a buffer to itself.
  cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(runs_mutex_);
  return std::exchange(runs_, {});
}

int ApiTracer::device_of(ThreadCalls& thread) {
  CUdevice device = 0;
  return driver_.context_device(&device) == CUDA_SUCCESS ? device : thread.device;
}

void ApiTracer::write_call(ThreadCalls& thread, const DecodedCall& call, int result) {
  recorder_.write("api", {{"name", call.name},
                          {"result", result},
                          {"device", device_of(thread)},
                          {"range", range_()},
                          {"args", call.args}});
}

void ApiTracer::write_launch(ThreadCalls& thread, PendingLaunch& launch, int result) {
  Json params = Json::array(), memory = Json::array();
  for (const std::string& bytes : launch.parameters) params.push_back(hex_of(bytes));
  const int came_to = result != 0 ? result : launch.result;
  for (const Snapshot& snapshot : launch.snapshots) {
    const bool known = !snapshot.before.empty() && !snapshot.after.empty();
    if (known) memory.push_back(touch_of(snapshot));
  }
  Json fields = {{"result", came_to},
                 {"kernel", demangled(launch.mangled)},
                 {"mangled", launch.mangled},
                 {"device", device_of(thread)},
                 {"range", range_()},
                 {"stream", handles_.stream(launch.request.stream)},
                 {"grid", triple(launch.request.grid)},
                 {"block", triple(launch.request.block)},
                 {"dynamic_shared_bytes", launch.request.dynamic_shared_bytes},
                 {"static_shared_bytes", launch.static_shared_bytes},
                 {"params", params},
                 {"memory", memory}};
  if (result == 0 && launch.has_faulted) fields["faulted"] = true;
  if (launch.observed && came_to == 0) {
    const std::vector<KernelRun> runs = take_runs();
    const KernelRun* const run = run_of(runs, launch.correlations, launch.mangled);
    if (run != nullptr) fields["time_ms"] = measured(*run);
  }
  recorder_.write("launch", fields);
}

void ApiTracer::write_graph_runs(ThreadCalls& thread) {
  for (const KernelRun& run : std::exchange(thread.graph_runs, {})) {
    recorder_.write("launch", {{"result", 0},
                               {"kernel", demangled(run.mangled)},
                               {"mangled", run.mangled},
                               {"device", run.device},
                               {"range", range_()},
                               {"stream", thread.graph_stream},
                               {"grid", triple(run.grid)},
                               {"block", triple(run.block)},
                               {"dynamic_shared_bytes", run.dynamic_shared_bytes},
                               {"static_shared_bytes", run.static_shared_bytes},
                               {"params", Json::array()},
                               {"memory", Json::array()},
                               {"is_unseen", true},
                               {"time_ms", measured(run)}});
  }
}

void ApiTracer::write_shape(ThreadCalls& thread, const Ended& ended) {
  const LaunchRequest request = runtime_launch(ended.call.name, ended.params);
  recorder_.write("launch", {{"result", ended.result},
                             {"kernel", demangled(ended.symbol)},
                             {"mangled", ended.symbol},
                             {"device", device_of(thread)},
                             {"range", range_()},
                             {"stream", handles_.stream(request.stream)},
                             {"grid", triple(request.grid)},
                             {"block", triple(request.block)},
                             {"dynamic_shared_bytes", request.dynamic_shared_bytes},
                             {"static_shared_bytes", 0},
                             {"params", Json::array()},
                             {"memory", Json::array()}});
}

}  // namespace warpgrade::injection
