// SPDX-License-Identifier: MIT
// The program around a student's race-atomics.cu. By hand it runs one part and prints what came of
// it. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did to
// out/. It holds no expected result and judges nothing.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "race-atomics.h"

namespace {

namespace harness = warpgrade::harness;
using harness::Range;

constexpr const char* kUsage =
    "PART ...\n"
    "  counters BLOCKS THREADS    each thread adds 1 to one counter\n"
    "  statistics N SEATS STOCK [TIMES]\n"
    "                             of N numbers; where Inc and Dec start again, TIMES (1) times as "
    "far\n"
    "  relay N                    of N runners\n"
    "  maxima N GROUPS            of N numbers in groups\n"
    "  lock N                     a record of N numbers";

std::optional<harness::CaseFolder> the_case;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory full of bytes 0xFF, or of values.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)), "memory for a result");
    check(cudaMemset(data_, 0xFF, count * sizeof(T)), "poisoning a result");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copying an input");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() { return data_; }

  /// What the kernels left there. Waits for them.
  std::vector<T> values() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
          "waiting for a kernel and copying its result");
    return copy;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

/// The case's array; by hand, numbers of rand().
template <class T>
std::vector<T> input(const char* name, int count, int low, int high) {
  if (the_case) return the_case->input<T>(name).values;
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(low + std::rand() % (high - low + 1));
  return values;
}

struct Counted {
  int value;
  float ms;
};

using Counter = float (*)(int*, int, int);

Counted count(const char* range_name, Counter counter, int blocks, int threads) {
  DeviceArray<int> total(1);
  const Range range(range_name);
  const float ms = counter(total.data(), blocks, threads);
  return {total.values().front(), ms};
}

struct CounterPart {
  const char* name;
  Counter counter;
};

constexpr CounterPart kCounters[] = {
    {"racy", count_racy}, {"atomic", count_atomic}, {"by_blocks", count_by_blocks}};
constexpr float kNoTime = -1;  // of a counter that did not run

void write_counters(int blocks, int threads) {
  std::vector<float> times(std::size(kCounters), kNoTime);
  for (size_t i = 0; i < times.size(); ++i) {
    const auto [name, counter] = kCounters[i];
    harness::part([&] {
      const Counted counted = count(name, counter, blocks, threads);
      times[i] = counted.ms;
      the_case->output<int32_t>(name, {counted.value});
      the_case->output("times", times);
    });
  }
}

/// The first launch of a kernel also loads it; what is printed is the second.
void print_counters(int blocks, int threads) {
  std::printf("%d blocks of %d threads: %d\n", blocks, threads, blocks * threads);
  for (const auto& [name, counter] : kCounters) {
    count(name, counter, blocks, threads);
    const Counted counted = count(name, counter, blocks, threads);
    std::printf("%-10s%10d  %9.6f ms\n", name, counted.value, counted.ms);
  }
}

void run_counters(harness::Arguments& args) {
  const int blocks = args.number("BLOCKS", 1), threads = args.number("THREADS", 1);
  args.done();
  if (the_case) return write_counters(blocks, threads);
  print_counters(blocks, threads);
}

void run_statistics(harness::Arguments& args) {
  const int n = args.number("N", 0);
  const auto some_seats = static_cast<unsigned>(args.number("SEATS", 1));
  const auto some_stock = static_cast<unsigned>(args.number("STOCK", 1));
  const auto times = static_cast<unsigned>(args.optional_number("TIMES", 1, 1));
  const unsigned seats = some_seats * times, stock = some_stock * times;
  args.done();
  DeviceArray<int> values(input<int>("values", n, -1000, 1000));
  DeviceArray<Statistics> result(1);
  const Range range("statistics");
  statistics(result.data(), values.data(), n, seats, stock);
  const Statistics s = result.values().front();
  if (the_case) {
    const auto smallest = static_cast<uint32_t>(s.smallest);
    const auto largest = static_cast<uint32_t>(s.largest);
    the_case->output<uint32_t>(
        "statistics", {smallest, largest, s.in_all, s.in_any, s.in_odd, s.seat, s.tickets});
    return;
  }
  std::printf("smallest %d, largest %d\nbits in all %08x, in any %08x, in odd %08x\n", s.smallest,
              s.largest, s.in_all, s.in_any, s.in_odd);
  std::printf("seat %u, tickets %u\n", s.seat, s.tickets);
}

/// The batons on the way back from the one that is left, each to what the runner who put it received, in
/// ascending order. A lost hand-over cuts runners off; places of theirs hold the largest number.
std::vector<unsigned> batons_on_the_way(const std::vector<unsigned>& received, unsigned left) {
  std::vector<unsigned> batons = {left};
  while (batons.size() <= received.size() && batons.back() >= 1 && batons.back() <= received.size())
    batons.push_back(received[batons.back() - 1]);
  batons.resize(received.size() + 1, UINT_MAX);
  std::sort(batons.begin(), batons.end());
  return batons;
}

void run_relay(harness::Arguments& args) {
  const int n = args.number("N", 1);
  args.done();
  DeviceArray<unsigned> baton(1), received(static_cast<size_t>(n));
  const Range range("relay");
  relay(baton.data(), received.data(), n);
  const std::vector<unsigned> all = received.values();
  const std::vector<unsigned> left = baton.values();
  std::vector<unsigned> batons = batons_on_the_way(all, left.front());
  if (the_case) {
    the_case->output("received", all);
    the_case->output("baton", left);
    the_case->output("batons", batons);
    return;
  }
  batons.erase(std::remove(batons.begin(), batons.end(), UINT_MAX), batons.end());
  const auto different = std::unique(batons.begin(), batons.end()) - batons.begin();
  std::printf("%d runners, %d batons from hand to hand\n", n, static_cast<int>(different));
}

void run_maxima(harness::Arguments& args) {
  const int n = args.number("N", 0), group_count = args.number("GROUPS", 1);
  args.done();
  DeviceArray<float> values(input<float>("floats", n, -1000, 1000));
  DeviceArray<int> groups(input<int>("groups", n, 0, group_count - 1));
  DeviceArray<float> maxima(static_cast<size_t>(group_count));
  const Range range("maxima");
  group_maxima(maxima.data(), group_count, values.data(), groups.data(), n);
  const std::vector<float> found = maxima.values();
  if (the_case) {
    the_case->output("maxima", found);
    return;
  }
  for (size_t i = 0; i < found.size(); ++i)
    std::printf("group %d: %g\n", static_cast<int>(i), found[i]);
}

void run_lock(harness::Arguments& args) {
  const int n = args.number("N", 0);
  args.done();
  DeviceArray<int> values(input<int>("values", n, -1000, 1000));
  DeviceArray<Record> record(1);
  const Range range("locked");
  locked_record(record.data(), values.data(), n);
  const Record r = record.values().front();
  if (the_case) {
    the_case->output<int32_t>("visits", {r.visits});
    the_case->output<int32_t>("record", {r.visits, r.largest, r.where});
    return;
  }
  std::printf("%d visits, largest %d at %d\n", r.visits, r.largest, r.where);
}

int program(int argc, char** argv) {
  harness::Arguments args(argc, argv, kUsage);
  the_case = harness::CaseFolder::from_environment();
  const std::string part = args.word("PART");
  if (part == "counters") {
    run_counters(args);
  } else if (part == "statistics") {
    run_statistics(args);
  } else if (part == "relay") {
    run_relay(args);
  } else if (part == "maxima") {
    run_maxima(args);
  } else if (part == "lock") {
    run_lock(args);
  } else {
    std::fprintf(stderr, "'%s' is no part\nusage: race-atomics %s\n", part.c_str(), kUsage);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
