// SPDX-License-Identifier: MIT
// The program around a student's vecadd.cu. By hand it adds two vectors and times it, beside a loop
// on the host. Under WARPGRADE_CASE it reads that folder's in/ and writes what add_vectors did to
// out/. It holds no expected result and judges nothing.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "harness/harness.h"
#include "vecadd.h"

namespace {

using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::Guarded;
using warpgrade::harness::part;
using warpgrade::harness::Range;

constexpr char kUsage[] =
    "N [BLOCK [LEFT]]\n"
    "  N      elements of each vector\n"
    "  BLOCK  threads in a block (256)\n"
    "  LEFT   MiB of device memory that are free during the call (all)";
constexpr int kAllLeft = 0;
constexpr int kSmallestBlock = 1;  // which CUDA takes, and of which each n is a multiple
constexpr unsigned kFew = 768;     // elements for which there is room, a multiple of most blocks

constexpr int kNothingFails = 0,
              kFailsLate = 1;  // and from 2 on an upload, the first one or the next

struct Options {
  int n, threads_per_block, left_mib, fails;
};

/// An error as that of a kernel is: the first call that waits for the device tells it, and so does each later one.
class LateFailure {
 public:
  LateFailure() { stage_ = Stage::kToCome; }
  ~LateFailure() { stage_ = Stage::kNone; }
  LateFailure(const LateFailure&) = delete;
  LateFailure& operator=(const LateFailure&) = delete;

  /// What a call returns that waits for kernels.
  static cudaError_t waited(cudaError_t status) {
    if (stage_ == Stage::kToCome && status == cudaSuccess) stage_ = Stage::kTold;
    return told(status);
  }
  /// What a call returns that waits for none.
  static cudaError_t told(cudaError_t status) {
    return stage_ == Stage::kTold && status == cudaSuccess ? cudaErrorLaunchFailure : status;
  }
  static cudaError_t copied(cudaError_t status, const void* from, cudaMemcpyKind kind) {
    return is_to_host(from, kind) ? waited(status) : told(status);
  }

 private:
  enum class Stage { kNone, kToCome, kTold };

  static bool is_to_host(const void* from, cudaMemcpyKind kind) {
    if (kind != cudaMemcpyDefault) return kind == cudaMemcpyDeviceToHost;
    cudaPointerAttributes attributes{};
    return stage_ == Stage::kToCome && cudaPointerGetAttributes(&attributes, from) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
  }

  inline static Stage stage_ = Stage::kNone;
};

/// Lets one copy to the device report an error although it has copied. cudaGetLastError() forgets the error.
class FailingUpload {
 public:
  explicit FailingUpload(int number) { to_come_ = number; }
  ~FailingUpload() { to_come_ = 0; }
  FailingUpload(const FailingUpload&) = delete;
  FailingUpload& operator=(const FailingUpload&) = delete;

  static cudaError_t copied(cudaError_t status, const void* to, cudaMemcpyKind kind) {
    if (to_come_ == 0 || status != cudaSuccess || !is_to_device(to, kind)) return status;
    if (--to_come_ > 0) return status;
    left_behind_ = true;
    return cudaErrorInvalidValue;
  }
  /// What a call returns that asks for the last error.
  static cudaError_t last(cudaError_t status, bool forgets) {
    if (!left_behind_ || status != cudaSuccess) return status;
    left_behind_ = !forgets;
    return cudaErrorInvalidValue;
  }

 private:
  static bool is_to_device(const void* to, cudaMemcpyKind kind) {
    if (kind != cudaMemcpyDefault) return kind == cudaMemcpyHostToDevice;
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, to) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
  }

  inline static int to_come_ = 0;
  inline static bool left_behind_ = false;
};

/// Holds all device memory but `left_mib`, so that allocations fail as they do on a full device.
class TakenMemory {
 public:
  explicit TakenMemory(int left_mib) {
    if (left_mib == kAllLeft) return;
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    const size_t left_bytes = static_cast<size_t>(left_mib) << 20;
    if (free_bytes <= left_bytes) return;
    if (cudaMalloc(&memory_, free_bytes - left_bytes) != cudaSuccess)
      warpgrade::npy_io::fail("LEFT", "the driver cannot take the rest of the device's memory");
  }
  ~TakenMemory() {
    if (memory_ != nullptr) cudaFree(memory_);
  }
  TakenMemory(const TakenMemory&) = delete;
  TakenMemory& operator=(const TakenMemory&) = delete;

 private:
  void* memory_ = nullptr;
};

/// A host array of n floats that holds nothing and takes no memory: only its addresses are taken.
class Unbacked {
 public:
  explicit Unbacked(int n)
      : bytes_(static_cast<size_t>(n) * sizeof(float)),
        start_(mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Unbacked() { munmap(start_, bytes_); }
  Unbacked(const Unbacked&) = delete;
  Unbacked& operator=(const Unbacked&) = delete;
  float* data() { return static_cast<float*>(start_); }

 private:
  size_t bytes_;
  void* start_;
};

template <class Array>
cudaError_t add(Array& c, Array& a, Array& b, const Options& options) {
  const Range range("add");
  return add_vectors(c.data(), a.data(), b.data(), options.n, options.threads_per_block);
}

/// Whether the device has too little memory left for three vectors, so that nothing can be added.
bool is_too_large(const Options& options) {
  size_t free_bytes = 0, total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  return 3 * sizeof(float) * static_cast<size_t>(options.n) > free_bytes;
}

cudaError_t add_too_large(const Options& options) {
  Unbacked a(options.n), b(options.n), c(options.n);
  return add(c, a, b, options);
}

__global__ void do_nothing() {}

/// What CUDA says of a launch in such blocks. Which error it is differs between versions.
cudaError_t launch_status(int threads_per_block) {
  cudaGetLastError();  // an error that add_vectors left behind
  do_nothing<<<1, static_cast<unsigned>(threads_per_block)>>>();
  return cudaGetLastError();
}

/// Whether CUDA refuses a launch in such blocks. After a kernel that failed each call fails, which is no refusal.
bool is_refused(int threads_per_block) {
  return launch_status(threads_per_block) != cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

int32_t outcome_of(const Options& options, cudaError_t status) {
  if (status == cudaSuccess) return 1;
  return status == launch_status(options.threads_per_block) ? 2 : 3;
}

void write_status(const CaseFolder& folder, const Options& options, cudaError_t status) {
  folder.output<int32_t>("status", {static_cast<int32_t>(status)});
  folder.output<int32_t>("outcome", {outcome_of(options, status)});
}

void try_adding(const CaseFolder& folder, const Options& options) {
  Guarded<float> a(folder.input<float>("A").values), b(folder.input<float>("B").values);
  Guarded<float> c(static_cast<unsigned>(options.n));
  write_status(folder, options, add(c, a, b, options));
  folder.output("C", c.values());
  folder.output<int32_t>("guards", {a.untouched(), b.untouched(), c.untouched()});
}

/// Further calls, each of which changes one argument of the call before it: a function that keeps something
/// from call to call for some of its arguments meets the others alone. `results` begins with the first call's.
void try_one_argument_each(const CaseFolder& folder, Guarded<float>& a, Guarded<float>& b,
                           std::vector<float> results, int n) {
  Guarded<float> c(static_cast<unsigned>(n)), other(static_cast<unsigned>(n));
  const auto add_again = [&](Guarded<float>& to, Guarded<float>& left, Guarded<float>& right) {
    std::fill_n(to.data(), n, std::numeric_limits<float>::quiet_NaN());
    {
      const Range range("others");
      (void)add_vectors(to.data(), left.data(), right.data(), n, kSmallestBlock);
    }
    const std::vector<float> sums = to.values();
    results.insert(results.end(), sums.begin(), sums.end());
  };
  add_again(c, a, b);
  add_again(other, a, b);
  add_again(other, b, b);
  add_again(other, b, a);
  folder.output("next_results", results);
}

/// What a call returns that follows one whose launch CUDA refuses. Nobody asks for the error between
/// the two calls, so that one which the first call leaves shows in the second. That one has another block
/// and nothing else that is new, and half of the elements; the calls behind it have all.
void try_after_refusal(const CaseFolder& folder, const Options& refused) {
  Guarded<float> a(folder.input<float>("A").values), b(folder.input<float>("B").values);
  const int half = refused.n / 2;
  Guarded<float> c(static_cast<unsigned>(refused.n));
  cudaError_t status = cudaSuccess;
  {
    const Range range("next");
    (void)add_vectors(c.data(), a.data(), b.data(), half, refused.threads_per_block);
    status = add_vectors(c.data(), a.data(), b.data(), half, kSmallestBlock);
  }
  folder.output<int32_t>("next_outcome", {outcome_of(refused, status)});
  const std::vector<float> sums = c.values();
  try_one_argument_each(folder, a, b, {sums.begin(), sums.begin() + half}, refused.n);
}

/// What a call returns and adds that follows one for which the memory did not suffice, beside what the same call did
/// before, so that a mistake in the sum costs nothing here.
void try_after_exhaustion(const CaseFolder& folder, const Options& too_large) {
  Guarded<float> a(kFew), b(kFew), before(kFew), after(kFew);
  for (unsigned i = 0; i < kFew; ++i) {
    a.data()[i] = static_cast<float>(i);
    b.data()[i] = 0.25f;
  }
  const auto add_few = [&](Guarded<float>& c) {
    const Range range("next");
    return add_vectors(c.data(), a.data(), b.data(), static_cast<int>(kFew),
                       too_large.threads_per_block);
  };
  (void)add_few(before);
  {
    const TakenMemory taken(too_large.left_mib);
    Unbacked x(too_large.n), y(too_large.n), z(too_large.n);
    const Range range("next");
    (void)add_vectors(z.data(), x.data(), y.data(), too_large.n, too_large.threads_per_block);
  }
  const cudaError_t status = add_few(after);
  const std::vector<float> expected = before.values(), found = after.values();
  const bool is_same = std::memcmp(expected.data(), found.data(), kFew * sizeof(float)) == 0;
  folder.output<int32_t>("next_status", {static_cast<int32_t>(status)});
  folder.output<int32_t>("next_sums", {is_same});
}

void try_too_large(const CaseFolder& folder, const Options& options) {
  const TakenMemory taken(options.left_mib);
  write_status(folder, options, add_too_large(options));
}

/// Adds while the device reports a failure to whoever waits for it, or a copy to the device fails.
void try_failing(const CaseFolder& folder, const Options& options) {
  Guarded<float> a(folder.input<float>("A").values), b(folder.input<float>("B").values);
  Guarded<float> c(static_cast<unsigned>(options.n));
  cudaError_t status = cudaSuccess;
  {
    const Range range("add");  // waits for the device, and so begins before the failure
    std::optional<LateFailure> late;
    std::optional<FailingUpload> upload;
    if (options.fails == kFailsLate) {
      late.emplace();
    } else {
      upload.emplace(options.fails - kFailsLate);
    }
    status = add_vectors(c.data(), a.data(), b.data(), options.n, options.threads_per_block);
  }
  write_status(folder, options, status);
}

bool leaves_too_little(const Options& options) {
  const TakenMemory taken(options.left_mib);
  return is_too_large(options);
}

void run_case(const CaseFolder& folder, const Options& options) {
  if (leaves_too_little(options)) {
    part([&] { try_too_large(folder, options); });
    part([&] { try_after_exhaustion(folder, options); });
    return;
  }
  if (options.fails != kNothingFails) return part([&] { try_failing(folder, options); });
  part([&] { try_adding(folder, options); });
  if (options.n > 0 && is_refused(options.threads_per_block))
    part([&] { try_after_refusal(folder, options); });
}

int fail(cudaError_t status) {
  std::printf("add_vectors: %s\n", cudaGetErrorString(status));
  return 1;
}

template <class Action>
double wall_ms(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int run_program(const Options& options) {
  const TakenMemory taken(options.left_mib);
  if (is_too_large(options)) return fail(add_too_large(options));
  const auto n = static_cast<unsigned>(options.n);  // never negative
  Guarded<float> a(n), b(n), c(n), on_host(n);
  for (unsigned i = 0; i < n; ++i) {
    a.data()[i] = static_cast<float>(i % 1000);
    b.data()[i] = 0.25f;
  }
  cudaError_t status =
      add(c, a, b, options);  // the first call also starts CUDA; the second is timed
  const double device_ms = wall_ms([&] { status = add(c, a, b, options); });
  const double host_ms = wall_ms([&] {
    for (unsigned i = 0; i < n; ++i) on_host.data()[i] = a.data()[i] + b.data()[i];
  });
  if (status != cudaSuccess) return fail(status);
  if (n > 0) {
    std::printf("c[0] = %g, c[%u] = %g (on the host: %g, %g)\n", c.data()[0], n - 1,
                c.data()[n - 1], on_host.data()[0], on_host.data()[n - 1]);
  }
  std::printf("add_vectors, copies and all: %.3f ms\n", device_ms);
  std::printf("a loop on the host:          %.3f ms\n", host_ms);
  return 0;
}

int program(int argc, char** argv) {
  Arguments args(argc, argv, kUsage);
  Options options{};
  options.n = args.number("N", 0);
  options.threads_per_block = args.optional_number("BLOCK", 1, 256);
  options.left_mib = args.optional_number("LEFT", 1, kAllLeft);
  // The grader's own.
  options.fails = args.optional_number("FAILS", kNothingFails, kNothingFails);
  const int device = args.optional_number("DEVICE", 0, 0);
  args.done();
  if (device != 0 && cudaSetDevice(device) != cudaSuccess)
    warpgrade::npy_io::fail("DEVICE", "there is no such device");
  if (const std::optional<CaseFolder> folder = CaseFolder::from_environment()) {
    run_case(*folder, options);
    return 0;
  }
  return run_program(options);
}

}  // namespace

// These take the place of the runtime's functions, do what those do, and report a LateFailure. Weak, since a program
// with the runtime linked into it has them already.
extern "C" {
__attribute__((weak)) cudaError_t copy(void* to, const void* from, size_t bytes,
                                       cudaMemcpyKind kind) asm("cudaMemcpy");
__attribute__((weak)) cudaError_t copy_async(void* to, const void* from, size_t bytes,
                                             cudaMemcpyKind kind,
                                             cudaStream_t stream) asm("cudaMemcpyAsync");
__attribute__((weak)) cudaError_t wait_for_device() asm("cudaDeviceSynchronize");
__attribute__((weak)) cudaError_t wait_for_stream(cudaStream_t stream) asm("cudaStreamSynchronize");
__attribute__((weak)) cudaError_t ask_stream(cudaStream_t stream) asm("cudaStreamQuery");
__attribute__((weak)) cudaError_t wait_for_event(cudaEvent_t event) asm("cudaEventSynchronize");
__attribute__((weak)) cudaError_t ask_event(cudaEvent_t event) asm("cudaEventQuery");
__attribute__((weak)) cudaError_t last_error() asm("cudaGetLastError");
__attribute__((weak)) cudaError_t peek_at_last_error() asm("cudaPeekAtLastError");
__attribute__((weak)) cudaError_t give_back(void* memory) asm("cudaFree");
}
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t status = warpgrade::harness::call_runtimes("cudaMemcpy", to, from, bytes, kind);
  return FailingUpload::copied(LateFailure::copied(status, from, kind), to, kind);
}
cudaError_t copy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  const cudaError_t status =
      warpgrade::harness::call_runtimes("cudaMemcpyAsync", to, from, bytes, kind, stream);
  return FailingUpload::copied(LateFailure::copied(status, from, kind), to, kind);
}
cudaError_t wait_for_device() {
  return LateFailure::waited(warpgrade::harness::call_runtimes("cudaDeviceSynchronize"));
}
cudaError_t wait_for_stream(cudaStream_t stream) {
  return LateFailure::waited(warpgrade::harness::call_runtimes("cudaStreamSynchronize", stream));
}
cudaError_t ask_stream(cudaStream_t stream) {
  return LateFailure::waited(warpgrade::harness::call_runtimes("cudaStreamQuery", stream));
}
cudaError_t wait_for_event(cudaEvent_t event) {
  return LateFailure::waited(warpgrade::harness::call_runtimes("cudaEventSynchronize", event));
}
cudaError_t ask_event(cudaEvent_t event) {
  return LateFailure::waited(warpgrade::harness::call_runtimes("cudaEventQuery", event));
}
cudaError_t last_error() {
  const cudaError_t status = warpgrade::harness::call_runtimes("cudaGetLastError");
  return FailingUpload::last(LateFailure::told(status), true);
}
cudaError_t peek_at_last_error() {
  const cudaError_t status = warpgrade::harness::call_runtimes("cudaPeekAtLastError");
  return FailingUpload::last(LateFailure::told(status), false);
}
cudaError_t give_back(void* memory) {
  return LateFailure::told(warpgrade::harness::call_runtimes("cudaFree", memory));
}

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
