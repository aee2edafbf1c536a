// SPDX-License-Identifier: MIT
#include "pipeline/plots.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Case case_of(const char* id, long n, Visibility visibility = Visibility::kPublic) {
  Case made;
  made.id = id;
  made.visibility = visibility;
  made.args = {{"n", n}};
  return made;
}

KernelRow row_of(const char* case_id, const char* kernel, double ms) {
  KernelRow row;
  row.case_id = case_id;
  row.name = kernel;
  row.time_ms = KernelTime{ms, "modelled"};
  row.metrics = {{"smsp__sass_data_bytes_mem_global_op_ld.sum", 3e6},
                 {"smsp__sass_data_bytes_mem_global_op_st.sum", 1e6},
                 {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 10},
                 {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 80}};
  return row;
}

struct Sample {
  Rubric rubric;
  SubmissionResult result;

  Sample() {
    rubric.cases = {case_of("small", 10), case_of("large", 1000), case_of("again", 1000),
                    case_of("secret", 5000, Visibility::kHidden)};
    result.kernels = {row_of("large", "k", 3), row_of("again", "k", 2), row_of("small", "k", 1),
                      row_of("small", "once", 1), row_of("secret", "k", 9)};
    result.baseline_work = {{"large", "reference", 0, 0, 1.5}};
  }

  std::vector<DrawnPlot> shown(Shown shows) {
    rubric.plots = {{shows, *Expression::parse("2*n"), {"small", "large", "again", "secret"}}};
    return plots_of(rubric, result);
  }
};

TEST(Plots, HoldTheBestOfEachKernelAtEachPlaceBesideTheBaselines) {
  const DrawnPlot wanted = {
      "time", "2*n", {{"k", false, {{20, 1}, {2000, 2}}}, {"reference", true, {{2000, 1.5}}}}};
  EXPECT_EQ(Sample().shown(Shown::kTime), std::vector<DrawnPlot>{wanted})
      << "without the kernel that ran at one place, and without the hidden case";
}

TEST(Plots, HoldTheBytesThatThreadsAskForByTheTime) {
  const DrawnPlot wanted = {"bandwidth", "2*n", {{"k", false, {{20, 4}, {2000, 2}}}}};
  EXPECT_EQ(Sample().shown(Shown::kBandwidth), std::vector<DrawnPlot>{wanted});
}

TEST(Plots, HoldSectorsForEachRequest) {
  const DrawnPlot wanted = {"sectors", "2*n", {{"k", false, {{20, 8}, {2000, 8}}}}};
  EXPECT_EQ(Sample().shown(Shown::kSectors), std::vector<DrawnPlot>{wanted});
}

TEST(Plots, AreNoneWhereNoKernelRanAtTwoPlaces) {
  Sample sample;
  sample.result.kernels.resize(2);
  EXPECT_TRUE(sample.shown(Shown::kTime).empty());
}

}  // namespace
}  // namespace warpgrade
