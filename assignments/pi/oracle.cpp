// SPDX-License-Identifier: MIT
// Inputs and expected outputs of pi. Nothing here is ever linked with a student's code.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
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

uint64_t inside_of(std::span<const float> x, std::span<const float> y) {
  uint64_t inside = 0;
  for (size_t i = 0; i < x.size(); ++i)
    inside += static_cast<double>(x[i]) * x[i] + static_cast<double>(y[i]) * y[i] <= 1.0;
  return inside;
}

struct Points {
  std::vector<float> x, y;

  void add(long column, long row) {
    x.push_back(static_cast<float>(column) / static_cast<float>(kGrid));
    y.push_back(static_cast<float>(row) / static_cast<float>(kGrid));
  }

  /// Puts the last point outside where it is inside, and inside where it is not.
  void turn_one() {
    const bool is_inside = inside_of({&x.back(), 1}, {&y.back(), 1}) == 1;
    x.back() = y.back() = is_inside ? 1.0f - 1.0f / kGrid : 0.0f;
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

/// The points that random_points made of the seeds which the driver lists: the case's twice, the two behind it, and
/// each that differs from it in a single bit.
class DrawnPoints {
 public:
  DrawnPoints(std::span<const float> values, size_t n, uint32_t seed)
      : values_(values), n_(n), seed_(seed) {}

  static constexpr size_t kSets = 4 + 32;

  bool in_square() const {
    return std::all_of(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(2 * n_),
                       [](float value) { return value >= 0.0f && value <= 1.0f; });
  }
  bool differ() const {
    const auto first = x(0);
    return std::set<float>(first.begin(), first.end()).size() > n_ / 2;
  }
  /// Whether few numbers of x, or what they lack to 1, stand in y, in whatever order. By chance y holds about twice as many of
  /// them as x holds of its own a second time.
  bool are_used_once() const {
    std::vector<float> lacking(x(0).begin(), x(0).end());
    for (float& value : lacking) value = 1.0f - value;
    const size_t repeated = n_ - std::set<float>(x(0).begin(), x(0).end()).size();
    return std::max(in_both(x(0), y(0)), in_both(lacking, y(0))) <= n_ / 20 + 2 * repeated;
  }
  /// Whether each of 64 parts of the square has its share, give or take six standard deviations.
  bool spread_evenly() const {
    constexpr size_t kSides = 8;
    std::vector<double> counts(kSides * kSides, 0.0);
    const auto place = [](float at) {
      return std::min(kSides - 1, static_cast<size_t>(at * kSides));
    };
    for (size_t i = 0; i < n_; ++i) counts[place(x(0)[i]) + kSides * place(y(0)[i])] += 1.0;
    const auto n = static_cast<double>(n_);
    return std::all_of(counts.begin(), counts.end(), [n](double count) {
      return std::abs(count - n / 64) <= 6 * std::sqrt(n * 63 / 4096);
    });
  }
  bool repeat() const { return same(x(0), x(1)) && same(y(0), y(1)); }
  /// Whether every other seed gives other points. Seed 0 may give those of 1: to srand() and to engines of <random>
  /// the two are the same.
  bool follow_the_seed() const {
    bool follow = other(2) && other(3) && !same(x(2), x(3));
    for (uint32_t bit = 0; bit < 32; ++bit) {
      const bool is_zero = (seed_ ^ (uint32_t{1} << bit)) == 0;
      follow = follow && (is_zero || other(4 + bit));
    }
    return follow;
  }

 private:
  using Values = std::span<const float>;

  Values x(size_t set) const { return values_.subspan(2 * set * n_, n_); }
  Values y(size_t set) const { return values_.subspan((2 * set + 1) * n_, n_); }
  static size_t in_both(Values one, Values other) {
    std::multiset<float> both;
    const std::multiset<float> first(one.begin(), one.end()), second(other.begin(), other.end());
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                          std::inserter(both, both.end()));
    return both.size();
  }
  static bool same(Values one, Values other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }
  bool other(size_t set) const { return !same(x(0), x(set)) && !same(y(0), y(set)); }

  Values values_;
  size_t n_;
  uint32_t seed_;
};

constexpr size_t kFactsAboutPoints = 7;

/// What the rubric's `points` asks, in the order of its words.
std::vector<int32_t> facts_about_points(const OracleCase& the_case, const NpyArray& drawn,
                                        const NpyArray& alone) {
  const auto n = static_cast<size_t>(the_case.argument("n"));
  const auto values = drawn.as<float>();
  const auto untouched = alone.as<int32_t>();
  if (values.size() != DrawnPoints::kSets * 2 * n || untouched.size() != 1)
    return std::vector<int32_t>(kFactsAboutPoints);
  const DrawnPoints points(values, n, static_cast<uint32_t>(the_case.argument("seed")));
  const bool inside = points.in_square();
  return {inside,
          inside && points.differ(),
          points.are_used_once(),
          inside && points.spread_evenly(),
          points.repeat(),
          points.follow_the_seed(),
          untouched[0] == 1};
}

/// With more points than any device holds: 2 where a function counted the few points that 32 bits of their number leave,
/// 1 where it kept the number.
int32_t size_kept(const OracleCase& the_case, const NpyArray& counted) {
  const auto values = counted.as<uint64_t>();
  const bool is_narrowed =
      values.size() != 1 ||
      (values[0] > 0 && values[0] <= static_cast<uint64_t>(the_case.argument("n")));
  return is_narrowed ? 2 : 1;
}

}  // namespace

Arrays derived_outputs(const OracleCase& the_case, const Arrays&, const Arrays& outputs) {
  Arrays derived;
  if (outputs.contains("drawn") && outputs.contains("drawn_alone"))
    derived["points"] = make_npy<int32_t>(
        {kFactsAboutPoints},
        facts_about_points(the_case, outputs.at("drawn"), outputs.at("drawn_alone")));
  if (outputs.contains("counted"))
    derived["size_kept"] = make_npy<int32_t>({1}, {size_kept(the_case, outputs.at("counted"))});
  return derived;
}

Arrays make_inputs(const OracleCase& the_case) {
  SeededRandom random(the_case.seed);
  const Points points = points_of(the_case, random);
  Points others = points_of(the_case, random);
  // As many points inside would let the first call's answer pass for the second's.
  if (inside_of(others.x, others.y) == inside_of(points.x, points.y)) others.turn_one();
  Arrays inputs = {{"x", make_npy<float>({points.x.size()}, points.x)},
                   {"y", make_npy<float>({points.y.size()}, points.y)},
                   {"x_again", make_npy<float>({others.x.size()}, others.x)},
                   {"y_again", make_npy<float>({others.y.size()}, others.y)}};
  add_counts(inputs, random);
  return inputs;
}

Arrays expected_outputs(const OracleCase&, const Arrays& inputs) {
  const auto x = inputs.at("x").as<float>();
  const uint64_t inside = inside_of(x, inputs.at("y").as<float>());
  const uint64_t again =
      inside_of(inputs.at("x_again").as<float>(), inputs.at("y_again").as<float>());

  const auto counts = inputs.at("inside").as<uint64_t>(), all = inputs.at("points").as<uint64_t>();
  std::vector<double> formula;
  for (size_t i = 0; i < counts.size(); ++i) formula.push_back(pi_of(counts[i], all[i]));
  return {{"global", make_npy<uint64_t>({2}, {inside, again})},
          {"shared", make_npy<uint64_t>({2}, {inside, again})},
          {"pi", make_npy<double>({2}, {pi_of(inside, x.size()), pi_of(again, x.size())})},
          {"points", make_npy<int32_t>({7}, {1, 1, 1, 1, 1, 1, 1})},
          {"size_kept", make_npy<int32_t>({1}, {1})},
          {"formula", make_npy<double>({formula.size()}, formula)}};
}

}  // namespace warpgrade
