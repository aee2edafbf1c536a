// SPDX-License-Identifier: MIT
#include "check/wrong_map.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

/// A map of rows x columns elements, wrong where `is_wrong(row, column)`.
template <class Test>
WrongMap map_of(size_t rows, size_t columns, Test is_wrong) {
  std::vector<bool> wrong;
  for (size_t i = 0; i < rows * columns; ++i) wrong.push_back(is_wrong(i / columns, i % columns));
  return make_wrong_map("C", columns, wrong);
}

TEST(WrongMap, HasACellForEachElementOfASmallOutput) {
  const WrongMap map = map_of(3, 4, [](size_t r, size_t c) { return r == 2 && c > 0; });
  EXPECT_EQ(map.cells, (std::vector<std::string>{"....", "....", ".###"}));
  EXPECT_EQ(map.cell_rows, 1u);
  EXPECT_EQ(map.cell_columns, 1u);
}

TEST(WrongMap, HasAtMostSixtyFourCellsEachWay) {
  const WrongMap map = map_of(1000, 130, [](size_t r, size_t) { return r % 2 == 0; });
  EXPECT_EQ(map.cell_rows, 16u);
  EXPECT_EQ(map.cell_columns, 3u);
  ASSERT_EQ(map.cells.size(), 63u);
  for (const std::string& row : map.cells) EXPECT_EQ(row, std::string(44, '5'));
}

TEST(WrongMap, ShowsOneWrongElementAmongMany) {
  const WrongMap map = map_of(6400, 6400, [](size_t r, size_t c) { return r == 0 && c == 0; });
  EXPECT_EQ(map.cells[0][0], '1');
  EXPECT_EQ(map.cells[0][1], '.');
}

TEST(WrongMap, FoldsALongArray) {
  const WrongMap map = map_of(1, 100, [](size_t, size_t c) { return c >= 96; });
  EXPECT_TRUE(map.is_folded);
  EXPECT_EQ(map.cells,
            (std::vector<std::string>{std::string(64, '.'), std::string(32, '.') + "####"}));
  EXPECT_EQ(map_of(1, 5'000'000, [](size_t, size_t) { return true; }).cells.size(), 64u);
}

TEST(WrongMap, SaysWhereTheWrongElementsAre) {
  const auto words = [](size_t rows, size_t columns, auto test) {
    return map_of(rows, columns, test).places;
  };
  EXPECT_EQ(words(4, 4, [](size_t, size_t) { return true; }), "every element");
  EXPECT_EQ(words(4, 8, [](size_t r, size_t) { return r == 3; }), "all of the last row, 3");
  EXPECT_EQ(words(4, 8, [](size_t r, size_t) { return r == 1; }), "all of row 1");
  EXPECT_EQ(words(4, 8, [](size_t, size_t c) { return c >= 6; }),
            "all of the last 2 columns, from 6 on");
  EXPECT_EQ(words(33, 33, [](size_t r, size_t c) { return r > 31 && c > 30; }),
            "all of the last row, 32; the last 2 columns, from 31 on");
  EXPECT_EQ(words(1, 256, [](size_t, size_t c) { return c % 32 == 31; }),
            "one element in 32, from 31 on");
  EXPECT_EQ(words(1, 100, [](size_t, size_t c) { return c >= 96; }),
            "the last 4 elements, from 96 on");
  EXPECT_EQ(words(1, 100, [](size_t, size_t c) { return c == 5; }), "element 5");
  EXPECT_EQ(words(16, 16, [](size_t r, size_t c) { return (r * 7 + c * 5) % 11 == 0; }),
            "spread over the output");
}

TEST(WrongMap, SaysOfAColumnThatItIsOne) {
  EXPECT_EQ(map_of(8, 4, [](size_t, size_t c) { return c == 1; }).places, "all of column 1");
}

TEST(WrongMap, ShrinksForATerminal) {
  const WrongMap map = map_of(64, 64, [](size_t r, size_t c) { return r >= 32 && c >= 32; });
  EXPECT_EQ(shrink(map, 4, 8),
            (std::vector<std::string>{"........", "........", "....####", "....####"}));
  EXPECT_EQ(shrink(map, 1, 1), (std::vector<std::string>{"2"}));
}

}  // namespace
}  // namespace warpgrade
