// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/timeline.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpgrade::emulator {
namespace {

nlohmann::json events_of(const Timeline& timeline) {
  return nlohmann::json::parse(timeline.text({"H100"})).at("traceEvents");
}

TEST(Timeline, HasASpanInMicrosecondsForEachCopyAndLaunch) {
  Timeline timeline("t.json");
  Streams streams;
  CUstream_st& stream = *streams.find(streams.create(0, 0, 0), 0);
  streams.advance(stream, 2);
  timeline.add_copy(stream, 2, "cudaMemcpyAsync", "HtoD", 4096);
  streams.advance(stream, 0.5);
  timeline.add_launch(stream, "k(int*)", {4, 1, 1}, {64, 2, 1},
                      {0.5, 0.4, {{"dram", "DRAM", 0.3}}});
  const nlohmann::json events = events_of(timeline);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0]["args"]["name"], "device 0: H100, modelled time");
  EXPECT_EQ(events[1]["args"]["name"], "stream 1");
  EXPECT_EQ(events[2]["name"], "cudaMemcpyAsync HtoD");
  EXPECT_EQ(events[2]["ts"], 0);
  EXPECT_EQ(events[2]["dur"], 2000);
  EXPECT_EQ(events[2]["args"]["bytes"], "4096");
  EXPECT_EQ(events[3]["ts"], 2100);
  EXPECT_EQ(events[3]["dur"], 400);
  EXPECT_EQ(events[3]["args"]["grid"], "4 x 1 x 1");
  EXPECT_EQ(events[3]["args"]["bound by"], "DRAM");
}

TEST(Timeline, KeepsNothingWhereNobodyWantsIt) {
  Timeline timeline("");
  Streams streams;
  timeline.add_copy(*streams.find(nullptr, 0), 1, "cudaMemcpy", "HtoD", 1);
  EXPECT_EQ(events_of(timeline).size(), 1u);
}

TEST(Timeline, KeepsHostileNamesInsideTheirStrings) {
  Timeline timeline("t.json");
  Streams streams;
  timeline.add_copy(*streams.find(nullptr, 0), 1, "\"},{\x1b", "", 1);
  EXPECT_EQ(events_of(timeline).back()["name"], "\"},{\x1b");
}

}  // namespace
}  // namespace warpgrade::emulator
