// SPDX-License-Identifier: MIT
// Inputs and expected outputs of matmul-opt. Nothing here is ever linked with a student's code.
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

constexpr size_t kTile = 32;

struct Sizes {
  size_t m, n, k;
};

Sizes sizes_of(const OracleCase& the_case) {
  const auto size = [&](const char* name) { return static_cast<size_t>(the_case.argument(name)); };
  return {size("M"), size("N"), size("K")};
}

size_t padded(size_t size) { return (size + kTile - 1) / kTile * kTile; }

// One 1 in each column, so that each element of the product is one element of A, and a wrong one
// tells where it was read.
std::vector<float> selection(size_t rows, size_t columns, SeededRandom& random) {
  std::vector<float> values(rows * columns);
  const auto shift = static_cast<size_t>(random.integer(0, static_cast<long>(rows) - 1));
  for (size_t j = 0; j < columns; ++j) values[(j + shift) % rows * columns + j] = 1.0f;
  return values;
}

// What padded() is asked about: all sizes around the first multiples, and some larger ones.
std::vector<int32_t> asked_sizes(SeededRandom& random) {
  std::vector<int32_t> sizes;
  for (int32_t size = 1; size <= 100; ++size) sizes.push_back(size);
  for (int i = 0; i < 20; ++i) sizes.push_back(static_cast<int32_t>(random.integer(101, 100000)));
  return sizes;
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

NpyArray with_zeros(const std::vector<float>& values, size_t rows, size_t columns) {
  std::vector<float> all(padded(rows) * padded(columns));
  for (size_t i = 0; i < rows; ++i) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(i * columns);
    std::copy_n(row, columns, all.begin() + static_cast<std::ptrdiff_t>(i * padded(columns)));
  }
  return make_npy({padded(rows), padded(columns)}, all);
}

std::vector<float> values_of(const Arrays& arrays, const std::string& name) {
  const auto values = arrays.at(name).as<float>();
  return {values.begin(), values.end()};
}

NpyArray padded_sizes(const Arrays& inputs) {
  std::vector<int32_t> sizes;
  for (const int32_t size : inputs.at("sizes").as<int32_t>())
    sizes.push_back(static_cast<int32_t>(padded(static_cast<size_t>(size))));
  return make_npy({sizes.size()}, sizes);
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Sizes sizes = sizes_of(the_case);
  const std::vector<int32_t> asked = asked_sizes(random);
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
    throw std::invalid_argument("matmul-opt: unknown family \"" + the_case.family +
                                "\" (integers, uniform, positions)");
  }
  return {{"A", make_npy({sizes.m, sizes.n}, a)},
          {"B", make_npy({sizes.n, sizes.k}, b)},
          {"sizes", make_npy({asked.size()}, asked)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const Sizes sizes = sizes_of(the_case);
  const std::vector<float> a = values_of(inputs, "A"), b = values_of(inputs, "B");
  const NpyArray c = make_npy({sizes.m, sizes.k}, product(a, b, sizes));
  const uint64_t m = padded(sizes.m), n = padded(sizes.n), k = padded(sizes.k);
  return {{"C_one", c},
          {"C_two", c},
          {"C_own", c},
          {"padded", padded_sizes(inputs)},
          {"shapes", make_npy<uint64_t>({3, 2}, {m, n, n, k, m, k})},
          {"C_fresh", make_npy({m, k}, std::vector<float>(m * k))},
          {"A_padded", with_zeros(a, sizes.m, sizes.n)},
          {"B_padded", with_zeros(b, sizes.n, sizes.k)},
          {"A_back", make_npy({sizes.m, sizes.n}, a)},
          {"around_uploads", make_npy<int32_t>({1}, {1})},
          {"around_download", make_npy<int32_t>({1}, {1})}};
}

}  // namespace warpgrade
