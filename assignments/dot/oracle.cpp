// SPDX-License-Identifier: MIT
// Inputs and expected outputs of dot. Nothing here is ever linked with a student's code.
#include <cblas.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle.h"
#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

struct Vectors {
  std::vector<float> a, b;
};

// Whole numbers, each of a's with the sign of b's, so that all products are above 0 and no terms that
// are lost can cancel. The sums are exact in float in any order up to 2^18 terms; of few terms the
// numbers are larger, so that sums of other inputs differ.
Vectors whole_numbers(size_t n, SeededRandom& random) {
  constexpr size_t kFew = 128;
  const long most = n <= kFew ? 45 : 8;
  Vectors vectors = {integers(n, 1, most, random), integers(n, 1, most, random)};
  for (size_t i = 0; i < n; ++i) {
    if (random.integer(0, 1) == 0) continue;
    vectors.a[i] = -vectors.a[i];
    vectors.b[i] = -vectors.b[i];
  }
  return vectors;
}

Vectors make_vectors(const OracleCase& the_case, SeededRandom& random) {
  const auto n = static_cast<size_t>(the_case.argument("n"));
  if (the_case.family == "integers") return whole_numbers(n, random);
  if (the_case.family == "uniform") {
    std::vector<float> a = uniform(n, random);
    return {std::move(a), uniform(n, random)};
  }
  throw std::invalid_argument("dot: unknown family \"" + the_case.family +
                              "\" (integers, uniform)");
}

float dot(const NpyArray& x, const NpyArray& y) {
  const auto a = x.as<float>(), b = y.as<float>();
  return static_cast<float>(cblas_dsdot(static_cast<int>(a.size()), a.data(), 1, b.data(), 1));
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const auto [a, b] = make_vectors(the_case, random);
  return {{"a", make_npy<float>({a.size()}, a)}, {"b", make_npy<float>({b.size()}, b)}};
}

Arrays expected_outputs(const OracleCase&, const Arrays& inputs) {
  const NpyArray& a = inputs.at("a");
  const NpyArray& b = inputs.at("b");
  const float product = dot(a, b), square = dot(a, a);
  return {{"static", make_npy<float>({2, 1}, {product, product})},
          {"dynamic", make_npy<float>({2, 2}, {product, square, product, square})},
          {"accepted", make_npy<int32_t>({2}, {1, 1})}};
}

}  // namespace warpgrade
