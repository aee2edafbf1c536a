// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/runtime/machine.h"
#include "emulator/runtime/record/ranges.h"

namespace warpgrade::emulator {

/// Copies of one direction, or fills, that were done.
struct Transferred {
  uint64_t count = 0, bytes = 0;
  double ms = 0;  ///< The least that memory takes for them, by the model.
};

/// What the trace tells of a call.
struct CallRecord {
  // Not JSON, whose header would take a third of the time that each user of this one takes to compile.
  using Arg = std::variant<int64_t, uint64_t, double, std::string>;

  std::string name;
  std::vector<std::pair<std::string, Arg>> args{};
  std::vector<std::pair<std::string, std::vector<std::string>>> lists{};
  std::map<std::string, Transferred> transfers{};  ///< By direction, or "fill".
  HostPlace place{};  ///< Where the program makes what another call gives back.
};

/// One call of the Runtime API while it runs. It holds the machine's lock; at its end finish()
/// notes the error and writes the trace record.
class ApiCall {
 public:
  explicit ApiCall(const char* name);

  Machine& machine() { return machine_; }
  ThreadState& thread() { return thread_; }
  int device_index() const { return thread_.device; }
  Device& device() { return machine_.devices[static_cast<size_t>(thread_.device)]; }
  bool has_device(int device) const {
    return device >= 0 && device < static_cast<int>(machine_.devices.size());
  }
  /// What the call returns where the program sees no device, which some calls do without.
  cudaError_t lacks_device() const;
  const char* name() const { return record_.name.c_str(); }
  const CallRecord& record() const { return record_; }

  /// Adds to the record's "args", or replaces what has that key.
  void note(const char* key, std::signed_integral auto value) { add(key, int64_t{value}); }
  void note(const char* key, std::unsigned_integral auto value) { add(key, uint64_t{value}); }
  void note(const char* key, double value) { add(key, value); }
  void note(const char* key, const std::string& text) { add(key, text); }
  // Without it a literal would be noted as its address.
  void note(const char* key, const char* text) { add(key, std::string(text)); }
  void note(const char* key, const void* pointer) {
    note(key, reinterpret_cast<uint64_t>(pointer));
  }
  /// What was copied or filled for the call, whatever its arguments say.
  void note_transfer(const char* direction, size_t bytes, double ms);
  void note(const char* key, std::vector<std::string> texts) {
    record_.lists.emplace_back(key, std::move(texts));
  }
  /// For a call that is recorded in another way, or not at all.
  void leave_no_record() { recorded_ = false; }
  /// Runs a part of the call that has a record of its own, as each copy of a graph or a kernel has.
  template <class Body>
  cudaError_t run_part(CallRecord record, Body body) {
    std::swap(record, record_);
    const cudaError_t result = body();
    write_record(result);
    std::swap(record, record_);
    return result;
  }
  /// For work queued behind a kernel that faulted: the program is told nothing yet, the trace is.
  void abandon(cudaError_t fault) { abandoned_by_ = fault; }
  /// For a call whose result is no failure of its own, as that of cudaGetLastError.
  void keep_last_error() { keeps_last_error_ = true; }
  /// Reports a finding that names no kernel.
  void find(Sentence message);
  /// Runs a callback of the program, which may use other threads that call the API.
  template <class Function>
  void call_back(Function function) {
    machine_.print();
    lock_.unlock();
    function();
    lock_.lock();
  }
  /// The stream a handle means, or null. Kernels that wait, and that its next work comes after, have ended then.
  CUstream_st* stream(cudaStream_t handle);

  /// Has kernels that wait look at what the call did. What the call returns where it waited for one that failed.
  cudaError_t after_kernels(EarlierFault when, cudaError_t result);
  cudaError_t finish(cudaError_t result);

 private:
  void add(const char* key, CallRecord::Arg arg);
  void write_record(cudaError_t result);
  void note_maker();

  CallRecord record_;
  Machine& machine_;
  ThreadState& thread_;
  std::unique_lock<std::timed_mutex> lock_;
  cudaError_t abandoned_by_ = cudaSuccess;
  bool recorded_ = true;
  bool keeps_last_error_ = false;
};

/// Whether a capture forbids the calling thread such a call: CUDA Runtime API,
/// "cudaThreadExchangeStreamCaptureMode". Success where none does.
cudaError_t refused_by_captures(ApiCall& call);

/// The frame of every exported function: lock, earlier fault, body, last error, trace.
template <class Body>
cudaError_t api_call(const char* name, EarlierFault when, Body body) {
  ApiCall call(name);
  if (when != EarlierFault::ignored) call.machine().used = true;
  const bool kernels_wait = !call.machine().waiting_kernels.empty();
  cudaError_t result = call.lacks_device();
  if (result == cudaSuccess) result = call.device().fault_for(when);
  if (result == cudaSuccess) result = refused_by_captures(call);
  if (result != cudaSuccess) return call.finish(result);
  try {
    result = body(call);
  } catch (const std::bad_alloc&) {
    result = cudaErrorMemoryAllocation;
  } catch (const std::length_error&) {
    result = cudaErrorMemoryAllocation;
  }
  if (kernels_wait) result = call.after_kernels(when, result);
  if (when == EarlierFault::found) call.machine().print();
  return call.finish(result);
}

}  // namespace warpgrade::emulator
