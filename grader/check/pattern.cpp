// SPDX-License-Identifier: MIT
#include "check/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr double kRoundingSize = 0.02;

/// Whether `holds(row, column)` for every wrong element.
template <class Test>
bool every_wrong(const Difference& d, Test holds) {
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    if (d.wrong[i] && !holds(i / d.columns, i % d.columns)) return false;
  }
  return true;
}

/// Whether what was got at each place is what is expected at `source(place)`; places without one
/// (>= count) tell nothing.
template <class Source>
bool is_expected_from(const Difference& d, Source source) {
  size_t informative = 0;
  for (size_t i = 0; i < d.got.size(); ++i) {
    const size_t from = source(i);
    if (from >= d.expected.size()) continue;
    if (!(d.got[i] == d.expected[from])) return false;
    if (from != i) ++informative;
  }
  return informative > 0;
}

Sentence nothing_written(const Difference& d, const Sentence& what) {
  const bool all =
      std::all_of(d.poisoned.begin(), d.poisoned.end(), [](bool poisoned) { return poisoned; });
  return all ? say("pattern.unwritten", {{"what", what}}) : Sentence();
}

Sentence all_zero(const Difference& d, const Sentence& what) {
  const bool all = std::all_of(d.got.begin(), d.got.end(), [](double value) { return value == 0; });
  return all ? say("pattern.zeros", {{"what", what}}) : Sentence();
}

Sentence transposed(const Difference& d, const Sentence& what) {
  const bool matches = d.rows > 1 && d.columns > 1 && is_expected_from(d, [&](size_t i) {
                         return (i % d.rows) * d.columns + i / d.rows;
                       });
  return matches ? say("pattern.transposed", {{"what", what}}) : Sentence();
}

Sentence shifted_by_padding(const Difference& d, const Sentence& what) {
  const bool matches =
      d.rows > 1 && d.pitch_elements > d.columns && is_expected_from(d, [&](size_t i) {
        return (i / d.columns) * d.pitch_elements + i % d.columns;
      });
  return matches ? say("pattern.shifted", {{"what", what},
                                           {"shift", d.pitch_elements - d.columns},
                                           {"width", d.columns},
                                           {"pitch", d.pitch_elements}})
                 : Sentence();
}

bool is_never_written(const Difference& d) {
  return every_wrong(d, [&](size_t r, size_t c) { return bool{d.poisoned[r * d.columns + c]}; });
}

/// Whether nothing was written where `holds(row, column)`, and elsewhere nothing is wrong.
template <class Test>
bool is_uncovered(const Difference& d, Test holds) {
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    if (holds(i / d.columns, i % d.columns) && !(d.wrong[i] && d.poisoned[i])) return false;
  }
  return every_wrong(d, holds);
}

Sentence last_elements(const Difference& d, const Sentence& what) {
  if (!d.is_vector || d.block_columns == 0) return {};
  const size_t full = d.columns / d.block_columns * d.block_columns;
  const auto behind = [&](size_t, size_t c) { return c >= full; };
  if (full == 0 || full == d.columns || !every_wrong(d, behind)) return {};
  return say(is_uncovered(d, behind) ? "pattern.uncovered_elements" : "pattern.last_elements",
             {{"what", what}, {"element", full}});
}

Sentence last_partial_block(const Difference& d, const Sentence& what) {
  if (d.is_vector || d.block_rows == 0 || d.block_columns == 0) return {};
  const size_t full_rows = d.rows / d.block_rows * d.block_rows,
               full_columns = d.columns / d.block_columns * d.block_columns;
  const auto in_column = [&](size_t, size_t c) { return c >= full_columns; };
  const auto in_row = [&](size_t r, size_t) { return r >= full_rows; };
  // Where the last block is also the first, it is no edge.
  if (full_columns > 0 && full_columns < d.columns && every_wrong(d, in_column))
    return say(is_uncovered(d, in_column) ? "pattern.uncovered_column" : "pattern.last_column",
               {{"what", what}, {"column", full_columns}});
  if (full_rows > 0 && full_rows < d.rows && every_wrong(d, in_row))
    return say(is_uncovered(d, in_row) ? "pattern.uncovered_row" : "pattern.last_row",
               {{"what", what}, {"row", full_rows}});
  const auto in_partial = [&](size_t r, size_t c) { return in_row(r, c) || in_column(r, c); };
  if (full_rows == 0 || full_columns == 0 || !every_wrong(d, in_partial)) return {};
  return say(is_uncovered(d, in_partial) ? "pattern.uncovered_blocks" : "pattern.last_blocks",
             {{"what", what}, {"row", full_rows}, {"column", full_columns}});
}

Sentence never_written(const Difference& d, const Sentence& what) {
  return is_never_written(d) ? say("pattern.never_written", {{"what", what}}) : Sentence();
}

Sentence first_elements_only(const Difference& d, const Sentence& what) {
  const size_t right = d.wrong.size() - d.wrong_count();
  const bool prefix =
      right > 0 && right < (d.is_vector ? d.columns / 2 : d.columns) &&
      std::find(d.wrong.begin(), d.wrong.end(), true) - d.wrong.begin() == static_cast<long>(right);
  return prefix ? say("pattern.first_only", {{"what", what}, {"right", right}}) : Sentence();
}

Sentence first_row_only(const Difference& d, const Sentence& what) {
  // A wrong pitch spoils every later row: where some are right, it is something else.
  const auto is_mostly_wrong = [&](size_t row) {
    const auto begin = d.wrong.begin() + static_cast<long>(row * d.columns);
    const auto wrong = std::count(begin, begin + static_cast<long>(d.columns), true);
    return 2 * static_cast<size_t>(wrong) > d.columns;
  };
  bool only = d.rows > 1 && every_wrong(d, [](size_t r, size_t) { return r > 0; });
  for (size_t row = 1; only && row < d.rows; ++row) only = is_mostly_wrong(row);
  return only ? say("pattern.first_row_only", {{"what", what}}) : Sentence();
}

bool is_whole(double value) { return value == std::trunc(value); }

/// Bits from the first 1 to the last one.
int significant_bits(double value) {
  int exponent = 0, bits = 0;
  double rest = std::abs(std::frexp(value, &exponent));
  for (; rest != 0 && std::isfinite(rest); ++bits) {
    rest *= 2;
    rest -= std::trunc(rest);
  }
  return bits;
}

/// Whether whole numbers were got for whole numbers, with no fewer bits than these have. A
/// number that is rounded loses bits.
bool keeps_its_bits(const Difference& d) {
  int got = 0, expected = 0;
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    if (!d.wrong[i]) continue;
    if (!is_whole(d.got[i]) || !is_whole(d.expected[i])) return false;
    got = std::max(got, significant_bits(d.got[i]));
    expected = std::max(expected, significant_bits(d.expected[i]));
  }
  return got >= expected;
}

bool fits_in_bits(double value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return scaled == std::nearbyint(scaled);
}

/// Whether most numbers that an error of that size would change are exactly right: a lower precision changes them all.
bool spares_most(const Difference& d, double error) {
  const int bits = std::max(1, -std::ilogb(error));
  size_t fragile = 0, exact = 0;
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    if (!std::isfinite(d.expected[i]) || fits_in_bits(d.expected[i], bits)) continue;
    ++fragile;
    exact += d.got[i] == d.expected[i];
  }
  return 4 * exact > 3 * fragile;
}

Sentence rounding(const Difference& d, const Sentence& what) {
  if (keeps_its_bits(d)) return {};
  double largest = 0;
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    const double error =
        d.wrong[i] ? std::abs(d.got[i] - d.expected[i]) / std::max(std::abs(d.expected[i]), 1e-30)
                   : 0;
    if (!(error <= kRoundingSize)) return {};
    largest = std::max(largest, error);
  }
  if (spares_most(d, largest)) return {};
  return say("pattern.rounding", {{"what", what}, {"error", fmt::format("{:.1e}", largest)}});
}

}  // namespace

size_t Difference::wrong_count() const {
  return static_cast<size_t>(std::count(wrong.begin(), wrong.end(), true));
}

Sentence describe_pattern(const Difference& difference, const Sentence& what) {
  // The most telling first.
  for (const auto recognise :
       {nothing_written, all_zero, transposed, shifted_by_padding, last_elements,
        last_partial_block, never_written, first_elements_only, first_row_only, rounding}) {
    Sentence sentence = recognise(difference, what);
    if (!sentence.empty()) return sentence;
  }
  return {};
}

}  // namespace warpgrade
