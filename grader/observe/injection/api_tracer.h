// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "observe/injection/allocations.h"
#include "observe/injection/decoded_call.h"
#include "observe/injection/device_work.h"
#include "observe/injection/kernel_facts.h"
#include "observe/injection/libraries.h"
#include "observe/injection/recorder.h"
#include "observe/injection/touches.h"

namespace warpgrade::injection {

/// Records every call and launch of a program as the emulated device does.
///
/// Theory of operation: the outermost call of the Runtime API is recorded when it returns, and what it
/// asks of the driver is not; a driver call of the program's own is recorded by itself. Launches are
/// seen where they all come through, at the driver. One runs at a time: the library waits for the
/// device before it and after it, and compares the memory that the parameters point into. Nothing of
/// this can be done while a stream is captured, so then it is left out.
class ApiTracer {
 public:
  /// `range` gives the name of the calling thread's innermost range.
  ApiTracer(Recorder& recorder, const Driver& driver, const Cupti& cupti,
            std::function<std::string()> range);

  void on_runtime_call(const CUpti_CallbackData& data);
  void on_driver_call(const CUpti_CallbackData& data);
  /// From CUPTI's buffers, by whichever thread.
  void add(KernelRun run);
  void context_destroyed();

 private:
  struct PendingLaunch {
    std::unique_lock<std::mutex> turn;
    LaunchRequest request;
    std::string mangled;
    std::vector<std::string> parameters;
    std::vector<Snapshot> snapshots;
    std::vector<uint32_t> correlations;
    int static_shared_bytes = 0;
    int result = 0;
    bool has_faulted = false;  ///< It ran, and `result` is the error that ended it.
    bool observed = false;     ///< The device was waited for, before and after.
  };
  struct ThreadCalls {
    int runtime_depth = 0;
    int driver_depth = 0;
    int device = 0;
    std::vector<PendingLaunch> launches;
    std::unique_lock<std::mutex> graph_turn;
    uint64_t graph_stream = 0;
    std::vector<KernelRun> graph_runs;
  };
  struct Ended {
    const DecodedCall& call;
    const void* params;
    int result;
    uint32_t correlation;
    std::string symbol;  ///< A launch's kernel by its mangled name, if known.
  };

  static ThreadCalls& this_thread();
  void begin_launch(ThreadCalls& thread, const std::string& name, const CUpti_CallbackData& data);
  void end_launch(ThreadCalls& thread, const CUpti_CallbackData& data);
  void begin_graph(ThreadCalls& thread, const CUpti_CallbackData& data);
  void end_graph(ThreadCalls& thread, const CUpti_CallbackData& data);
  void finish(ThreadCalls& thread, const Ended& ended);
  void note_effects(ThreadCalls& thread, const Ended& ended);
  void poison(const LiveMemory& memory);
  void add_copy_facts(DecodedCall& call);
  void write_call(ThreadCalls& thread, const DecodedCall& call, int result);
  void write_launch(ThreadCalls& thread, PendingLaunch& launch, int result);
  void write_graph_runs(ThreadCalls& thread);
  /// Writes the shape alone of a launch that the runtime refused without asking the driver.
  void write_shape(ThreadCalls& thread, const Ended& ended);
  int device_of(ThreadCalls& thread);
  bool is_on_device(const CopySide& side) const;
  std::vector<uint8_t> contents_of(const LiveMemory& memory) const;
  void wait_for_device() const;
  /// The runs since the last call, all of them where the device is idle.
  std::vector<KernelRun> take_runs();

  Recorder& recorder_;
  const Driver& driver_;
  const Cupti& cupti_;
  std::function<std::string()> range_;
  Handles handles_;
  LiveAllocations live_;
  std::atomic<int> captures_{0};
  std::mutex launch_turn_;
  std::mutex runs_mutex_;
  std::vector<KernelRun> runs_;
};

}  // namespace warpgrade::injection
