// SPDX-License-Identifier: MIT
#include "emulator/runtime/metrics.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

std::vector<MetricsRow> two_rows() {
  return {
      {"add(float*, int)", 0, "dense", {4, 1, 1}, {256, 1, 1}, 0.5, {{"b.sum", 1}, {"a.sum", 2}}},
      {"k()", 1, "", {1, 2, 3}, {8, 8, 1}, 0.25, {{"c.sum", 3.5}}}};
}

TEST(RenderMetrics, GivesOneCsvRowALaunch) {
  EXPECT_EQ(render_metrics(two_rows(), MetricsFormat::csv),
            "index,kernel,device,range,grid,block,modelled_time_ms,a.sum,b.sum,c.sum\n"
            "0,\"add(float*, int)\",0,dense,4x1x1,256x1x1,0.5,2,1,\n"
            "1,k(),1,,1x2x3,8x8x1,0.25,,,3.5\n");
}

TEST(RenderMetrics, ListsOnlyWhatALaunchHasAsText) {
  const std::string text = render_metrics(two_rows(), MetricsFormat::text);
  EXPECT_EQ(text.find("launch 0: add(float*, int)\n"), 0u);
  EXPECT_NE(text.find("launch 1: k()\n"), std::string::npos);
  EXPECT_EQ(text.find("c.sum"), text.rfind("c.sum"));
}

TEST(RenderMetrics, NestsTheMetricsInJson) {
  const std::string text = render_metrics(two_rows(), MetricsFormat::json);
  EXPECT_NE(text.find("\"kernel\": \"k()\""), std::string::npos);
  EXPECT_NE(text.find("\"c.sum\": 3.5"), std::string::npos);
}

TEST(RenderMetrics, IsEmptyWhereNoFormatWasAsked) {
  EXPECT_EQ(render_metrics(two_rows(), MetricsFormat::none), "");
}

}  // namespace
}  // namespace warpgrade::emulator
