// SPDX-License-Identifier: MIT
#include "pipeline/line_rows.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

LineCounts line(int number, uint64_t warps, std::string file = "sum.cu") {
  LineCounts counts;
  counts.file = std::move(file);
  counts.line = number;
  counts.warps = warps;
  counts.global_loads = {warps, 4 * warps, warps};
  return counts;
}

Trace launches_of(const std::string& kernel, std::vector<LineCounts> lines, int launches = 1) {
  Trace trace;
  for (int i = 0; i < launches; ++i) {
    trace.launches.emplace_back().kernel = kernel;
    trace.launches.back().lines = lines;
  }
  return trace;
}

TEST(LineRows, AddUpTheLaunchesOfACase) {
  LineRows rows("sum.cu");
  rows.add("small", launches_of("sum(int*)", {line(3, 2)}, 5));
  ASSERT_EQ(rows.rows().size(), 1u);
  const LineRow row = rows.rows()[0];
  EXPECT_EQ(row.case_id, "small");
  EXPECT_EQ(row.kernel, "sum(int*)");
  EXPECT_EQ(row.counts.warps, 10u);
  EXPECT_EQ(row.counts.global_loads, (AccessCounts{10, 40, 10}));
}

TEST(LineRows, HoldTheCaseInWhichAKernelDidMost) {
  LineRows rows("sum.cu");
  rows.add("small", launches_of("sum", {line(3, 2)}));
  rows.add("large", launches_of("sum", {line(3, 20), line(4, 1)}));
  rows.add("middle", launches_of("sum", {line(3, 9)}));
  ASSERT_EQ(rows.rows().size(), 2u);
  EXPECT_EQ(rows.rows()[0].case_id, "large");
  EXPECT_EQ(rows.rows()[0].counts.warps, 20u);
}

TEST(LineRows, LeaveOutTheDriversKernelsAndOtherFiles) {
  LineRows rows("sum.cu");
  Trace trace = launches_of("check", {line(1, 2)});
  trace.launches[0].is_drivers = true;
  rows.add("small", trace);
  rows.add("small", launches_of("sum", {line(9, 2, "driver.cu"), line(9, 2, "helper.h")}));
  EXPECT_TRUE(rows.rows().empty());
}

TEST(LineRows, KeepThoseThatDidMostWhereThereAreTooMany) {
  LineRows rows("sum.cu");
  std::vector<LineCounts> lines;
  for (int i = 1; i <= 1000; ++i) lines.push_back(line(i, static_cast<uint64_t>(i)));
  rows.add("small", launches_of("sum", lines));
  const std::vector<LineRow> kept = rows.rows();
  ASSERT_EQ(kept.size(), LineRows::kMostRows);
  EXPECT_EQ(kept.front().counts.line, 901);
  EXPECT_EQ(kept.back().counts.line, 1000);
}

}  // namespace
}  // namespace warpgrade
