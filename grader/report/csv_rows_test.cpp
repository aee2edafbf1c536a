// SPDX-License-Identifier: MIT
#include "report/csv_rows.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

using Cells = std::vector<std::string>;

TEST(ReadCsvRows, TakesWhatSpreadsheetsWrite) {
  const std::vector<CsvRow> rows =
      read_csv_rows("\xef\xbb\xbfname,note\r\nann,\"says \"\"no\"\", twice\"\r\n,\r\nbob, x \r\n");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].cells, (Cells{"name", "note"}));
  EXPECT_EQ(rows[1].cells, (Cells{"ann", "says \"no\", twice"}));
  EXPECT_EQ(rows[2].cells, (Cells{"bob", "x"}));
}

TEST(ReadCsvRows, KnowsTheLineOfARowBehindALineBreakInQuotes) {
  const std::vector<CsvRow> rows = read_csv_rows("a\n\"b\nc\"\n\nd");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].line, 2);
  EXPECT_EQ(rows[1].cells, Cells{"b\nc"});
  EXPECT_EQ(rows[2].line, 5);
}

TEST(ReadCsvRows, EndsWithTheFileInsideQuotes) {
  const std::vector<CsvRow> rows = read_csv_rows("a,\"b");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].cells, (Cells{"a", "b"}));
  EXPECT_TRUE(read_csv_rows("").empty());
}

}  // namespace
}  // namespace warpgrade
