// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "observe/injection/libraries.h"
#include "observe/injection/range_ledger.h"
#include "observe/injection/recorder.h"

namespace warpgrade::injection {

/// Times ranges, one at a time.
///
/// Theory of operation: before a range the device is waited for, its L2 cache emptied by writing twice
/// its size, and waited for again; then come an event and the host's clock. After it come an event, the
/// wait and the clock. Right before and right after all that a word is filled, which marks the range on
/// the device. In between the library does nothing but take CUPTI's buffers. Lines are written
/// before the next range and at the end, when all of a range's records are there. Where a thread has
/// no context, the first device's primary one is made current, so that no range pays for making it.
class RangeTimer {
 public:
  RangeTimer(Recorder& recorder, const Driver& driver, const Cupti& cupti);

  void set_repetition(int repetition) { repetition_ = repetition; }
  /// False, and nothing done, while another range is timed.
  bool begin(const std::string& name);
  void end();
  /// From CUPTI's buffers, by whichever thread.
  void add(const CUpti_Activity& record);
  void context_created(CUcontext context);
  void context_destroyed(CUcontext context);
  /// At the end of the process.
  void finish();

 private:
  /// What the library holds in a context.
  struct Bench {
    CUdeviceptr scratch = 0, marked = 0;
    size_t scratch_bytes = 0;
    CUstream stream = nullptr;
    CUevent start = nullptr, end = nullptr;
  };

  CUcontext ensure_context();
  void prepare(CUcontext context);
  bool is_alive(CUcontext context);
  /// Their memory, streams and events went with their contexts.
  void drop_stale_benches();
  Bench& bench_in(CUcontext context);
  /// A program that leaves no memory cannot be timed; any other error is of its own making, and shows in its own calls.
  void fail_if_short(CUresult result, const std::string& of_what);
  void warm_up(const Bench& bench);
  void measure_empty_ranges(const Bench& bench);
  void empty_caches(const Bench& bench);
  void mark(const Bench& bench, uint32_t number);
  void wait_for_devices(CUcontext current);
  void write_lines();
  void flush_all();
  double elapsed_ms(const Bench& bench) const;

  Recorder& recorder_;
  const Driver& driver_;
  const Cupti& cupti_;
  RangeLedger ledger_;
  std::atomic<int> repetition_{0};
  std::mutex mutex_;
  bool open_ = false;
  bool warm_ = false;
  std::atomic<bool> forced_{false};  ///< Records of what still runs are handed out too.
  CUcontext context_ = nullptr;      ///< The open range's context.
  TimedRange range_;
  uint32_t next_mark_ = 1;
  std::map<CUcontext, Bench> benches_;
  std::mutex contexts_mutex_;
  std::set<CUcontext> contexts_, gone_, stale_benches_;
};

}  // namespace warpgrade::injection
