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

TEST(DescribePattern, SeesThatNothingWasWritten) {
  EXPECT_EQ(describe_pattern(difference_of([](size_t, size_t) { return NAN; })),
            "Nothing was ever written to it.");
}

TEST(DescribePattern, SeesAllZero) {
  EXPECT_EQ(describe_pattern(difference_of([](size_t, size_t) { return 0; })),
            "Every element is 0: was the result computed and copied back?");
}

TEST(DescribePattern, SeesTheTransposedResult) {
  const Difference d = difference_of([](size_t row, size_t column) {
    const size_t flat = row * 17 + column;
    return right(flat % 33, flat / 33);
  });
  EXPECT_EQ(describe_pattern(d),
            "It is the transposed result: rows and columns (x and y) are swapped.");
}

TEST(DescribePattern, SeesRowsShiftedByThePadding) {
  const Difference d = difference_of([](size_t row, size_t column) {
    const size_t from = row * 128 + column;
    return from < 33 * 17 ? static_cast<double>(from + 1) : NAN;
  });
  EXPECT_EQ(describe_pattern(d),
            "Row r holds what belongs r * 111 elements further on: rows were written 17 elements "
            "apart, by the width, where the pitch makes it 128.");
}

TEST(DescribePattern, SeesTheLastPartialBlocks) {
  EXPECT_EQ(describe_pattern(
                difference_of([](size_t r, size_t c) { return c < 16 ? right(r, c) : NAN; })),
            "Only the last, partial column of blocks (from column 16 on) was never written: does "
            "the grid cover it?");
  EXPECT_EQ(
      describe_pattern(difference_of([](size_t r, size_t c) { return r < 32 ? right(r, c) : 5; })),
      "Only the last, partial row of blocks (from row 32 on) is wrong: look at the bounds checks.");
  EXPECT_EQ(describe_pattern(difference_of(
                [](size_t r, size_t c) { return r < 32 && c < 16 ? right(r, c) : NAN; })),
            "Only the last, partial blocks (from row 32 and from column 16 on) were never written: "
            "does the grid cover them?");
}

TEST(DescribePattern, SeesElementsThatWereNeverWritten) {
  EXPECT_EQ(describe_pattern(
                difference_of([](size_t r, size_t c) { return r % 2 != 0 ? NAN : right(r, c); })),
            "The wrong elements were never written.");
}

TEST(DescribePattern, SeesThatOnlyTheFirstIsRight) {
  EXPECT_EQ(describe_pattern(
                difference_of([](size_t r, size_t c) { return r + c == 0 ? right(r, c) : -7; })),
            "Only the first element is right.");
}

TEST(DescribePattern, SeesThatOnlyTheFirstRowIsRight) {
  EXPECT_EQ(
      describe_pattern(difference_of([](size_t r, size_t c) { return r == 0 ? right(r, c) : -7; })),
      "Row 0 is right and the rows after it are not: is the distance from row to row right? A "
      "pitch counts bytes.");
}

TEST(DescribePattern, SeesErrorsOfTheSizeOfRounding) {
  EXPECT_EQ(describe_pattern(difference_of([](size_t r, size_t c) { return right(r, c) * 1.001; })),
            "The errors are of the size of rounding (relative error up to 1.0e-03): was it "
            "computed in a lower precision?");
}

TEST(DescribePattern, SaysNothingAboutScatteredErrors) {
  EXPECT_EQ(describe_pattern(difference_of(
                [](size_t r, size_t c) { return (r * c) % 7 == 3 ? -1 : right(r, c); })),
            "");
}

}  // namespace
}  // namespace warpgrade
