// SPDX-License-Identifier: MIT
#include "check/outside.h"

#include <gtest/gtest.h>

#include "check/metric.h"
#include "check/rules.h"

namespace warpgrade {
namespace {

KernelLaunch launch_in(const std::string& range, bool is_drivers = false) {
  KernelLaunch launch;
  launch.kernel = "f()";
  launch.range = range;
  launch.grid = launch.block = {1, 1, 1};
  launch.is_drivers = is_drivers;
  launch.metrics = {{"smsp__inst_executed.sum", 10}};
  launch.time_ms = KernelTime{0.5, "modelled"};
  return launch;
}

CaseFacts facts_with(std::vector<KernelLaunch> launches) {
  CaseFacts facts;
  facts.trace.source = "emulated";
  facts.trace.ranges = {{1, "add", true}, {2, "add", false}};
  facts.trace.launches = std::move(launches);
  return facts;
}

TEST(LaunchesOutside, AreThoseOfTheProgramWhileNoRangeIsOpen) {
  EXPECT_EQ(launches_outside(facts_with({launch_in("add"), launch_in("")}).trace).size(), 1u);
  EXPECT_TRUE(launches_outside(facts_with({launch_in("", true)}).trace).empty())
      << "a driver asks whether CUDA takes a launch";
  CaseFacts refused = facts_with({launch_in("")}), unranged = refused, seen = refused;
  refused.trace.launches[0].result = 1;
  EXPECT_TRUE(launches_outside(refused.trace).empty());
  unranged.trace.ranges.clear();
  EXPECT_TRUE(launches_outside(unranged.trace).empty()) << "this driver names no ranges";
  seen.trace.source = "gpu";
  EXPECT_TRUE(launches_outside(seen.trace).empty());
}

TEST(LaunchesRule, CountsLaunchesOutsideWhereTheyAreTooMany) {
  const LaunchesRule rule{"add", Expression(1), Expression(1)};
  EXPECT_TRUE(judge_rule(rule, facts_with({launch_in("add")})).passed);
  EXPECT_EQ(judge_rule(rule, facts_with({launch_in("add"), launch_in("")})).message,
            "launches.outside(count=1, outside=1, range=add, wanted=1)");
  EXPECT_FALSE(judge_rule(rule, facts_with({launch_in("")})).passed) << "they make up for none";
}

Item bounded_instructions(std::optional<Bound> at_most, std::optional<Bound> at_least) {
  Item item;
  item.kind = ItemKind::kEfficiency;
  item.metric = Metric{"add", "smsp__inst_executed.sum", at_least, at_most, "", {}};
  return item;
}

TEST(JudgeEfficiency, ChargesLaunchesOutsideAndCreditsNone) {
  const CaseFacts plain = facts_with({launch_in("add")});
  const CaseFacts smuggled = facts_with({launch_in("add"), launch_in("")});
  EXPECT_TRUE(judge_efficiency(bounded_instructions(Bound(15.0), {}), plain).passed);
  EXPECT_FALSE(judge_efficiency(bounded_instructions(Bound(15.0), {}), smuggled).passed);
  EXPECT_FALSE(judge_efficiency(bounded_instructions({}, Bound(15.0)), smuggled).passed);
}

KernelLaunch faulted_in(const std::string& range) {
  KernelLaunch launch = launch_in(range);
  launch.result = 719;
  launch.has_faulted = true;
  return launch;
}

TEST(LaunchesCharged, AreThoseOutsideAndThoseOfTheRangeThatFaulted) {
  KernelLaunch refused = faulted_in("add");
  refused.has_faulted = false;
  const CaseFacts facts = facts_with({launch_in("add"), faulted_in("add"), refused, launch_in(""),
                                      faulted_in(""), faulted_in("b")});
  EXPECT_EQ(launches_charged(facts.trace, "add").size(), 3u);
  EXPECT_EQ(launches_charged(facts.trace, "").size(), 3u) << "all that faulted";
}

TEST(LaunchesThatFaulted, CostAsMuchAsOthersAndEarnNothing) {
  const CaseFacts both = facts_with({launch_in("add"), faulted_in("add")});
  EXPECT_FALSE(judge_efficiency(bounded_instructions(Bound(15.0), {}), both).passed);
  EXPECT_FALSE(judge_efficiency(bounded_instructions({}, Bound(15.0)), both).passed);
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = 10;
  item.metric = Metric{"add", "time_ms", {}, {}, "", {}};
  item.curve = Curve{Interpolation::kLinear, {{0.5, 1}, {1, 0}}};
  EXPECT_EQ(judge_performance(item, both).fraction, 0);
  EXPECT_EQ(judge_performance(item, facts_with({faulted_in("add")})).message.id, "launch.refused");
}

TEST(JudgePerformance, AddsTheTimeOfLaunchesOutside) {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = 10;
  item.metric = Metric{"add", "time_ms", {}, {}, "", {}};
  item.curve = Curve{Interpolation::kLinear, {{0.5, 1}, {1, 0}}};
  EXPECT_EQ(judge_performance(item, facts_with({launch_in("add")})).fraction, 1);
  EXPECT_EQ(judge_performance(item, facts_with({launch_in("add"), launch_in("")})).fraction, 0);
}

TEST(JudgePerformance, WaitsForAPersonWhereAModelledTimeIsBelowWhatTheDeviceNeeds) {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = 10;
  item.metric = Metric{"add", "time_ms", {}, {}, "", {}};
  item.metric->least_bytes = *Expression::parse("n");
  item.curve = Curve{Interpolation::kLinear, {{0.5, 1}, {1, 0}}};
  CaseFacts facts = facts_with({launch_in("add")});
  facts.trace.devices = {{"NVIDIA GeForce RTX 3090", 8, 6}};
  facts.values = {{"n", 400'000'000}};
  EXPECT_TRUE(judge_performance(item, facts).passed) << "936 GB/s take 0.43 ms";
  facts.values = {{"n", 800'000'000}};
  const Judgement judgement = judge_performance(item, facts);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.message.id, "waits.too_fast");
  ASSERT_EQ(judgement.flags.size(), 1u);
  EXPECT_EQ(judgement.flags[0].what, "faster than this device can be");
}

TEST(JudgePerformance, KnowsThatNoKernelTakesNoTime) {
  Item item;
  item.kind = ItemKind::kPerformance;
  item.points = 10;
  item.metric = Metric{"add", "time_ms", {}, {}, "", {}};
  item.curve = Curve{Interpolation::kLinear, {{0.5, 1}, {1, 0}}};
  CaseFacts facts = facts_with({launch_in("add"), launch_in("add")});
  facts.trace.launches[0].time_ms->value = 0.0001;
  facts.trace.launches[1].time_ms->value = 0.0001;
  EXPECT_TRUE(judge_performance(item, facts).pending);
  facts.trace.launches[1].time_ms->value = 0.002;
  EXPECT_TRUE(judge_performance(item, facts).passed);
}

}  // namespace
}  // namespace warpgrade
