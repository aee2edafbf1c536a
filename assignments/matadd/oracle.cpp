// SPDX-License-Identifier: MIT
// Inputs and expected outputs of matadd. Nothing here is ever linked with a student's code.
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "check/oracle_inputs.h"

namespace warpgrade {
namespace {

constexpr long kMostThreads = 1024;  // of a block, on every device so far
constexpr long kMostBlocksY = 65535;

struct Shape {
  size_t rows, columns;
  size_t elements() const { return rows * columns; }
};

Shape shape_of(const OracleCase& the_case) {
  const long n = the_case.argument_or("n", 1);
  return {static_cast<size_t>(the_case.argument_or("rows", n)),
          static_cast<size_t>(the_case.argument_or("columns", n))};
}

bool is_refused(const OracleCase& the_case) {
  const long n = the_case.argument_or("n", 1);
  const long threads = the_case.argument_or("bx", n) * the_case.argument_or("by", n);
  const long by = the_case.argument_or("by", 1), rows = the_case.argument_or("rows", 1);
  return threads > kMostThreads || (rows + by - 1) / by > kMostBlocksY;
}

/// The sums of the calls that follow a refused one: of all rows and columns, then of half as many rows, then of half as
/// many columns, too, and of the latter three times, with b in place of a, and with a in place of b.
NpyArray next_sums(const Shape& shape, std::span<const float> a, std::span<const float> b) {
  std::vector<float> sums;
  const auto append = [&sums](size_t elements, std::span<const float> left,
                              std::span<const float> right) {
    for (size_t i = 0; i < elements; ++i) sums.push_back(left[i] + right[i]);
  };
  const size_t half = std::max<size_t>(shape.rows / 2, 1);
  const size_t quarter = half * std::max<size_t>(shape.columns / 2, 1);
  append(shape.elements(), a, b);
  append(half * shape.columns, a, b);
  append(quarter, a, b);
  append(quarter, a, b);
  append(quarter, b, b);
  append(quarter, b, a);
  return make_npy({sums.size()}, sums);
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Shape shape = shape_of(the_case);
  std::vector<float> a, b;
  if (the_case.family == "positions") {
    // A wrong element tells where it was read; b's seed keeps a copy of a from being right.
    a = positions(shape.elements());
    b.assign(shape.elements(), static_cast<float>(random.integer(1, 1000)));
  } else if (the_case.family == "integers") {
    a = integers(shape.elements(), -1'000'000, 1'000'000, random);
    b = integers(shape.elements(), -1'000'000, 1'000'000, random);
  } else if (the_case.family == "uniform") {
    a = uniform(shape.elements(), random);
    b = uniform(shape.elements(), random);
  } else {
    throw std::invalid_argument("unknown family \"" + the_case.family +
                                "\" (positions, integers, uniform)");
  }
  return {{"A", make_npy({shape.rows, shape.columns}, a)},
          {"B", make_npy({shape.rows, shape.columns}, b)}};
}

Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs) {
  const auto a = inputs.at("A").as<float>(), b = inputs.at("B").as<float>();
  if (is_refused(the_case))
    return {{"outcome", make_npy<int32_t>({1}, {2})},
            {"next_outcome", make_npy<int32_t>({2}, {1, 1})},
            {"next_sums", next_sums(shape_of(the_case), a, b)}};
  std::vector<float> c(a.size());
  for (size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
  return {{"outcome", make_npy<int32_t>({1}, {1})}, {"C", make_npy(inputs.at("A").shape, c)}};
}

}  // namespace warpgrade
