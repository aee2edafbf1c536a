// SPDX-License-Identifier: MIT

// What the driver and NVTX load into a program that is to be observed, by the environment:
// CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name this library, WARPGRADE_TRACE the file to write,
// WARPGRADE_TRACE_MODE what to do (trace or timing), WARPGRADE_CUPTI another CUPTI than the toolkit's.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudart/nvtx.h"
#include "emulator/runtime/record/ranges.h"
#include "observe/injection/api_tracer.h"
#include "observe/injection/host_clock.h"
#include "observe/injection/own_work.h"
#include "observe/injection/range_timer.h"

namespace warpgrade::injection {
namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr size_t kBufferAlignment = 8;
constexpr size_t kBuffersAtStart = 2;
constexpr const char* kOurPrefix = "warpgrade.";
constexpr const char* kRepetition = "warpgrade.repetition:";

/// As the process was started: the program may have set others since.
std::string setting(const std::string& name) {
  std::ifstream environment("/proc/self/environ", std::ios::binary);
  for (std::string entry; std::getline(environment, entry, '\0');) {
    if (entry.compare(0, name.size() + 1, name + "=") == 0) return entry.substr(name.size() + 1);
  }
  return "";
}

/// Buffers for CUPTI. Some are there beforehand, and touched, so that no timed range makes one.
class Buffers {
 public:
  void prepare() {
    for (size_t i = 0; i < kBuffersAtStart; ++i) {
      uint8_t* const buffer = make();
      if (buffer != nullptr) std::memset(buffer, 0, kBufferBytes);
      give_back(buffer);
    }
  }
  uint8_t* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return make();
    uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give_back(uint8_t* buffer) {
    const std::lock_guard lock(mutex_);
    if (buffer != nullptr) free_.push_back(buffer);
  }

 private:
  static uint8_t* make() {
    return static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  }

  std::mutex mutex_;
  std::vector<uint8_t*> free_;
};

/// The library in its process. It is never destroyed: the program's own exit handlers may call CUDA
/// until the end.
class Injection {
 public:
  Injection();

  /// CUPTI's callbacks, from the first call on; at most once.
  void start();
  void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  void on_records(CUcontext context, uint32_t stream, uint8_t* buffer, size_t valid_bytes);
  bool range_begins(const std::string& name);
  void range_ends() { timer_->end(); }
  bool is_timing() const { return timer_ != nullptr; }
  void set_repetition(int repetition) { timer_->set_repetition(repetition); }
  void at_exit();
  void at_very_end() { recorder_.write("exit", Json::object()); }
  void fail(const std::string& message) { recorder_.fail(message); }
  Buffers& buffers() { return buffers_; }

 private:
  std::string observe();
  void on_resource(CUpti_CallbackId id, const CUpti_ResourceData* resource);
  Json devices() const;
  /// Why a call of CUPTI did not do what it should, or empty.
  std::string complaint(const char* call, CUptiResult result) const;

  Recorder recorder_;
  Driver driver_;
  Cupti cupti_;
  Buffers buffers_;
  std::unique_ptr<ApiTracer> tracer_;
  std::unique_ptr<RangeTimer> timer_;
  std::atomic<bool> started_{false}, ready_{false};
};

std::atomic<bool>& exists() {
  static std::atomic<bool> made{false};
  return made;
}

Injection& injection() {
  static Injection& only = *new Injection;
  exists() = true;
  return only;
}

/// Runs after the program's own exit handlers and static objects.
__attribute__((destructor)) void end_trace() {
  if (exists()) injection().at_very_end();
}

/// Runs before the driver shuts down, whose handlers were there first.
void flush_at_exit() { injection().at_exit(); }

/// Nothing of ours may throw through CUPTI.
template <class Body>
void guarded(Body body) {
  try {
    body();
  } catch (const std::exception& problem) {
    injection().fail(problem.what());
  }
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  guarded([&] { injection().on_callback(domain, id, data); });
}

void CUPTIAPI buffer_requested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = injection().buffers().take();
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                               size_t valid_bytes) {
  guarded([&] { injection().on_records(context, stream, buffer, valid_bytes); });
  injection().buffers().give_back(buffer);
}

Injection::Injection() : recorder_(setting("WARPGRADE_TRACE")) {
  const std::string mode = setting("WARPGRADE_TRACE_MODE");
  if (!recorder_.enabled()) return;
  recorder_.ask_for_devices([this] { return devices(); });
  if (mode == "timing") {
    timer_ = std::make_unique<RangeTimer>(recorder_, driver_, cupti_);
  } else if (mode == "trace" || mode.empty()) {
    tracer_ = std::make_unique<ApiTracer>(recorder_, driver_, cupti_, [] {
      return emulator::range_of_call(emulator::graders_ranges().is_made());
    });
  } else {
    recorder_.fail("WARPGRADE_TRACE_MODE is " + mode + ", and not trace or timing");
  }
}

void Injection::start() {
  if ((tracer_ == nullptr && timer_ == nullptr) || started_.exchange(true)) return;
  const std::string why = observe();
  if (why.empty()) {
    ready_ = true;
  } else {
    recorder_.fail(why);
  }
}

std::string Injection::complaint(const char* call, CUptiResult result) const {
  if (result == CUPTI_SUCCESS) return "";
  const char* words = nullptr;
  cupti_.in_words(result, &words);
  std::string text = std::string(call) + " failed with CUPTI error " + std::to_string(result) +
                     " (" + (words == nullptr ? "unknown" : words) + ")";
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    text += ": another tool, a profiler or a debugger, observes this program already";
  return text;
}

std::string Injection::observe() {
  const OwnWork own;
  if (std::string why = driver_.load("libcuda.so.1"); !why.empty()) return why;
  const std::string other = setting("WARPGRADE_CUPTI");
  if (std::string why = cupti_.load(other.empty() ? "libcupti.so.13" : other.c_str()); !why.empty())
    return why;
  CUpti_SubscriberHandle subscriber = nullptr;
  std::string why = complaint("cuptiSubscribe", cupti_.subscribe(&subscriber, callback, nullptr));
  const auto then = [&](const char* call, auto function) {
    if (why.empty()) why = complaint(call, function());
  };
  const auto enable_domain = [&](CUpti_CallbackDomain domain) {
    then("cuptiEnableDomain", [&] { return cupti_.enable_domain(1, subscriber, domain); });
  };
  const auto enable_activity = [&](CUpti_ActivityKind kind) {
    then("cuptiActivityEnable", [&] { return cupti_.enable_activity(kind); });
  };
  enable_domain(CUPTI_CB_DOMAIN_RESOURCE);
  // Before any activity, as CUPTI wants it.
  then("cuptiActivityRegisterTimestampCallback",
       [&] { return cupti_.register_clock(monotonic_ns); });
  buffers_.prepare();
  then("cuptiActivityRegisterCallbacks",
       [&] { return cupti_.register_buffers(buffer_requested, buffer_completed); });
  enable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (timer_ != nullptr) {
    enable_activity(CUPTI_ACTIVITY_KIND_MEMCPY);
    enable_activity(CUPTI_ACTIVITY_KIND_MEMCPY2);
    enable_activity(CUPTI_ACTIVITY_KIND_MEMSET);
  } else {
    enable_domain(CUPTI_CB_DOMAIN_RUNTIME_API);
    enable_domain(CUPTI_CB_DOMAIN_DRIVER_API);
  }
  return why;
}

void Injection::on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return on_resource(id, static_cast<const CUpti_ResourceData*>(data));
  if (tracer_ == nullptr || OwnWork::is_going_on() || !recorder_.writes_here()) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) tracer_->on_runtime_call(call);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) tracer_->on_driver_call(call);
}

void Injection::on_resource(CUpti_CallbackId id, const CUpti_ResourceData* resource) {
  // Other events may have no data: the end of cuInit comes with a null pointer.
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) {
    if (timer_ != nullptr) timer_->context_created(resource->context);
  } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    if (timer_ != nullptr) timer_->context_destroyed(resource->context);
    if (tracer_ != nullptr) tracer_->context_destroyed();
  }
}

void Injection::on_records(CUcontext context, uint32_t stream, uint8_t* buffer,
                           size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cupti_.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (timer_ != nullptr) {
      timer_->add(*record);
    } else if (auto run = kernel_of(*record)) {
      tracer_->add(std::move(*run));
    }
  }
  size_t dropped = 0;
  cupti_.dropped_records(context, stream, &dropped);
  if (dropped != 0) fail("CUPTI dropped " + std::to_string(dropped) + " of its records");
}

bool Injection::range_begins(const std::string& name) {
  if (!recorder_.writes_here()) return false;
  start();
  return ready_ && timer_->begin(name);
}

void Injection::at_exit() {
  if (!recorder_.writes_here()) return;
  recorder_.begin();
  if (ready_ && timer_ != nullptr) timer_->finish();
}

Json Injection::devices() const {
  const OwnWork own;
  Json list = Json::array();
  int count = 0;
  if (driver_.device_count == nullptr || driver_.device_count(&count) != CUDA_SUCCESS) return list;
  for (int number = 0; number < count; ++number) {
    CUdevice device = 0;
    char name[256] = "";
    int major = 0, minor = 0;
    driver_.device_get(&device, number);
    driver_.device_name(name, sizeof name, device);
    driver_.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver_.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    list.push_back({{"name", std::string(name)}, {"major", major}, {"minor", minor}});
  }
  return list;
}

/// Whether the calling thread's ranges are being timed.
enum class Timing { kNo, kYes, kAnotherThreads };

/// The grader's outermost range, which the program can neither end nor hide; without a grader's driver the outermost of
/// the thread's own.
std::optional<std::string> timed_range() {
  if (emulator::graders_ranges().is_made()) return emulator::graders_ranges().outermost();
  const std::string* const own = emulator::this_threads_ranges().outermost_but(kOurPrefix);
  return own == nullptr ? std::nullopt : std::optional(*own);
}

/// After every change of the calling thread's ranges: times the outermost of the program's own.
void ranges_changed() {
  if (!injection().is_timing()) return;
  thread_local Timing timing = Timing::kNo;
  const std::optional<std::string> outermost = timed_range();
  if (outermost && timing == Timing::kNo) {
    timing = injection().range_begins(*outermost) ? Timing::kYes : Timing::kAnotherThreads;
  } else if (!outermost && timing != Timing::kNo) {
    if (timing == Timing::kYes) injection().range_ends();
    timing = Timing::kNo;
  }
}

void note_repetition(const std::string& name) {
  if (injection().is_timing() && name.rfind(kRepetition, 0) == 0)
    injection().set_repetition(std::atoi(name.c_str() + std::strlen(kRepetition)));
}

}  // namespace
}  // namespace warpgrade::injection

namespace warpgrade::cudart {

using emulator::graders_ranges;
using emulator::this_threads_ranges;

void graders_domain_made() { graders_ranges().make(); }

int range_pushed(std::string name) {
  injection::note_repetition(name);
  const int depth = this_threads_ranges().push(std::move(name));
  injection::ranges_changed();
  return depth;
}

int range_popped() {
  const int depth = this_threads_ranges().pop();
  injection::ranges_changed();
  return depth;
}

int graders_range_pushed(std::string name) {
  const int depth = graders_ranges().push(std::move(name));
  injection::ranges_changed();
  return depth;
}

int graders_range_popped() {
  const int depth = graders_ranges().pop();
  injection::ranges_changed();
  return depth;
}

void range_started(uint64_t id, std::string name) {
  this_threads_ranges().start(id, std::move(name));
  injection::ranges_changed();
}

void range_ended(uint64_t id) {
  this_threads_ranges().end(id);
  injection::ranges_changed();
}

}  // namespace warpgrade::cudart

/// Called by the driver in the program's first call of it. Returns 1 for success.
extern "C" int InitializeInjection() {
  using namespace warpgrade::injection;
  injection().start();
  std::atexit(flush_at_exit);
  return 1;
}
