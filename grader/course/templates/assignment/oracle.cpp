// SPDX-License-Identifier: MIT
// Inputs and expected outputs of @slug@, in plain C++ on the host. Built as a program of its own and
// run outside the students' sandbox: nothing here is ever linked with a student's code.
#include <vector>

#include "check/oracle_inputs.h"

namespace warpgrade {

// names: integers
Arrays make_inputs(const OracleCase& the_case) {
  // The seed is new in every grading, so nobody can hand in an answer that was learnt by heart.
  SeededRandom random(the_case.seed);
  const auto n = static_cast<size_t>(the_case.argument("N"));
  // Whole numbers and halves: every step is exact in float, so the result can be compared exactly.
  const std::vector<float> a = {static_cast<float>(2 * random.integer(1, 9) + 1) / 2};
  const std::vector<float> x = integers(n, -1000, 1000, random);
  const std::vector<float> y = integers(n, -1000, 1000, random);
  return {{"a", make_npy({1}, a)}, {"x", make_npy({n}, x)}, {"y", make_npy({n}, y)}};
}

Arrays expected_outputs(const OracleCase&, const Arrays& inputs) {
  const float a = inputs.at("a").as<float>()[0];
  const auto x = inputs.at("x").as<float>(), y = inputs.at("y").as<float>();
  std::vector<float> expected(x.size());
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = a * x[i] + y[i];
  return {{"y", make_npy({expected.size()}, expected)}, {"guards", make_npy<int32_t>({2}, {1, 1})}};
}

}  // namespace warpgrade
