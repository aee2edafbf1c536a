// SPDX-License-Identifier: MIT
// Inputs and expected outputs of constmem. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <algorithm>
#include <stdexcept>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

std::vector<float> make_values(const OracleCase& the_case, size_t count, SeededRandom& random) {
  if (the_case.family == "integers") return integers(count, -8, 8, random);
  if (the_case.family == "uniform") return uniform(count, random);
  throw std::invalid_argument("constmem: unknown family \"" + the_case.family +
                              "\" (integers, uniform)");
}

/// None is 0, so that a tap or an element left out always shows.
std::vector<float> make_nonzero(const OracleCase& the_case, size_t count, SeededRandom& random) {
  std::vector<float> values = make_values(the_case, count, random);
  for (float& value : values) value = value == 0 ? 9.0f : value;
  return values;
}

/// In double: products of floats are exact, and the error of a sum is far below a float's.
NpyArray filtered(const std::vector<double>& x, const std::vector<double>& taps) {
  std::vector<float> y(x.size());
#pragma omp parallel for
  for (size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (size_t k = 0; k < std::min(taps.size(), i + 1); ++k) sum += taps[k] * x[i - k];
    y[i] = static_cast<float>(sum);
  }
  return make_npy({y.size()}, y);
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const auto n = static_cast<size_t>(the_case.argument("n"));
  const auto count = static_cast<size_t>(the_case.argument("taps"));
  const auto first = static_cast<size_t>(the_case.argument("first"));
  if (first >= count) throw std::invalid_argument("constmem: first must be less than taps");
  const size_t replaced = (count - first + 1) / 2;
  const std::vector<float> x = make_nonzero(the_case, n, random);
  const std::vector<float> taps = make_nonzero(the_case, count, random);
  std::vector<float> others = make_nonzero(the_case, replaced, random);
  for (size_t i = 0; i < replaced; ++i) {
    if (others[i] == taps[first + i]) others[i] = -others[i];  // each replaced tap changes
  }
  return {{"x", make_npy({n}, x)},
          {"taps", make_npy({count}, taps)},
          {"others", make_npy({replaced}, others)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  if (the_case.argument_or("refusals", 0) != 0)
    return {{"accepted", make_npy<int32_t>({9}, {1, 1, 1, 0, 0, 0, 0, 0, 0})},
            {"unchanged", make_npy<int32_t>({3}, {1, 1, 1})}};
  const NpyArray y = filtered(inputs.at("x").as_doubles(), inputs.at("taps").as_doubles());
  return {{"y", y}, {"replaced", make_npy<int32_t>({2}, {0, 1})}, {"y_global", y}};
}

}  // namespace warpgrade
