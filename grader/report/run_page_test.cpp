// SPDX-License-Identifier: MIT
#include "report/run_page.h"

#include <gtest/gtest.h>

#include "report/sample_run.h"

namespace warpgrade {
namespace {

bool shows(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(ReadTimeline, GivesEachStreamItsSpans) {
  const Result<std::vector<TimelineTrack>> tracks = read_timeline(kSampleTimeline);
  ASSERT_TRUE(tracks.ok()) << tracks.error().message;
  ASSERT_EQ(tracks->size(), 1u);
  EXPECT_EQ(tracks->at(0).name, "device 0, stream 1");
  ASSERT_EQ(tracks->at(0).spans.size(), 2u);
  EXPECT_EQ(tracks->at(0).spans[1].begin_us, 30);
  EXPECT_FALSE(read_timeline("{}").ok());
}

TEST(RunPage, HoldsFindingsKernelsRooflineTimelineAndSource) {
  const std::string page = format_run_page(sample_run(), "sum.cu", "// one\nint two;\n");
  EXPECT_TRUE(shows(page, "<h1>./sum 1000</h1>"));
  EXPECT_TRUE(shows(page, "It ended with status 0, on the emulated T4."));
  EXPECT_TRUE(shows(page, "<mark>    2  int two;</mark>"));
  EXPECT_TRUE(shows(page, "The roof of T4"));
  EXPECT_TRUE(shows(page, "<rect class=\"span-kernel\" x=\"600.00\" y=\"20\" width=\"200.00\""));
  EXPECT_TRUE(shows(page, "load 32 (4)"));
  EXPECT_FALSE(shows(page, "case &#39;")) << "there are none";
  EXPECT_FALSE(shows(page, "<b>")) << "a name is text";
}

TEST(RunPage, SaysWhyItShowsNoSource) {
  EXPECT_TRUE(shows(format_run_page(sample_run(), "sum.cu", ""),
                    "sum.cu lies neither in the current folder nor beside the program."));
  ProgramRun blind = sample_run();
  for (KernelLaunch& launch : blind.trace.launches) launch.lines.clear();
  EXPECT_TRUE(files_of(blind.trace).empty());
  EXPECT_TRUE(shows(format_run_page(blind, "", ""), "build with nvcc -lineinfo"));
}

TEST(FilesOf, PutsTheFileThatDidMostFirst) {
  ProgramRun run = sample_run();
  run.trace.launches[0].lines.push_back(run.trace.launches[0].lines[0]);
  run.trace.launches[0].lines[1].file = "helper.cuh";
  EXPECT_EQ(files_of(run.trace), (std::vector<std::string>{"sum.cu", "helper.cuh"}));
}

}  // namespace
}  // namespace warpgrade
