// SPDX-License-Identifier: MIT
#include "check/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace warpgrade {
namespace {

/// A matrix of 33 x 17 distinct numbers, written by 16 x 16 blocks at a pitch of 128 elements.
Difference difference_of(const std::function<double(size_t, size_t)>& got) {
  Difference d;
  d.rows = 33;
  d.columns = 17;
  d.block_rows = d.block_columns = 16;
  d.pitch_elements = 128;
  for (size_t i = 0; i < d.rows * d.columns; ++i) {
    d.expected.push_back(static_cast<double>(i + 1));
    d.got.push_back(got(i / d.columns, i % d.columns));
    d.poisoned.push_back(std::isnan(d.got[i]));
    d.wrong.push_back(!(d.got[i] == d.expected[i]));
  }
  return d;
}

double right(size_t row, size_t column) { return static_cast<double>(row * 17 + column + 1); }

Sentence pattern_of(const Difference& difference) {
  return describe_pattern(difference, {"C", {}, "C"});
}

TEST(DescribePattern, SeesThatNothingWasWritten) {
  EXPECT_EQ(pattern_of(difference_of([](size_t, size_t) { return NAN; })),
            "pattern.unwritten(what=C)");
}

TEST(DescribePattern, SeesAllZero) {
  EXPECT_EQ(pattern_of(difference_of([](size_t, size_t) { return 0; })), "pattern.zeros(what=C)");
}

TEST(DescribePattern, SeesTheTransposedResult) {
  const Difference d = difference_of([](size_t row, size_t column) {
    const size_t flat = row * 17 + column;
    return right(flat % 33, flat / 33);
  });
  EXPECT_EQ(pattern_of(d), "pattern.transposed(what=C)");
}

TEST(DescribePattern, SeesRowsShiftedByThePadding) {
  const Difference d = difference_of([](size_t row, size_t column) {
    const size_t from = row * 128 + column;
    return from < 33 * 17 ? static_cast<double>(from + 1) : NAN;
  });
  EXPECT_EQ(pattern_of(d), "pattern.shifted(pitch=128, shift=111, what=C, width=17)");
}

TEST(DescribePattern, SeesTheLastPartialBlocks) {
  EXPECT_EQ(
      pattern_of(difference_of([](size_t r, size_t c) { return c < 16 ? right(r, c) : NAN; })),
      "pattern.uncovered_column(column=16, what=C)");
  EXPECT_EQ(pattern_of(difference_of([](size_t r, size_t c) { return r < 32 ? right(r, c) : 5; })),
            "pattern.last_row(row=32, what=C)");
  EXPECT_EQ(pattern_of(difference_of(
                [](size_t r, size_t c) { return r < 32 && c < 16 ? right(r, c) : NAN; })),
            "pattern.uncovered_blocks(column=16, row=32, what=C)");
}

TEST(DescribePattern, SpeaksOfNoLastBlocksWhereTheyAreTheFirst) {
  Difference d = difference_of([](size_t r, size_t c) { return c == 0 ? right(r, c) : 5; });
  d.block_columns = 2 * d.columns;
  EXPECT_FALSE(std::string_view(pattern_of(d).id).starts_with("pattern.last"));
}

/// A vector of 1000 distinct numbers, written by blocks of 256 threads.
Difference vector_of(const std::function<double(size_t)>& got) {
  Difference d;
  d.columns = 1000;
  d.is_vector = true;
  d.block_columns = 256;
  d.block_rows = 1;
  for (size_t i = 0; i < d.columns; ++i) {
    d.expected.push_back(static_cast<double>(i + 1));
    d.got.push_back(got(i));
    d.poisoned.push_back(std::isnan(d.got[i]));
    d.wrong.push_back(!(d.got[i] == d.expected[i]));
  }
  return d;
}

TEST(DescribePattern, NamesElementsOfVectorsAndNoColumns) {
  const auto from = [](size_t first, double wrong) {
    return vector_of([=](size_t i) { return i < first ? static_cast<double>(i + 1) : wrong; });
  };
  EXPECT_EQ(pattern_of(from(768, NAN)), "pattern.uncovered_elements(element=768, what=C)");
  // One element of the block: the others were written.
  EXPECT_EQ(pattern_of(from(999, NAN)), "pattern.last_elements(element=768, what=C)");
  EXPECT_EQ(pattern_of(from(999, 5)), "pattern.last_elements(element=768, what=C)");
  EXPECT_EQ(pattern_of(from(700, NAN)), "pattern.never_written(what=C)");
  EXPECT_EQ(pattern_of(from(700, 5)), "") << "most are right";
  EXPECT_EQ(pattern_of(from(3, -5)), "pattern.first_only(right=3, what=C)");
  EXPECT_EQ(pattern_of(from(0, 0)), "pattern.zeros(what=C)");
}

TEST(DescribePattern, SeesElementsThatWereNeverWritten) {
  EXPECT_EQ(
      pattern_of(difference_of([](size_t r, size_t c) { return r % 2 != 0 ? NAN : right(r, c); })),
      "pattern.never_written(what=C)");
}

TEST(DescribePattern, SeesThatOnlyTheFirstIsRight) {
  EXPECT_EQ(
      pattern_of(difference_of([](size_t r, size_t c) { return r + c == 0 ? right(r, c) : -7; })),
      "pattern.first_only(right=1, what=C)");
}

TEST(DescribePattern, SeesThatOnlyTheFirstRowIsRight) {
  EXPECT_EQ(pattern_of(difference_of([](size_t r, size_t c) { return r == 0 ? right(r, c) : -7; })),
            "pattern.first_row_only(what=C)");
  const auto every_other_row = [](size_t r, size_t c) { return r % 2 == 0 ? right(r, c) : -7; };
  EXPECT_NE(pattern_of(difference_of(every_other_row)).id, "pattern.first_row_only");
}

TEST(DescribePattern, SeesErrorsOfTheSizeOfRounding) {
  EXPECT_EQ(pattern_of(difference_of([](size_t r, size_t c) { return right(r, c) * 1.001; })),
            "pattern.rounding(error=1.0e-03, what=C)");
}

TEST(DescribePattern, TakesAWholeNumberForRoundedOnlyWhereItHasFewerBits) {
  Difference d;
  d.rows = 1, d.columns = 2;
  d.expected = {524289, 7}, d.got = {524288, 7};
  d.wrong = {true, false}, d.poisoned = {false, false};
  EXPECT_EQ(pattern_of(d), "pattern.rounding(error=1.9e-06, what=C)");
  d.expected = {25447170048, 7}, d.got = {25445072896, 7};
  EXPECT_EQ(pattern_of(d), "") << "memory that is in use, not a rounded number";
}

TEST(DescribePattern, TakesNothingForRoundedWhereMostNumbersAreExact) {
  const auto rows_wrong = [](size_t wrong) {
    Difference d = difference_of(
        [&](size_t r, size_t c) { return right(r, c) * (r % wrong == 1 ? 1.001 : 1); });
    for (std::vector<double>* values : {&d.expected, &d.got})
      for (double& value : *values) value /= 3;
    return d;
  };
  EXPECT_EQ(pattern_of(rows_wrong(16)).id, "");
  EXPECT_EQ(pattern_of(rows_wrong(2)).id, "pattern.rounding");
}

TEST(DescribePattern, SaysNothingAboutScatteredErrors) {
  EXPECT_EQ(pattern_of(difference_of(
                [](size_t r, size_t c) { return (r * c) % 7 == 3 ? -1 : right(r, c); })),
            "");
}

}  // namespace
}  // namespace warpgrade
