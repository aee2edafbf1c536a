// SPDX-License-Identifier: MIT
// Inputs and expected outputs of pi. Nothing here is ever linked with a student's code.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check/oracle.h"

namespace warpgrade {
namespace {

// Coordinates are multiples of 1 / 4096, one bit more than half precision has. The squares are exact
// in float, and no point is so little outside that rounding their sum, with or without a fused
// multiply-add, could take it in: each is inside or not beyond doubt.
constexpr long kGrid = 4096;
constexpr long kClear = 4;

bool is_clear(long column, long row) {
  const long beyond = column * column + row * row - kGrid * kGrid;
  return beyond <= 0 || beyond >= kClear;
}

struct Points {
  std::vector<float> x, y;

  void add(long column, long row) {
    x.push_back(static_cast<float>(column) / static_cast<float>(kGrid));
    y.push_back(static_cast<float>(row) / static_cast<float>(kGrid));
  }
};

// None on the circle: on this grid it has only (0, 1) and (1, 0).
Points random_points(size_t n, SeededRandom& random) {
  Points points;
  for (size_t i = 0; i < n; ++i) {
    long column = 0, row = 0;
    do {
      column = random.integer(0, kGrid - 1);
      row = random.integer(0, kGrid - 1);
    } while (!is_clear(column, row));
    points.add(column, row);
  }
  return points;
}

// On the circle, next to it, and in the corner that is furthest from it.
Points border_points(size_t n, SeededRandom& random) {
  constexpr long kPlaces[][2] = {{kGrid, 0},     {0, kGrid}, {kGrid, 2},    {2, kGrid},
                                 {kGrid - 1, 1}, {kGrid, 0}, {kGrid, kGrid}};
  Points points;
  for (size_t i = 0; i < n; ++i) {
    const auto place = static_cast<size_t>(random.integer(0, 6));
    points.add(kPlaces[place][0], kPlaces[place][1]);
  }
  points.x.front() = 1.0f;
  points.y.front() = 0.0f;
  return points;
}

Points inside_points(size_t n, SeededRandom& random) {
  Points points;
  for (size_t i = 0; i < n; ++i) {
    const long column = random.integer(0, kGrid / 2);
    points.add(column, random.integer(0, kGrid / 2));
  }
  return points;
}

Points points_of(const OracleCase& the_case, SeededRandom& random) {
  const auto n = static_cast<size_t>(the_case.argument("n"));
  if (the_case.family == "grid") return random_points(n, random);
  if (the_case.family == "border") return border_points(n, random);
  if (the_case.family == "inside") return inside_points(n, random);
  throw std::invalid_argument("pi: unknown family \"" + the_case.family +
                              "\" (grid, border, inside)");
}

// Each with so many points that something narrower than it should be overflows: nothing, an int, an
// unsigned, 64 bits with a sign and, where all points are inside, 64 without.
void add_counts(Arrays& inputs, SeededRandom& random) {
  std::vector<uint64_t> points = {1000, 700'000'000, 4'000'000'000, 1ull << 62};
  std::vector<uint64_t> inside;
  for (const uint64_t count : points)
    inside.push_back(count / 1000 * static_cast<uint64_t>(random.integer(780, 790)));
  inside.push_back(points.emplace_back(1ull << 62));
  inputs["points"] = make_npy<uint64_t>({points.size()}, points);
  inputs["inside"] = make_npy<uint64_t>({inside.size()}, inside);
}

double pi_of(uint64_t inside, uint64_t points) {
  return 4.0 * (static_cast<double>(inside) / static_cast<double>(points));
}

}  // namespace

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Points points = points_of(the_case, random);
  Arrays inputs = {{"x", make_npy<float>({points.x.size()}, points.x)},
                   {"y", make_npy<float>({points.y.size()}, points.y)}};
  add_counts(inputs, random);
  return inputs;
}

Arrays expected_outputs(const OracleCase&, const Arrays& inputs) {
  const auto x = inputs.at("x").as<float>(), y = inputs.at("y").as<float>();
  uint64_t inside = 0;
  for (size_t i = 0; i < x.size(); ++i)
    inside += static_cast<double>(x[i]) * x[i] + static_cast<double>(y[i]) * y[i] <= 1.0;
  const double pi = pi_of(inside, x.size());

  const auto counts = inputs.at("inside").as<uint64_t>(), all = inputs.at("points").as<uint64_t>();
  std::vector<double> formula;
  for (size_t i = 0; i < counts.size(); ++i) formula.push_back(pi_of(counts[i], all[i]));
  return {{"global", make_npy<uint64_t>({2}, {inside, inside})},
          {"shared", make_npy<uint64_t>({2}, {inside, inside})},
          {"pi", make_npy<double>({2}, {pi, pi})},
          {"points", make_npy<int32_t>({6}, {1, 1, 1, 1, 1, 1})},
          {"size_kept", make_npy<int32_t>({1}, {1})},
          {"formula", make_npy<double>({formula.size()}, formula)}};
}

}  // namespace warpgrade
