// SPDX-License-Identifier: MIT
// Inputs and expected outputs of matmul-tiled. Nothing here is ever linked with a student's code.
#include "check/oracle.h"

#include <cblas.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

struct Sizes {
  size_t m, n, k;
};

Sizes sizes_of(const OracleCase& the_case) {
  const auto size = [&](const char* name) { return static_cast<size_t>(the_case.argument(name)); };
  return {size("M"), size("N"), size("K")};
}

// One 1 in each column, so that each element of the product is one element of A, and a wrong one
// tells where it was read.
std::vector<float> selection(size_t rows, size_t columns, SeededRandom& random) {
  std::vector<float> values(rows * columns);
  const auto shift = static_cast<size_t>(random.integer(0, static_cast<long>(rows) - 1));
  for (size_t j = 0; j < columns; ++j) values[(j + shift) % rows * columns + j] = 1.0f;
  return values;
}

// In double: products of floats are exact and their sums err far below what a float can show.
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b,
                           const Sizes& sizes) {
  const std::vector<double> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  std::vector<double> wide_c(sizes.m * sizes.k);
  const auto m = static_cast<blasint>(sizes.m), n = static_cast<blasint>(sizes.n),
             k = static_cast<blasint>(sizes.k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1.0, wide_a.data(), n,
              wide_b.data(), k, 0.0, wide_c.data(), k);
  return {wide_c.begin(), wide_c.end()};
}

// width, height, stride and place of every tile of A.
NpyArray tiles_of_a(const OracleCase& the_case) {
  const auto argument = [&](const char* name) {
    return static_cast<int32_t>(the_case.argument(name));
  };
  const int32_t m = argument("M"), n = argument("N"), tile = argument("tile");
  const int32_t stride = n + static_cast<int32_t>(the_case.argument_or("gap", 0));
  std::vector<int32_t> facts;
  for (int32_t i = 0; i < m; i += tile) {
    for (int32_t j = 0; j < n; j += tile) {
      facts.insert(facts.end(),
                   {std::min(tile, n - j), std::min(tile, m - i), stride, i * stride + j});
    }
  }
  return make_npy({facts.size() / 4, 4}, facts);
}

std::vector<float> values_of(const Arrays& arrays, const std::string& name) {
  const auto values = arrays.at(name).as<float>();
  return {values.begin(), values.end()};
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Sizes sizes = sizes_of(the_case);
  std::vector<float> a, b;
  if (the_case.family == "integers") {
    a = wide_integers(sizes.m * sizes.n, random);
    b = nonzero_integers(sizes.n * sizes.k, random);
  } else if (the_case.family == "uniform") {
    a = uniform(sizes.m * sizes.n, random);
    b = uniform(sizes.n * sizes.k, random);
  } else if (the_case.family == "positions") {
    a = positions(sizes.m * sizes.n);
    b = selection(sizes.n, sizes.k, random);
  } else {
    throw std::invalid_argument("matmul-tiled: unknown family \"" + the_case.family +
                                "\" (integers, uniform, positions)");
  }
  return {{"A", make_npy({sizes.m, sizes.n}, a)}, {"B", make_npy({sizes.n, sizes.k}, b)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const Sizes sizes = sizes_of(the_case);
  const NpyArray c =
      make_npy({sizes.m, sizes.k}, product(values_of(inputs, "A"), values_of(inputs, "B"), sizes));
  return {{"C_host", c},
          {"C_corner", c},
          {"C_device", c},
          {"around_host", make_npy<int32_t>({1}, {0})},
          {"around_device", make_npy<int32_t>({1}, {0})},
          {"tiles", tiles_of_a(the_case)}};
}

}  // namespace warpgrade
