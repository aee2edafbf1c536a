// SPDX-License-Identifier: MIT
// The program around a student's pi.cu. By hand it is the lecture's: it makes random points, counts
// those inside the circle, and prints what that says about pi. Under WARPGRADE_CASE it reads that
// folder's in/ and writes what the student's functions did to out/. It holds no expected result and
// judges nothing.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "pi.h"

namespace {

namespace harness = warpgrade::harness;
using harness::Guarded;
using harness::Range;

constexpr const char* kUsage =
    "PART N [BLOCK [SEED]] [too_large]\n"
    "  PART   global or shared: where the counts come together; points: only make points\n"
    "  N      number of points\n"
    "  BLOCK  threads of a block (256)\n"
    "  SEED   of the random points (1)\n"
    "  too_large  say that there are 2^36 points more";

/// More points than fit on any device, and a multiple of 2^32: an int takes it for none.
constexpr size_t kBeyondPoints = size_t{1} << 36;
constexpr size_t kBeyondBytes = kBeyondPoints * sizeof(float);

struct Options {
  unsigned n;
  int block;
  unsigned seed;
  bool too_large;
};

struct Points {
  std::vector<float> x, y;
  bool untouched;  ///< what lies around the two arrays
};

Points make_points(unsigned n, unsigned seed) {
  Guarded<float> x(n), y(n);
  {
    const Range range("points");
    random_points(x.data(), y.data(), n, seed);
  }
  return {x.values(), y.values(), x.untouched() && y.untouched()};
}

/// How many of the points lie in each of sides * sides equal parts of the square.
std::vector<double> counts_in_parts(const Points& points, unsigned sides) {
  std::vector<double> counts(size_t{sides} * sides, 0.0);
  const auto place = [sides](float at) {
    return std::min(sides - 1, static_cast<unsigned>(at * static_cast<float>(sides)));
  };
  for (size_t i = 0; i < points.x.size(); ++i)
    counts[place(points.x[i]) + sides * place(points.y[i])] += 1.0;
  return counts;
}

/// The seeds whose points are looked at: one twice, the two behind it, and each that differs from it in a single bit.
std::vector<unsigned> seeds_around(unsigned seed) {
  std::vector<unsigned> seeds = {seed, seed, seed + 1, seed + 2};
  for (unsigned bit = 1; bit != 0; bit <<= 1) seeds.push_back(seed ^ bit);
  return seeds;
}

/// Writes the points of all these seeds as they are, x before y.
void try_points(const harness::CaseFolder& folder, const Options& options) {
  const std::vector<unsigned> seeds = seeds_around(options.seed);
  std::vector<float> drawn;
  bool untouched = true;
  for (const unsigned seed : seeds) {
    const Points points = make_points(options.n, seed);
    drawn.insert(drawn.end(), points.x.begin(), points.x.end());
    drawn.insert(drawn.end(), points.y.begin(), points.y.end());
    untouched = untouched && points.untouched;
  }
  folder.output("drawn", {seeds.size(), 2, options.n}, drawn);
  folder.output<int32_t>("drawn_alone", {untouched});
}

void try_formula(const harness::CaseFolder& folder) {
  const Range range("formula");
  const std::vector<uint64_t> inside = folder.input<uint64_t>("inside").values;
  const std::vector<uint64_t> points = folder.input<uint64_t>("points").values;
  std::vector<double> pi;
  for (size_t i = 0; i < inside.size(); ++i) pi.push_back(pi_from(inside[i], points[i]));
  folder.output("formula", pi);
}

Estimate estimate(const std::string& part, const float* x, const float* y, size_t n, int block) {
  const Range range(part.c_str());
  return part == "global" ? estimate_global(x, y, n, block) : estimate_shared(x, y, n, block);
}

/// Twice, since a count that starts where the last one ended is right only once. The second call has other points in the
/// same places, so that the first one's answer is wrong there.
void try_estimate(const harness::CaseFolder& folder, const std::string& part,
                  const Options& options) {
  Guarded<float> x(folder.input<float>("x").values), y(folder.input<float>("y").values);
  std::vector<uint64_t> inside;
  std::vector<double> pi;
  std::vector<float> times;
  for (int call = 0; call < 2; ++call) {
    const Estimate found = estimate(part, x.data(), y.data(), options.n, options.block);
    inside.push_back(found.inside);
    pi.push_back(found.pi);
    times.push_back(found.kernel_ms);
    x.assign(folder.input<float>("x_again").values);
    y.assign(folder.input<float>("y_again").values);
  }
  folder.output(part.c_str(), inside);
  folder.output("pi", pi);
  folder.output("times", times);
}

/// With more points than any device holds: what the function counted. A kernel that keeps their number leaves the
/// memory that is there, which ends it. The output is written before, as the call may end the program.
void try_too_large(const harness::CaseFolder& folder, const std::string& part,
                   const Options& options) {
  const size_t n = kBeyondPoints + options.n;
  harness::Reserved<float> x(folder.input<float>("x").values, n),
      y(folder.input<float>("y").values, n);
  folder.output<uint64_t>("counted", {0});
  harness::part([&] {
    const Estimate found = estimate(part, x.data(), y.data(), n, options.block);
    folder.output<uint64_t>("counted", {found.inside});
  });
}

void run_by_hand(const std::string& part, const Options& options) {
  const Points points = make_points(options.n, options.seed);
  if (part == "points") {
    const std::vector<double> counts = counts_in_parts(points, 2);
    std::printf("quarters of the square: %.0f %.0f %.0f %.0f points\n", counts[0], counts[1],
                counts[2], counts[3]);
    return;
  }
  // The first launch of a kernel also loads it; what is printed is the second.
  const size_t n = options.n + (options.too_large ? kBeyondPoints : 0);
  estimate(part, points.x.data(), points.y.data(), n, options.block);
  const Estimate found = estimate(part, points.x.data(), points.y.data(), n, options.block);
  std::printf("%llu of %u points inside\nPI = %.9f\n", found.inside, options.n, found.pi);
  std::printf("%.4f ms, %.1f GB/s\n", found.kernel_ms,
              8e-6 * static_cast<double>(options.n) / found.kernel_ms);
}

int program(int argc, char** argv) {
  harness::Arguments args(argc, argv, kUsage);
  const std::string part = args.word("PART");
  Options options{};
  options.too_large = args.flag("too_large");
  options.n = static_cast<unsigned>(args.number("N", 1));
  options.block = args.optional_number("BLOCK", 1, 256);
  options.seed = static_cast<unsigned>(args.optional_number("SEED", 0, 1));
  args.done();
  if (part != "points" && part != "global" && part != "shared") {
    std::fprintf(stderr, "there is no part '%s'\nusage: pi %s\n", part.c_str(), kUsage);
    return 2;
  }
  const auto folder = harness::CaseFolder::from_environment();
  if (!folder) {
    run_by_hand(part, options);
  } else if (part == "points") {
    harness::part([&] { try_formula(*folder); });
    harness::part([&] { try_points(*folder, options); });
  } else if (options.too_large) {
    try_too_large(*folder, part, options);
  } else {
    harness::part([&] { try_estimate(*folder, part, options); });
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
