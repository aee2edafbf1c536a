// SPDX-License-Identifier: MIT
// The program around a student's constmem.cu. By hand it filters a step and compares the two kernels'
// times. Under WARPGRADE_CASE it writes what the student's functions did to out/. It holds no expected
// result and judges nothing.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "constmem.h"
#include "harness/harness.h"

namespace {

using namespace warpgrade::harness;

constexpr int kMostMore = 5;  // loads between two that are compared

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "the driver's own call: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<float>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  float* data() { return data_; }
  void poison() { check(cudaMemset(data_, 0xFF, bytes())); }
  std::vector<float> values() const {
    std::vector<float> found(count_);
    check(cudaMemcpy(found.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return found;
  }

 private:
  size_t bytes() const { return count_ * sizeof(float); }

  float* data_ = nullptr;
  size_t count_;
};

/// The signal, and what the student's kernels make of it.
class Signal {
 public:
  explicit Signal(const std::vector<float>& values) : x_(values), y_(values) {}

  std::vector<float> filtered(const char* name, int count) {
    y_.poison();
    const Range range(name);
    filter(y_.data(), x_.data(), n(), count);
    return y_.values();
  }
  std::vector<float> filtered_by(DeviceArray& taps, int count) {
    y_.poison();
    const Range range("global");
    filter_global(y_.data(), x_.data(), n(), taps.data(), count);
    return y_.values();
  }
  /// Two loads, each with a launch right behind it. A launch that is not ordered after the copy shows as a race, and so
  /// does a second load that writes where the first one's copy may still read.
  void load_and_filter(const std::vector<float>& taps) {
    const int length = n(), count = static_cast<int>(taps.size());
    std::vector<float> others = taps;
    for (float& tap : others) tap = 1 - 2 * tap;
    y_.poison();
    const Range range("in_order");
    for (const auto* next : std::initializer_list<const std::vector<float>*>{&taps, &others}) {
      load_taps(next->data(), 0, count);
      filter(y_.data(), x_.data(), length, count);
    }
  }
  int n() const { return static_cast<int>(y_.values().size()); }

 private:
  DeviceArray x_, y_;
};

/// From the same place of the host each time, where the taps do not stay.
bool load(const std::vector<float>& taps, int first, int count) {
  static std::vector<float> place(kMaxTaps + 1);
  std::copy(taps.begin(), taps.end(), place.begin());
  bool accepted = false;
  {
    const Range range("load");
    accepted = load_taps(place.data(), first, count);
  }
  std::fill(place.begin(), place.end(), -1e30f);
  return accepted;
}

/// Leaves other taps in constant memory, `count` of them and a few more, from another place of the host. A
/// filter that takes more than its own meets them, and so does a filter_global that takes none of its own.
void leave_others(size_t count) {
  constexpr size_t kMore = 64;
  // Kept, since what is allocated later may lie where a freed one did.
  static const std::vector<float> others(kMaxTaps, 1000.0f);
  const Range range("others");
  load_taps(others.data(), 0, static_cast<int>(std::min<size_t>(kMaxTaps, count + kMore)));
}

/// The filter with these taps, loaded at once.
std::vector<float> filtered(Signal& signal, const char* name, const std::vector<float>& taps) {
  const int count = static_cast<int>(taps.size());
  load(taps, 0, count);
  return signal.filtered(name, count);
}

/// Whether both are the same bits.
bool are_equal(const std::vector<float>& one, const std::vector<float>& other) {
  return std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

/// Compares results of the student's own filter, so that a mistake in it costs nothing here. Between the taps that
/// are loaded at once and those that are replaced lies a growing number of loads: where loads take turns among copies
/// of the taps, a copy that happens to hold the right ones comes with some of these numbers and not with others.
void try_replacing(const CaseFolder& folder, Signal& signal, int first) {
  const std::vector<float> taps = folder.input<float>("taps").values;
  const std::vector<float> others = folder.input<float>("others").values;
  std::vector<float> merged = taps;
  std::copy(others.begin(), others.end(), merged.begin() + first);
  const std::vector<float> at_once = filtered(signal, "replaced", merged);
  // As many taps from the same place, with the same sum.
  const std::vector<float> reversed(taps.rbegin(), taps.rend());
  bool keeps_old = false, gets_new = true;
  for (int more = 0; more <= kMostMore; ++more) {
    for (int i = 0; i <= more; ++i) load(reversed, 0, static_cast<int>(taps.size()));
    const std::vector<float> before = filtered(signal, "replaced", taps);
    load(others, first, static_cast<int>(others.size()));
    const std::vector<float> after = signal.filtered("replaced", static_cast<int>(taps.size()));
    keeps_old |= are_equal(after, before);
    gets_new &= are_equal(after, at_once);
  }
  folder.output<int>("replaced", {keeps_old, gets_new});
}

/// Filters with taps in global memory while others lie in constant memory, then with these, and then
/// replaces some.
void run_case(const CaseFolder& folder, int replaced_first) {
  const std::vector<float> taps = folder.input<float>("taps").values;
  Signal signal(folder.input<float>("x").values);
  part([&] { leave_others(taps.size()); });
  part([&] {
    DeviceArray device_taps(taps);
    folder.output("y_global", signal.filtered_by(device_taps, static_cast<int>(taps.size())));
  });
  part([&] { folder.output("y", filtered(signal, "filter", taps)); });
  part([&] { try_replacing(folder, signal, replaced_first); });
  part([&] { signal.load_and_filter(taps); });
}

/// Loads what fits and what does not. In a case of its own: what CUDA refuses may end the program.
void run_refusals(const CaseFolder& folder) {
  const std::vector<float> taps = folder.input<float>("taps").values;
  const int count = static_cast<int>(taps.size());
  const std::vector<float> many(kMaxTaps, 1.0f), unwanted(kMaxTaps + 1, 77.0f);
  const auto load_all = [&] {
    const bool all = load(many, 0, kMaxTaps), last = load(many, kMaxTaps - 1, 1);
    return std::vector<int>{all, last, load(taps, 0, count)};
  };
  const auto load_too_much = [&] {
    const bool behind = load(unwanted, kMaxTaps - 1, 2), too_many = load(unwanted, 0, kMaxTaps + 1);
    const bool before = load(unwanted, -1, 2), overflowing = load(unwanted, INT_MAX, 1);
    const bool one_too_far = load(unwanted, 1, kMaxTaps),
               too_many_to_add = load(unwanted, 1, INT_MAX);
    cudaGetLastError();  // an error that load_taps left behind, and that a later launch would meet
    return std::vector<int>{behind, too_many, before, overflowing, one_too_far, too_many_to_add};
  };
  part([&] {
    std::vector<int> accepted = load_all();
    const std::vector<int> refused = load_too_much();
    accepted.insert(accepted.end(), refused.begin(), refused.end());
    folder.output("accepted", accepted);
  });
  part([&] {
    Signal signal(folder.input<float>("x").values);
    // What load_taps keeps on the host would reach the device with a later call that it accepts.
    const auto results = [&](bool refuses) {
      std::vector<std::vector<float>> found;
      load_all();
      if (refuses) load_too_much();
      found.push_back(signal.filtered("filter", count));
      load(many, count, 1);
      found.push_back(signal.filtered("filter", count));
      load(taps, 0, 1);
      found.push_back(signal.filtered("filter", count));
      return found;
    };
    const std::vector<std::vector<float>> without = results(false), again = results(false),
                                          with = results(true);
    std::vector<int> unchanged;
    // What differs between two equal sequences of loads is no fault of the refused ones, but of replacing.
    for (size_t i = 0; i < with.size(); ++i)
      unchanged.push_back(are_equal(without[i], with[i]) || !are_equal(without[i], again[i]));
    folder.output("unchanged", unchanged);
  });
}

/// The least of a few times, in milliseconds; the first launch, which loads the kernel, left out.
template <class Launch>
float time_of(Launch launch) {
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  launch();
  float least = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    check(cudaEventRecord(start));
    launch();
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, stop));
    if (repetition == 0 || ms < least) least = ms;
  }
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return least;
}

/// A step from 0 to 1, and taps that take the mean: y climbs from 0 to 1 over `count` elements.
void run_by_hand(int n, int count) {
  std::vector<float> x(n, 1.0f);
  for (int i = 0; i < n / 2; ++i) x[i] = 0.0f;
  const std::vector<float> taps(count, 1.0f / static_cast<float>(count));
  if (!load(taps, 0, count)) std::printf("load_taps refused %d taps\n", count);
  DeviceArray input(x), output(x), device_taps(taps);
  const float constant_ms = time_of([&] { filter(output.data(), input.data(), n, count); });
  const std::vector<float> y = output.values();
  const float global_ms =
      time_of([&] { filter_global(output.data(), input.data(), n, device_taps.data(), count); });
  std::printf("y[0] = %g, y[%d] = %g, y[%d] = %g\n", y.front(), n / 2, y[n / 2], n - 1, y.back());
  std::printf("taps in constant memory: %.4f ms\n", constant_ms);
  std::printf("taps in global memory: %.4f ms\n", global_ms);
}

int program(int argc, char** argv) {
  Arguments arguments(argc, argv, "N TAPS");
  const int n = arguments.number("N", 1), count = arguments.number("TAPS", 1);
  // The grader's own.
  const int replaced_first = arguments.optional_number("FIRST", 0, 0);
  const bool refusals = arguments.optional_number("REFUSALS", 0, 0) != 0;
  arguments.done();
  const auto folder = CaseFolder::from_environment();
  if (!folder) {
    run_by_hand(n, count);
  } else if (refusals) {
    run_refusals(*folder);
  } else {
    run_case(*folder, replaced_first);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
