// SPDX-License-Identifier: MIT
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "observe/injection/testing/fake_gpu.h"

// What the three parts of the fake know of each other.
namespace warpgrade::fake {

constexpr uint32_t kContextId = 1;

struct State {
  std::recursive_mutex mutex;
  pid_t process = 0;  ///< That called cuInit.
  bool initialized = false, shut_down = false, has_context = false;
  std::map<const void*, Kernel> kernels;
  std::map<uint64_t, size_t> memory;
  std::set<uint64_t> capturing;
  std::map<uint64_t, uint64_t> event_ns;  ///< The times of live events.
  std::vector<const void*> graph;
  uint64_t next_handle = 0x10000;
  uint32_t next_correlation = 1;
  // CUPTI's side.
  CUpti_CallbackFunc callback = nullptr;
  std::set<CUpti_CallbackDomain> domains;
  std::set<CUpti_ActivityKind> kinds;
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::deque<std::vector<uint8_t>> records;
};

State& state();
CUcontext the_context();
uint64_t new_handle();
uint64_t now_ns();
/// The device's time as CUPTI converts it: with FAKE_CUPTI_DRIFTS a tenth too fast, from its first use on.
uint64_t converted_ns();
void make_context();
void destroy_context();
bool is_device_memory(uint64_t address);

/// One call while it runs: CUPTI's subscriber hears of its beginning and its end.
class Call {
 public:
  Call(CUpti_CallbackDomain domain, const char* name, const void* params,
       const char* symbol = nullptr);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  uint32_t correlation() const { return data_.correlationId; }
  int end_with(int result);

 private:
  void tell(CUpti_ApiCallbackSite site);

  CUpti_CallbackDomain domain_;
  CUpti_CallbackData data_ = {};
  int result_ = 0;
};

template <class Params, class Body>
CUresult driver_call(const char* name, const Params& params, Body body) {
  Call call(CUPTI_CB_DOMAIN_DRIVER_API, name, &params);
  return static_cast<CUresult>(call.end_with(static_cast<int>(body(call.correlation()))));
}

void add_record(CUpti_ActivityKind kind, const void* record, size_t bytes);

/// Runs `body` and records, as that activity, how long it took.
template <class Activity, class Body>
void run_recorded(CUpti_ActivityKind kind, Activity activity, CUstream stream, Body body) {
  activity.kind = kind;
  activity.contextId = kContextId;
  activity.streamId = static_cast<uint32_t>(reinterpret_cast<uint64_t>(stream));
  activity.start = converted_ns();
  body();
  activity.end = converted_ns() + 1;
  add_record(kind, &activity, sizeof activity);
}

}  // namespace warpgrade::fake
