// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/metrics.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpgrade::emulator {
namespace {

std::vector<MetricsRow> two_rows() {
  return {{"add(float*, int)",
           0,
           "dense",
           {4, 1, 1},
           {256, 1, 1},
           {0.5, 0.4, {{"dram", "DRAM", 0.375}, {"l2", "the L2 cache", 0.125}}},
           {{"b.sum", 1}, {"a.sum", 2}},
           {}},
          {"k()", 1, "", {1, 2, 3}, {8, 8, 1}, {0.25, 0.2, {}}, {{"c.sum", 3.5}}, {}}};
}

TEST(RenderMetrics, GivesOneCsvRowALaunch) {
  EXPECT_EQ(render_metrics(two_rows(), MetricsFormat::csv),
            "index,kernel,device,range,grid,block,modelled_time_ms,bound_by,a.sum,b.sum,c.sum\n"
            "0,\"add(float*, int)\",0,dense,4x1x1,256x1x1,0.5,dram,2,1,\n"
            "1,k(),1,,1x2x3,8x8x1,0.25,,,,3.5\n");
}

TEST(RenderMetrics, ListsOnlyWhatALaunchHasAsText) {
  const std::string text = render_metrics(two_rows(), MetricsFormat::text);
  EXPECT_EQ(text.find("launch 0: add(float*, int)\n"), 0u);
  EXPECT_NE(text.find("launch 1: k()\n"), std::string::npos);
  EXPECT_EQ(text.find("c.sum"), text.rfind("c.sum"));
}

TEST(RenderMetrics, SaysInWordsWhatBoundsALaunch) {
  const std::string text = render_metrics(two_rows(), MetricsFormat::text);
  EXPECT_NE(text.find("modelled time: 0.5000 ms, bound by DRAM (0.3750 ms), then the L2 cache "
                      "(0.1250 ms)\n"),
            std::string::npos);
  EXPECT_EQ(text.find("modelled time:"), text.rfind("modelled time:"));
}

TEST(RenderMetrics, NestsTheMetricsInJson) {
  const std::string text = render_metrics(two_rows(), MetricsFormat::json);
  EXPECT_NE(text.find("\"kernel\": \"k()\""), std::string::npos);
  EXPECT_NE(text.find("\"c.sum\": 3.5"), std::string::npos);
}

std::vector<MetricsRow> a_row_with_lines() {
  MetricsRow row{"k()", 0, "", {2, 1, 1}, {32, 1, 1}, {0.5, 0.4, {}}, {}, {}};
  row.lines.push_back({"k.cu",
                       7,
                       {{"ptx__inst_executed.sum", 8},
                        {"ptx__thread_inst_executed.sum", 128},
                        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2},
                        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 64},
                        {"ptx__inst_executed_op_branch.sum", 2},
                        {"ptx__branches_threads_divergent.sum", 1}}});
  return {row};
}

TEST(RenderMetrics, TellsLineByLineWhatALaunchDid) {
  EXPECT_EQ(render_metrics(a_row_with_lines(), MetricsFormat::lines),
            "launch 0: k(), grid 2x1x1, block 32x1x1\n"
            "  source                          PTX executed   lanes  global sectors   "
            "shared wavefronts  local sectors         divergent\n"
            "                                      by warps    mean       a request   "
            "        a request      a request          branches\n"
            "  k.cu:7                                     8   16.00           32.00   "
            "                -              -            1 of 2\n");
}

TEST(RenderMetrics, ListsTheLinesInJson) {
  const std::string text = render_metrics(a_row_with_lines(), MetricsFormat::json);
  EXPECT_NE(text.find("\"file\": \"k.cu\""), std::string::npos);
  EXPECT_NE(text.find("\"line\": 7"), std::string::npos);
}

TEST(RenderMetrics, IsEmptyWhereNoFormatWasAsked) {
  EXPECT_EQ(render_metrics(two_rows(), MetricsFormat::none), "");
}

}  // namespace
}  // namespace warpgrade::emulator
