// SPDX-License-Identifier: MIT
// Inputs and expected outputs of vecadd. Nothing here is ever linked with a student's code.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

// cudaError_t's values, which CUDA documents. Which one a refused launch gives differs between
// versions of CUDA.
constexpr int32_t kSuccess = 0;
constexpr int32_t kInvalidValue = 1;
constexpr int32_t kOutOfMemory = 2;
constexpr int32_t kLaunchFailure = 719;
// The driver's words for what a function returned: cudaSuccess, and the error of a refused launch.
constexpr int32_t kAdded = 1;
constexpr int32_t kLaunchError = 2;

// The argument "fails" of the driver; a larger one is an upload.
constexpr long kNothingFails = 0, kFailsLate = 1;

constexpr long kMostThreads = 1024;  // of a block, on every device so far
constexpr long kMebibyte = 1 << 20;

/// Whether three vectors do not fit into what the driver leaves of the device's memory.
bool is_too_large(const OracleCase& the_case) {
  const long left_bytes = the_case.argument_or("left", 0) * kMebibyte;
  return left_bytes > 0 && 3 * 4 * the_case.argument("N") > left_bytes;
}

/// Whether CUDA refuses the launch. Where there is nothing to add, there is none.
bool is_refused(const OracleCase& the_case) {
  return the_case.argument("block") > kMostThreads && the_case.argument("N") > 0;
}

std::vector<float> make_vector(const OracleCase& the_case, SeededRandom& random) {
  // The driver only takes addresses for what is too large.
  const auto n = static_cast<size_t>(is_too_large(the_case) ? 0 : the_case.argument("N"));
  if (the_case.family == "uniform") return uniform(n, random);
  if (the_case.family == "integers") return integers(n, -1'000'000, 1'000'000, random);
  throw std::invalid_argument("unknown family \"" + the_case.family + "\" (integers, uniform)");
}

/// The sums of the calls that follow a refused one: of half the elements, then twice of all, then with b in place of a,
/// and then with a in place of b.
NpyArray next_results(std::span<const float> a, std::span<const float> b) {
  std::vector<float> sums;
  const auto append = [&sums](size_t elements, std::span<const float> left,
                              std::span<const float> right) {
    for (size_t i = 0; i < elements; ++i) sums.push_back(left[i] + right[i]);
  };
  append(a.size() / 2, a, b);
  append(a.size(), a, b);
  append(a.size(), a, b);
  append(a.size(), b, b);
  append(a.size(), b, a);
  return make_npy({sums.size()}, sums);
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const std::vector<float> a = make_vector(the_case, random), b = make_vector(the_case, random);
  return {{"A", make_npy({a.size()}, a)}, {"B", make_npy({b.size()}, b)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const bool too_large = is_too_large(the_case);
  if (is_refused(the_case))
    return {{"outcome", make_npy<int32_t>({1}, {kLaunchError})},
            {"next_outcome", make_npy<int32_t>({1}, {kAdded})},
            {"next_results", next_results(inputs.at("A").as<float>(), inputs.at("B").as<float>())}};
  const long fails = the_case.argument_or("fails", kNothingFails);
  if (fails != kNothingFails)
    return {
        {"status", make_npy<int32_t>({1}, {fails == kFailsLate ? kLaunchFailure : kInvalidValue})}};
  if (too_large)
    return {{"status", make_npy<int32_t>({1}, {kOutOfMemory})},
            {"next_status", make_npy<int32_t>({1}, {kSuccess})},
            {"next_sums", make_npy<int32_t>({1}, {1})}};
  Arrays expected = {{"status", make_npy<int32_t>({1}, {kSuccess})}};
  if (the_case.argument("N") == 0) expected["outcome"] = make_npy<int32_t>({1}, {kAdded});
  if (the_case.argument("N") == 0) return expected;

  const auto a = inputs.at("A").as<float>(), b = inputs.at("B").as<float>();
  std::vector<float> c(a.size());
  for (size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
  expected["C"] = make_npy({c.size()}, c);
  expected["guards"] = make_npy<int32_t>({3}, {1, 1, 1});
  return expected;
}

}  // namespace warpgrade
