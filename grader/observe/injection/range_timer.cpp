// SPDX-License-Identifier: MIT
#include "observe/injection/range_timer.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "observe/injection/host_clock.h"
#include "observe/injection/own_work.h"

namespace warpgrade::injection {
namespace {

constexpr int64_t kWarmUpNs = 100'000'000;
constexpr int kFillsAtATime = 16;
constexpr int kEmptyRanges = 100;
constexpr size_t kLeastScratchBytes = size_t{8} << 20;
constexpr double kNsPerMs = 1e6;
constexpr int64_t kNoRunTakesNs = int64_t{24} * 3600 * 1'000'000'000;

int64_t now_ns() { return static_cast<int64_t>(monotonic_ns()); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

RangeTimer::RangeTimer(Recorder& recorder, const Driver& driver, const Cupti& cupti)
    : recorder_(recorder), driver_(driver), cupti_(cupti) {}

bool RangeTimer::begin(const std::string& name) {
  const OwnWork own;
  const std::lock_guard lock(mutex_);
  if (open_) return false;
  open_ = true;
  range_ = {name, repetition_, {}, 0, 0};
  drop_stale_benches();
  context_ = ensure_context();
  if (context_ != nullptr) {
    prepare(context_);
  } else {
    recorder_.fail("the driver gives no context to time in: is there a GPU?");
  }
  range_.when.start_ns = now_ns();
  return true;
}

void RangeTimer::prepare(CUcontext context) {
  wait_for_devices(context);
  write_lines();
  const Bench& bench = bench_in(context);
  if (!std::exchange(warm_, true)) {
    warm_up(bench);
    measure_empty_ranges(bench);
  }
  empty_caches(bench);
  if (bench.marked != 0) range_.mark = std::exchange(next_mark_, next_mark_ + 2);
  mark(bench, range_.mark);
  driver_.record_event(bench.start, nullptr);
}

void RangeTimer::end() {
  const OwnWork own;
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  drop_stale_benches();
  CUcontext current = nullptr;
  driver_.current_context(&current);
  const bool measured = benches_.count(context_) != 0;
  const bool elsewhere = measured && current != context_;
  if (elsewhere) driver_.push_context(context_);
  if (measured) driver_.record_event(benches_[context_].end, nullptr);
  wait_for_devices(measured ? context_ : current);
  range_.when.end_ns = now_ns();
  if (measured) range_.event_ms = elapsed_ms(benches_[context_]);
  if (measured && range_.mark != 0) mark(benches_[context_], range_.mark + 1);
  if (!measured) range_.mark = 0;
  if (elsewhere) driver_.pop_context(&current);
  open_ = false;
  ledger_.add(range_);
}

void RangeTimer::add(const CUpti_Activity& record) {
  if (is_untimed_kernel(record) && !forced_) recorder_.fail("CUPTI does not say when a kernel ran");
  const std::optional<DeviceWork> work = work_of(record);
  if (!work) return;
  // It has been seen to fall back on CLOCK_REALTIME.
  if (std::abs(now_ns() - work->when.end_ns) > kNoRunTakesNs)
    recorder_.fail("CUPTI gives times of another clock than it was told to use");
  ledger_.add(*work);
}

void RangeTimer::context_created(CUcontext context) {
  const std::lock_guard lock(contexts_mutex_);
  contexts_.insert(context);
  gone_.erase(context);
}

void RangeTimer::context_destroyed(CUcontext context) {
  const std::lock_guard lock(contexts_mutex_);
  contexts_.erase(context);
  gone_.insert(context);
  stale_benches_.insert(context);
}

void RangeTimer::finish() {
  const OwnWork own;
  flush_all();
  for (const Json& line : ledger_.take_lines()) recorder_.write("timing", line);
  if (ledger_.has_slow_clock())
    recorder_.fail("by CUPTI's clock less time passed than by the device's own events");
}

CUcontext RangeTimer::ensure_context() {
  CUcontext context = nullptr;
  const bool has_one =
      driver_.current_context(&context) == CUDA_SUCCESS && context != nullptr && is_alive(context);
  if (has_one) return context;
  CUdevice device = 0;
  const bool made = driver_.init(0) == CUDA_SUCCESS &&
                    driver_.device_get(&device, 0) == CUDA_SUCCESS &&
                    driver_.retain_primary(&context, device) == CUDA_SUCCESS &&
                    driver_.set_context(context) == CUDA_SUCCESS;
  if (!made) return nullptr;
  const std::lock_guard lock(contexts_mutex_);
  gone_.erase(context);
  return context;
}

bool RangeTimer::is_alive(CUcontext context) {
  const std::lock_guard lock(contexts_mutex_);
  return gone_.count(context) == 0;
}

void RangeTimer::drop_stale_benches() {
  const std::lock_guard lock(contexts_mutex_);
  for (const CUcontext context : std::exchange(stale_benches_, {})) benches_.erase(context);
}

RangeTimer::Bench& RangeTimer::bench_in(CUcontext context) {
  Bench& bench = benches_[context];
  if (bench.stream != nullptr) return bench;
  CUdevice device = 0;
  int l2_bytes = 0;
  driver_.context_device(&device);
  driver_.device_attribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  const CUresult streamed = driver_.create_stream(&bench.stream, CU_STREAM_NON_BLOCKING);
  if (streamed != CUDA_SUCCESS) bench.stream = nullptr;
  fail_if_short(streamed, "no stream of its own");
  driver_.create_event(&bench.start, CU_EVENT_DEFAULT);
  driver_.create_event(&bench.end, CU_EVENT_DEFAULT);
  // The program's own stream must not be taken for the library's.
  if (bench.stream == nullptr) return bench;
  bench.scratch_bytes = std::max(2 * static_cast<size_t>(l2_bytes), kLeastScratchBytes);
  const CUresult allocated = driver_.allocate(&bench.scratch, bench.scratch_bytes);
  if (allocated != CUDA_SUCCESS) bench.scratch_bytes = 0;
  fail_if_short(allocated, "no memory to empty the caches with");
  if (driver_.allocate(&bench.marked, sizeof(uint32_t)) != CUDA_SUCCESS) bench.marked = 0;
  uint32_t context_id = 0, stream_id = 0;
  const bool known = cupti_.context_id(context, &context_id) == CUPTI_SUCCESS &&
                     cupti_.stream_id(context, bench.stream, 0, &stream_id) == CUPTI_SUCCESS;
  if (known) {
    ledger_.ignore_stream(context_id, stream_id);
  } else {
    recorder_.fail("CUPTI does not say which stream is the library's own");
  }
  return bench;
}

void RangeTimer::fail_if_short(CUresult result, const std::string& of_what) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY) recorder_.fail("the driver gives the library " + of_what);
}

void RangeTimer::warm_up(const Bench& bench) {
  if (bench.scratch_bytes == 0) return;
  for (const int64_t start = now_ns(); now_ns() - start < kWarmUpNs;) {
    for (int i = 0; i < kFillsAtATime; ++i)
      driver_.fill_async(bench.scratch, static_cast<unsigned char>(i), bench.scratch_bytes,
                         bench.stream);
    if (driver_.synchronize() != CUDA_SUCCESS) return;
  }
}

void RangeTimer::measure_empty_ranges(const Bench& bench) {
  std::vector<double> event_ms, wall_ms;
  for (int i = 0; i < kEmptyRanges; ++i) {
    driver_.record_event(bench.start, nullptr);
    const int64_t start = now_ns();
    driver_.record_event(bench.end, nullptr);
    driver_.synchronize();
    wall_ms.push_back(static_cast<double>(now_ns() - start) / kNsPerMs);
    event_ms.push_back(elapsed_ms(bench));
  }
  recorder_.write("overhead", {{"event_ms", median(event_ms)}, {"wall_ms", median(wall_ms)}});
}

void RangeTimer::empty_caches(const Bench& bench) {
  // Both fail on devices that cannot keep lines in their L2.
  driver_.reset_persisting();
  driver_.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  if (bench.scratch_bytes != 0)
    driver_.fill_async(bench.scratch, 0, bench.scratch_bytes, bench.stream);
  driver_.synchronize();
}

void RangeTimer::mark(const Bench& bench, uint32_t number) {
  if (bench.marked == 0) return;
  driver_.fill_words_async(bench.marked, number, 1, bench.stream);
  driver_.synchronize();
}

void RangeTimer::wait_for_devices(CUcontext current) {
  driver_.synchronize();
  std::vector<CUcontext> others;
  {
    const std::lock_guard lock(contexts_mutex_);
    std::copy_if(contexts_.begin(), contexts_.end(), std::back_inserter(others),
                 [&](CUcontext context) { return context != current; });
  }
  for (const CUcontext other : others) {
    if (driver_.push_context(other) != CUDA_SUCCESS) continue;
    driver_.synchronize();
    CUcontext popped = nullptr;
    driver_.pop_context(&popped);
  }
}

void RangeTimer::flush_all() {
  forced_ = true;
  cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  forced_ = false;
}

void RangeTimer::write_lines() {
  cupti_.flush(0);
  // A buffer is kept back while anything in it is going on.
  if (!ledger_.has_records_of_all_ranges()) flush_all();
  for (const Json& line : ledger_.take_lines()) recorder_.write("timing", line);
}

double RangeTimer::elapsed_ms(const Bench& bench) const {
  float ms = 0;
  return driver_.elapsed(&ms, bench.start, bench.end) == CUDA_SUCCESS ? ms : 0.0;
}

}  // namespace warpgrade::injection
