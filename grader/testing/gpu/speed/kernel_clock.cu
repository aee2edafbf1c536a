// SPDX-License-Identifier: MIT
#include "testing/gpu/speed/kernel_clock.h"

#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

namespace warpgrade::speed {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr const char* kLibraries[] = {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                      "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"};

struct Record {
  uint64_t start_ns, end_ns;
  bool is_memset;
  std::string name;
};

struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) next_record;
};

// CUPTI's callbacks take no pointer of ours, so what they write to stands here.
Cupti cupti;
std::mutex records_mutex;
std::vector<Record> records;

std::string readable(const char* name) {
  if (name == nullptr) return "";
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string found = status == 0 ? text : name;
  std::free(text);
  return found;
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = kBufferBytes;
  *most_records = 0;
}

void keep(const CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    records.push_back({kernel->start, kernel->end, false, readable(kernel->name)});
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
    if (copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD)
      records.push_back({copy->start, copy->end, false, "[copy on the device]"});
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const auto* set = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
    records.push_back({set->start, set->end, true, ""});
  }
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  const std::lock_guard lock(records_mutex);
  CUpti_Activity* record = nullptr;
  while (cupti.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) keep(record);
  std::free(buffer);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

std::string start() {
  void* library = nullptr;
  for (const char* name : kLibraries) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library == nullptr) return "libcupti.so.13 was not found";
  find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  find(library, "cuptiActivityEnable", cupti.enable);
  find(library, "cuptiActivityFlushAll", cupti.flush_all);
  find(library, "cuptiActivityGetNextRecord", cupti.next_record);
  if (!cupti.register_callbacks || !cupti.enable || !cupti.flush_all || !cupti.next_record)
    return "libcupti.so.13 lacks a function";
  if (cupti.register_callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS)
    return "CUPTI takes no callbacks";
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (cupti.enable(kind) != CUPTI_SUCCESS) return "CUPTI records no kernels";
  }
  return "";
}

/// Milliseconds in which at least one of the intervals lasts.
double union_ms(std::vector<std::pair<uint64_t, uint64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  uint64_t total_ns = 0, reached_ns = 0;
  for (const auto& [start_ns, end_ns] : intervals) {
    const uint64_t from_ns = std::max(start_ns, reached_ns);
    if (end_ns > from_ns) total_ns += end_ns - from_ns;
    reached_ns = std::max(reached_ns, end_ns);
  }
  return static_cast<double>(total_ns) / 1e6;
}

}  // namespace

KernelClock::KernelClock() : error_(start()) {}

DeviceWork KernelClock::take() {
  cudaDeviceSynchronize();
  cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(records_mutex);
  std::vector<std::pair<uint64_t, uint64_t>> kernels, memsets;
  std::set<std::string> names;
  for (const Record& record : records) {
    (record.is_memset ? memsets : kernels).emplace_back(record.start_ns, record.end_ns);
    if (!record.is_memset) names.insert(record.name);
  }
  records.clear();
  return {union_ms(kernels), union_ms(memsets), {names.begin(), names.end()}};
}

}  // namespace warpgrade::speed
