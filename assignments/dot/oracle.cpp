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

// Never 0, so that each term counts; exact in float in any order up to 2^18 terms.
std::vector<float> whole_numbers(size_t n, SeededRandom& random) {
  std::vector<float> values = integers(n, 1, 8, random);
  for (float& value : values) value = random.integer(0, 1) == 0 ? value : -value;
  return values;
}

std::vector<float> make_vector(const OracleCase& the_case, SeededRandom& random) {
  const auto n = static_cast<size_t>(the_case.argument("n"));
  if (the_case.family == "integers") return whole_numbers(n, random);
  if (the_case.family == "uniform") return uniform(n, random);
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
  const std::vector<float> a = make_vector(the_case, random), b = make_vector(the_case, random);
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
