// SPDX-License-Identifier: MIT
// The program around a student's histogram.cu. By hand it is the lecture's: a histogram of random
// bytes. Under WARPGRADE_CASE it reads that folder's in/ and writes what the student's functions did
// to out/. It holds no expected result and judges nothing.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "harness/harness.h"
#include "histogram.h"

namespace {

using warpgrade::harness::Arguments;
using warpgrade::harness::CaseFolder;
using warpgrade::harness::Guarded;
using warpgrade::harness::part;
using warpgrade::harness::Range;
using warpgrade::harness::Reserved;

using Bytes = std::vector<uint8_t>;
using Counts = std::vector<uint32_t>;

struct Variant {
  const char* name;  ///< of its NVTX range and its results
  const char* title;
  float (*histogram)(unsigned int*, const unsigned char*, size_t, int);
};

/// The second call counts this many at most: the last ones.
constexpr size_t kAgainBytes = 1000;
// Bytes of one value, of which one more or less is little: more than 16 bits count.
constexpr uint32_t kMany = 70000;

/// More bytes than fit on any device, and a multiple of 2^32: an int takes it for none.
constexpr size_t kBeyondBytes = size_t{1} << 40;

constexpr Variant kVariants[] = {{"global", "global memory", histogram_global},
                                 {"shared", "shared memory", histogram_shared}};

struct Options {
  size_t size = 0;
  int threads = 0;
  bool only_shared = false;
  bool too_large = false;
  bool wants(const Variant& variant) const {
    return !only_shared || variant.histogram == histogram_shared;
  }
};

/// Answers about a histogram that is right and others that are not, most of them with the right sum.
void try_verification(const CaseFolder& folder) {
  const Bytes data = folder.input<uint8_t>("verify_data").values;
  const Counts right = folder.input<uint32_t>("verify_counts").values;
  warpgrade::harness::Questions questions;
  const auto ask = [&](const Counts& counts, const Bytes& bytes) {
    questions.add([counts, bytes] {
      const Range range("verify");
      return histogram_is_right(counts.data(), bytes.data(), bytes.size());
    });
  };
  /// The right histogram with two bins changed.
  const auto changed = [&](size_t bin, uint32_t more, size_t other, uint32_t less) {
    Counts counts = right;
    counts.at(bin) += more;
    counts.at(other) -= less;
    return counts;
  };
  Counts turned(right.rbegin(), right.rend()), moved = right;
  for (size_t bin = 0; bin < right.size(); ++bin) moved[(bin + 1) % right.size()] = right[bin];
  ask(right, data);
  ask(changed(1, 1, 0, 1), data);
  ask(changed(254, 1, 255, 1), data);
  ask(changed(245, 1, 0, 0), data);  // no byte has the value 245
  ask(changed(7, 0x80000000u, 130, 0x80000000u), data);
  ask(turned, data);
  ask(moved, data);
  ask(changed(255, 1, 0, 0), data);
  Counts balanced = changed(10, 1, 11, 2);  // as many bytes, and the same sum of their values
  ++balanced.at(12);
  ask(balanced, data);
  ask(Counts(right.size(), 0), data);
  ask(Counts(right.size(), 0), {});
  ask(changed(0, 1, 1, 0), data);
  ask(right, {});
  // Two values of which there are thousands.
  const size_t often = 9, other = 100;
  Bytes many = data;
  many.insert(many.end(), kMany, static_cast<uint8_t>(often));
  many.insert(many.end(), kMany, static_cast<uint8_t>(other));
  ask(changed(often, kMany, other, -kMany), many);
  ask(changed(often, kMany + 1, other, 1 - kMany), many);
  ask(changed(often, kMany + 1, other, -kMany), many);
  folder.output("verify", questions.ask());
}

/// A first call on another device, where the machine has one: what a function keeps of it is wrong on the
/// current one.
void call_elsewhere(const Variant& variant, int threads) {
  int current = 0, count = 0;
  if (cudaGetDevice(&current) != cudaSuccess) return;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) return;
  const Bytes data(100);
  Counts counts(kBins);
  const Range range("elsewhere");
  if (cudaSetDevice((current + 1) % count) != cudaSuccess) return;
  variant.histogram(counts.data(), data.data(), data.size(), threads);
  cudaSetDevice(current);
}

/// Both calls of one function, each a part of its own, and whether one of them wrote beside its arrays.
void try_variant(const CaseFolder& folder, const Variant& variant, Guarded<uint8_t>& data,
                 const Options& options) {
  const auto run = [&](const std::string& name, Guarded<uint32_t>& counts, size_t from) {
    const Range range(name.c_str());
    return variant.histogram(counts.data(), data.data() + from, options.size - from,
                             options.threads);
  };
  const std::string name = variant.name, name_again = name + "_again";
  Guarded<uint32_t> counts(kBins), again(kBins);
  part([&] { call_elsewhere(variant, options.threads); });
  part([&] {
    const float ms = run(name, counts, 0);
    folder.output(name.c_str(), counts.values());
    folder.output<float>((name + "_ms").c_str(), {ms});
  });
  part([&] {
    run(name_again, again, options.size - std::min(options.size, kAgainBytes));
    folder.output(name_again.c_str(), again.values());
  });
  folder.output<int32_t>((name + "_guards").c_str(),
                         {counts.untouched() && again.untouched() && data.untouched()});
}

/// With more bytes than any device holds: whether the function and its kernel kept their number (1) or
/// counted the few bytes that 32 bits of it leave (2). A kernel that kept it leaves the memory that is there,
/// which ends it. The output is written before, as the call may end the program.
void try_too_large(const CaseFolder& folder, const Variant& variant, const Options& options) {
  const size_t size = kBeyondBytes + options.size;
  Reserved<uint8_t> data(folder.input<uint8_t>("data").values, size);
  Guarded<uint32_t> counts(kBins);
  folder.output<int32_t>("size_kept", {1});
  part([&] {
    const Range range(variant.name);
    variant.histogram(counts.data(), data.data(), size, options.threads);
    size_t counted = 0;
    for (const uint32_t count : counts.values()) counted += count;
    folder.output<int32_t>("size_kept", {counted == options.size ? 2 : 1});
  });
}

void run_case(const CaseFolder& folder, const Options& options) {
  if (options.too_large)
    return try_too_large(folder, kVariants[options.only_shared ? 1 : 0], options);
  Guarded<uint8_t> data(folder.input<uint8_t>("data").values);
  for (const Variant& variant : kVariants)
    if (options.wants(variant)) try_variant(folder, variant, data, options);
  // Behind both functions: what it shows the host comes too late to help with them.
  if (!options.only_shared) part([&] { try_verification(folder); });
}

/// The lecture's big_random_block.
Bytes random_bytes(size_t size) {
  Bytes data(size);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(std::rand() >> 7);
  return data;
}

void run_lab(const Options& options, bool equal_bytes) {
  const Bytes data = equal_bytes ? Bytes(options.size, 42) : random_bytes(options.size);
  for (const Variant& variant : kVariants) {
    if (!options.wants(variant)) continue;
    Counts counts(kBins);
    const auto histogram = [&] {
      const Range range(variant.name);
      return variant.histogram(counts.data(), data.data(), data.size(), options.threads);
    };
    histogram();  // The first launch of a kernel also loads it.
    const float ms = histogram();
    long sum = 0;
    for (const uint32_t count : counts) sum += count;
    std::printf("%s: Histogram Sum: %ld, %.4f ms", variant.title, sum, ms);
    if (ms > 0) std::printf(" (%.1f GB/s)", static_cast<double>(data.size()) / 1e6 / ms);
    const bool accepted = histogram_is_right(counts.data(), data.data(), data.size());
    std::printf(", %s\n", accepted ? "accepted" : "rejected");
  }
}

int program(int argc, char** argv) {
  Arguments args(argc, argv,
                 "[SIZE [THREADS [DEVICE]]] [equal] [shared]\n"
                 "  SIZE     number of bytes (104857600)\n"
                 "  THREADS  threads in a block (256)\n"
                 "  DEVICE   number of the device to use (0)\n"
                 "  equal    all bytes are equal instead of random\n"
                 "  shared   only part 2");
  const bool equal_bytes = args.flag("equal");
  Options options;
  options.only_shared = args.flag("shared");
  options.too_large = args.flag("too_large");  // the rubric's own
  options.size = static_cast<size_t>(args.optional_number("SIZE", 0, 100 * 1024 * 1024));
  options.threads = args.optional_number("THREADS", 1, 256);
  const int device = args.optional_number("DEVICE", 0, 0);
  const auto folder = CaseFolder::from_environment();
  // The rubric's own: how many multiprocessors that device has.
  if (folder) args.optional_number("MULTIPROCESSORS", 1, 1);
  args.done();
  if (cudaSetDevice(device) != cudaSuccess) {
    std::fprintf(stderr, "there is no device %d\n", device);
    return 1;
  }
  if (folder) {
    run_case(*folder, options);
  } else {
    run_lab(options, equal_bytes);
  }
  return 0;
}

}  // namespace

// These take the place of the runtime's functions: where kBeyondBytes more than there are were asked for, the
// device holds those that are there. Weak, since a program with the runtime linked into it has them already.
extern "C" {
__attribute__((weak)) cudaError_t allocate(void** pointer, size_t bytes) asm("cudaMalloc");
__attribute__((weak)) cudaError_t copy(void* to, const void* from, size_t bytes,
                                       cudaMemcpyKind kind) asm("cudaMemcpy");
__attribute__((weak)) cudaError_t copy_async(void* to, const void* from, size_t bytes,
                                             cudaMemcpyKind kind,
                                             cudaStream_t stream) asm("cudaMemcpyAsync");
}
cudaError_t allocate(void** pointer, size_t bytes) {
  return warpgrade::harness::call_runtimes("cudaMalloc", pointer, bytes % kBeyondBytes);
}
cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return warpgrade::harness::call_runtimes("cudaMemcpy", to, from, bytes % kBeyondBytes, kind);
}
cudaError_t copy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t stream) {
  return warpgrade::harness::call_runtimes("cudaMemcpyAsync", to, from, bytes % kBeyondBytes, kind,
                                           stream);
}

int main(int argc, char** argv) { return warpgrade::harness::repeat(program, argc, argv); }
