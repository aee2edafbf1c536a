// SPDX-License-Identifier: MIT
#include "pipeline/other_inputs.h"

#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "base/hash.h"
#include "base/npy.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr const char* kInstructions = "ptx__inst_executed.sum";

/// A product that a range computes, a counter of that range, and an item about another one.
Rubric swapping_rubric() {
  Rubric rubric;
  rubric.cases.emplace_back();
  rubric.cases[0].id = "small";
  rubric.cases[0].kinds = {"whole", "swapped"};
  rubric.items.resize(3);
  rubric.items[0].id = "product";
  rubric.items[0].outputs = {{"C", Exact{}, Layout::kArray, "multiply"}};
  rubric.items[1].id = "coalesced";
  rubric.items[1].kind = ItemKind::kEfficiency;
  rubric.items[1].metric = Metric{"multiply", kInstructions, {}, Bound(100.0), "", {}};
  rubric.items[2].id = "wrapped";
  rubric.items[2].kind = ItemKind::kRequirement;
  rubric.items[2].rules = {LaunchesRule{"wrap", Expression(1), {}}};
  for (Item& item : rubric.items) item.cases = {"small"};
  return rubric;
}

Arrays product(int32_t value) { return {{"C", make_npy<int32_t>({1}, {value})}}; }

constexpr int32_t kHosts = 3, kDevices = 5, kNeither = 7;

/// A run that uploaded an input, launched a kernel and copied its result back.
struct SampleRun {
  RunResult run;
  Trace trace;

  explicit SampleRun(int32_t result, uint64_t swapped = 8, double instructions = 100) {
    run.outputs = product(result);
    const auto copy = [&](const char* direction, uint64_t bytes) {
      ApiCall call;
      call.name = "cudaMemcpy";
      call.range = "multiply";
      call.args = {{"direction", direction}, {"count", bytes}};
      call.transfers = {{direction, 1, bytes}};
      return call;
    };
    trace.calls = {copy("HtoD", 8), copy("DtoH", 4)};
    if (swapped > 0) trace.calls[0].args["swapped"] = swapped;
    trace.launches.resize(1);
    trace.launches[0].kernel = "f";
    trace.launches[0].range = "multiply";
    trace.launches[0].metrics = {{kInstructions, instructions}};
  }
};

Doubts doubts(const SampleRun& other, const SampleRun& same = SampleRun(kHosts),
              const std::set<std::string>& charged = {}, int32_t hosts = kHosts) {
  const Arrays devices = product(kDevices);
  const RunStep step{"small", {}, {}, "", {}, Limits{}};
  return doubts_of(swapping_rubric(), step, {same.run, same.trace, product(hosts), 0, charged},
                   {other.run, other.trace, devices});
}

std::string only_doubt(const SampleRun& other, int32_t hosts = kHosts) {
  const Doubts found = doubts(other, SampleRun(hosts), {}, hosts);
  if (found.size() != 1) return std::to_string(found.size()) + " doubts";
  const Doubt& doubt = found.front();
  return doubt.range + ": " + doubt.why.id + (doubt.is_certain ? ", certain" : "");
}

TEST(OtherInputs, ResultsOfTheDevicesInputsRaiseNoDoubt) {
  EXPECT_TRUE(doubts(SampleRun(kDevices)).empty());
}

TEST(OtherInputs, TheHostsResultIsCertainWhereTheDeviceHeldOtherInputs) {
  EXPECT_EQ(only_doubt(SampleRun(kHosts)), "multiply: device_work.hosts, certain");
}

TEST(OtherInputs, AHostsResultThatAnyInputsMayGiveWaits) {
  for (const int32_t poor : {0, 1, -1})
    EXPECT_EQ(only_doubt(SampleRun(poor), poor), "multiply: waits.other_numbers");
}

TEST(OtherInputs, ASumThatComesNearTheHostsByLuckWaits) {
  Rubric rubric = swapping_rubric();
  rubric.items[0].outputs[0].tolerance = Relative{1e-5};
  const RunStep step{"small", {}, {}, "", {}, Limits{}};
  const auto sum = [](float value) { return Arrays{{"C", make_npy<float>({1}, {value})}}; };
  const Arrays hosts = sum(25061.2324F), devices = sum(25061.9922F);
  SampleRun same(kHosts), other(kDevices);
  same.run.outputs = hosts;
  const auto is_certain = [&](float result) {
    other.run.outputs = sum(result);
    const Doubts found =
        doubts_of(rubric, step, {same.run, same.trace, hosts}, {other.run, other.trace, devices});
    return found.at(0).is_certain;
  };
  EXPECT_FALSE(is_certain(25061.3613F));
  EXPECT_TRUE(is_certain(25061.2344F));
}

TEST(OtherInputs, TheHostsResultWaitsWhereNoInputWasUploaded) {
  EXPECT_EQ(only_doubt(SampleRun(kHosts, 0)), "multiply: waits.other_numbers");
}

TEST(OtherInputs, AResultOfNeitherInputsWaits) {
  EXPECT_EQ(only_doubt(SampleRun(kNeither)), "multiply: waits.other_numbers");
}

TEST(OtherInputs, AMissingResultWaits) {
  SampleRun other(kDevices);
  other.run.outputs.clear();
  EXPECT_EQ(only_doubt(other), "multiply: waits.other_numbers");
}

TEST(OtherInputs, OtherWorkWaits) {
  SampleRun launched_twice(kDevices);
  launched_twice.trace.launches.push_back(launched_twice.trace.launches[0]);
  EXPECT_EQ(only_doubt(launched_twice), "multiply: waits.other_way");
  EXPECT_EQ(only_doubt(SampleRun(kDevices, 8, 120)), "multiply: waits.other_way");
  EXPECT_TRUE(doubts(SampleRun(kDevices, 8, 110)).empty());
}

SampleRun that_took(double ms, int32_t result) {
  SampleRun run(result);
  run.trace.launches[0].time_ms = KernelTime{ms, "modelled"};
  return run;
}

TEST(OtherInputs, OtherTimesWait) {
  EXPECT_EQ(doubts(that_took(2, kDevices), that_took(1, kHosts)).at(0).why.key(),
            "waits.other_way(difference=time_ms is 1 and 2, range=multiply)");
  EXPECT_TRUE(doubts(that_took(1.1, kDevices), that_took(1, kHosts)).empty());
  EXPECT_TRUE(doubts(that_took(0.0017, kDevices), that_took(0.0013, kHosts)).empty())
      << "two runs of one kernel on a GPU differ by as much";
  SampleRun elsewhere = that_took(1, kHosts);
  elsewhere.trace.launches[0].device = 1;
  EXPECT_TRUE(doubts(that_took(2, kDevices), elsewhere).empty()) << "another device";
}

/// With this call before the launch.
SampleRun that_saw(Arguments args, const std::string& range = "multiply",
                   int32_t result = kDevices) {
  SampleRun run(result);
  run.trace.launches[0].seq = 2;
  run.trace.calls[1].seq = 3;
  run.trace.calls.push_back({1, "cudaMemcpyAsync", 0, 0, range, std::move(args)});
  ApiCall& call = run.trace.calls.back();
  if (call.args.contains("count"))
    call.transfers = {{call.text("direction"), 1, call.number("count")}};
  return run;
}

/// A second product, after the first one was read back.
SampleRun with_another(int32_t result) {
  SampleRun run(result);
  run.trace.calls[1].transfers = {{"DtoH", 1, 600}};
  run.trace.calls[1].args["content_hash"] = std::to_string(result);
  run.trace.calls[1].seq = 1;
  run.run.outputs.emplace("D", make_npy<int32_t>({1}, {result}));
  run.trace.launches.push_back(run.trace.launches[0]);
  run.trace.launches[1].range = "again";
  run.trace.launches[1].seq = 2;
  return run;
}

TEST(OtherInputs, ARangeThatWasToldTheResultOfAnotherHasToWorkAlone) {
  Rubric rubric = swapping_rubric();
  rubric.items[0].outputs.push_back({"D", Exact{}, Layout::kArray, "again"});
  const auto both = [](int32_t value) {
    Arrays arrays = product(value);
    arrays.emplace("D", make_npy<int32_t>({1}, {value}));
    return arrays;
  };
  const Arrays hosts = both(kHosts), devices = both(kDevices);
  const SampleRun same = with_another(kHosts), other = with_another(kDevices);
  const RunStep step{"small", {}, {}, "", {}, Limits{}};
  RunOnInputs on_hosts{same.run, same.trace, hosts};
  const auto told = ranges_told_results(rubric, step, on_hosts, {other.run, other.trace, devices});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].range, "again");
  EXPECT_EQ(told[0].left_out, std::set<std::string>{"multiply"});

  SampleRun alone = other;
  alone.trace.launches.erase(alone.trace.launches.begin());
  alone.trace.calls.clear();
  const auto why = [&] {
    const Doubts found =
        doubts_of_range_alone(rubric, step, "again", on_hosts, {alone.run, alone.trace, devices});
    return found.empty() ? "none" : found[0].why.id;
  };
  EXPECT_EQ(why(), "none");
  alone.run.outputs.erase("D");
  EXPECT_EQ(why(), "waits.other_numbers");
  on_hosts.charged = {"D"};
  EXPECT_EQ(why(), "none") << "the case has cost the student points already";
  on_hosts.charged.clear();

  EXPECT_TRUE(doubts_of(rubric, step, on_hosts, {other.run, other.trace, devices}).empty());
  // A range that is wrong, or launches nothing, costs the one after it nothing.
  SampleRun wrong = other;
  wrong.run.outputs.at("C") = make_npy<int32_t>({1}, {kNeither});
  wrong.trace.launches.erase(wrong.trace.launches.begin());
  SampleRun wrong_too = same;
  wrong_too.run.outputs.at("C") = make_npy<int32_t>({1}, {kNeither});
  wrong_too.trace.launches.erase(wrong_too.trace.launches.begin());
  const RunOnInputs half{wrong_too.run, wrong_too.trace, hosts};
  EXPECT_TRUE(doubts_of(rubric, step, half, {wrong.run, wrong.trace, devices}).empty());
  const auto alone_again =
      ranges_told_results(rubric, step, half, {wrong.run, wrong.trace, devices});
  ASSERT_EQ(alone_again.size(), 1u);
  EXPECT_EQ(alone_again[0].left_out, std::set<std::string>{"multiply"});
}

TEST(OtherInputs, MuchThatTheHostSawBeforeTheLastKernelWaits) {
  const Arguments copy = {{"direction", "DtoH"}, {"count", 600}}, shown = {{"shown", 600}};
  for (const auto& [args, range] : {std::pair(copy, "multiply"), {copy, ""}, {shown, "multiply"}}) {
    EXPECT_EQ(doubts(that_saw(args, range), that_saw(args, range, kHosts)).at(0).why.key(),
              "waits.read_back(allowed=64, bytes=600, range=multiply)");
  }
}

TEST(OtherInputs, TimesThatTellWhatKernelsReadWait) {
  SampleRun other(kDevices), same(kHosts);
  for (SampleRun* const run : {&other, &same}) {
    run->trace.launches[0].seq = 200;
    run->trace.calls[1].seq = 300;
    for (long i = 0; i < 100; ++i)
      run->trace.calls.push_back({i, "cudaEventElapsedTime", 0, 0, "multiply", {}});
  }
  EXPECT_EQ(doubts(other, same).at(0).why.key(),
            "waits.read_back(allowed=64, bytes=400, range=multiply)");
}

TEST(OtherInputs, KernelsThatWaitForTheHostTellTheRunsApart) {
  SampleRun waits(kHosts), shares(kDevices);
  for (SampleRun* const run : {&waits, &shares}) run->trace.calls[1].args["apart"] = uint64_t{1};
  EXPECT_EQ(doubts(SampleRun(kDevices), waits).at(0).why.id, "waits.apart");
  EXPECT_EQ(doubts(shares, SampleRun(kHosts)).at(0).why.id, "waits.apart");
}

TEST(OtherInputs, WhatTheHostSawTooLateOrOfResultsRaisesNoDoubt) {
  SampleRun late = that_saw({{"shown", 600}});
  late.trace.calls.back().seq = 4;
  EXPECT_TRUE(doubts(late).empty());
  const Arrays result = product(kDevices);
  const std::string hash = hex64(content_hash(bytes_view(result.at("C"))));
  Arguments copy = {{"direction", "DtoH"}, {"count", 600}, {"content_hash", hash}};
  EXPECT_TRUE(doubts(that_saw(copy, ""), that_saw(copy, "", kHosts)).empty());
}

TEST(OtherInputs, WhatTheHostSawInBothRunsRaisesNoDoubt) {
  Arguments copy = {{"direction", "DtoH"}, {"count", 600}, {"content_hash", "1234"}};
  EXPECT_TRUE(doubts(that_saw(copy, ""), that_saw(copy, "", kHosts)).empty());
  Arguments other = copy;
  other["content_hash"] = "5678";
  EXPECT_EQ(doubts(that_saw(other, ""), that_saw(copy, "", kHosts)).at(0).why.key(),
            "waits.read_back(allowed=64, bytes=600, range=multiply)");
}

TEST(OtherInputs, CopiesOfEveryKindShowWhatTheDeviceHolds) {
  const auto node_of_a_graph = [](int32_t result) {
    SampleRun run = that_saw({{"direction", "DtoH"}, {"count", 600}}, "", result);
    run.trace.calls.back().name = "cudaGraphAddMemcpyNode";
    return run;
  };
  const auto several_that_failed = [](int32_t result) {
    SampleRun run = that_saw({{"content_hash", "1234"}}, "", result);
    run.trace.calls.back().transfers = {{"HtoD", 1, 8}, {"DtoH", 2, 600}};
    run.trace.calls.back().result = 1;
    return run;
  };
  const std::string seen = "waits.read_back(allowed=64, bytes=600, range=multiply)";
  EXPECT_EQ(doubts(node_of_a_graph(kDevices), node_of_a_graph(kHosts)).at(0).why.key(), seen);
  EXPECT_EQ(doubts(several_that_failed(kDevices), several_that_failed(kHosts)).at(0).why.key(),
            seen);
}

TEST(OtherInputs, AResultThatIsWrongAnywayRaisesNoDoubt) {
  EXPECT_TRUE(doubts(SampleRun(kNeither), SampleRun(kNeither)).empty());
}

TEST(OtherInputs, AResultThatIsChargedToTheHostAlreadyRaisesNoDoubt) {
  const CaseVerdict lost = {
      "small", "product", Outcome::kFailed,
      say("device_work.elsewhere", {{"array", "C"}, {"range", "multiply"}, {"doer", "the host"}})};
  EXPECT_TRUE(doubts(SampleRun(kNeither), SampleRun(kHosts), charged_outputs({lost})).empty());
  EXPECT_EQ(doubts(SampleRun(kHosts), SampleRun(kHosts), charged_outputs({lost})).size(), 1u)
      << "the host computed all of it";
}

/// Its kernels brought the host the result of the device's inputs.
SampleRun that_wrote_over(const std::string& writer) {
  SampleRun run(kHosts);
  const Arrays brought = product(kDevices);
  Arguments& copy = run.trace.calls[1].args;
  copy["content_hash"] = hex64(content_hash(bytes_view(brought.at("C"))));
  copy["origins"] = std::vector<std::string>{writer};
  copy["origin_runs"] = "4:0";
  return run;
}

TEST(OtherInputs, AHostThatWritesOverARightResultRaisesNoDoubt) {
  EXPECT_TRUE(doubts(that_wrote_over("kernel\tmultiply\tf()")).empty());
  EXPECT_EQ(only_doubt(that_wrote_over("host")), "multiply: device_work.hosts, certain");
}

TEST(OtherInputs, WhatChanceChoseCostsNoMoreThanTheCaseThatIsChargedToTheHost) {
  Rubric rubric = swapping_rubric();
  rubric.cases[0].kinds = {"edge"};
  const SampleRun run(kHosts);
  const Arrays hosts = product(kHosts), devices = product(kDevices);
  const RunStep step{"small", {}, {}, "", {}, Limits{}};
  const auto doubts_where = [&](const std::set<std::string>& charged) {
    return doubts_of(rubric, step, {run.run, run.trace, hosts, 0, charged},
                     {run.run, run.trace, devices});
  };
  EXPECT_TRUE(doubts_where({"C"}).empty());
  EXPECT_EQ(doubts_where({}).size(), 1u);
}

/// The doubts about `other` after a third run, in which the host had the device's inputs.
Doubts cleared(const SampleRun& other, const SampleRun& on_both,
               const SampleRun& same = SampleRun(kHosts)) {
  Doubts found = doubts(other, same);
  const Arrays devices = product(kDevices);
  clear_doubts(swapping_rubric(), {"small", {}, {}, "", {}, Limits{}},
               {same.run, same.trace, product(kHosts)}, {other.run, other.trace, devices},
               {on_both.run, on_both.trace, devices}, found);
  return found;
}

TEST(OtherInputs, AWrongResultThatFollowsTheDevicesInputsAloneRaisesNoDoubt) {
  EXPECT_TRUE(cleared(SampleRun(kNeither), SampleRun(kNeither)).empty());
  EXPECT_TRUE(cleared(SampleRun(kDevices, 8, 900), SampleRun(kDevices, 8, 900)).empty())
      << "other numbers, other work";
}

TEST(OtherInputs, OtherWorkHidesNoneOfWhatTheHostSaw) {
  const auto saw = [](int32_t result, double instructions, const char* content) {
    const Arguments copy = {{"direction", "DtoH"}, {"count", 600}, {"content_hash", content}};
    SampleRun run = that_saw(copy, "", result);
    run.trace.launches[0].metrics = {{kInstructions, instructions}};
    return run;
  };
  const SampleRun same = saw(kHosts, 100, "1234"), other = saw(kDevices, 900, "5678");
  const Doubts found = cleared(other, other, same);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].why.id, kReadBack);
  const SampleRun wrong = saw(kNeither, 100, "5678");
  const Doubts of_wrong = cleared(wrong, wrong, same);
  ASSERT_EQ(of_wrong.size(), 1u);
  EXPECT_EQ(of_wrong[0].why.id, kReadBack) << "a wrong result is no way around it";
}

Doubts again(const SampleRun& second, const std::string& range = "",
             const SampleRun& first = SampleRun(kHosts)) {
  const Arrays hosts = product(kHosts);
  return doubts_of_run_again(swapping_rubric(), {"small", {}, {}, "", {}, Limits{}},
                             {first.run, first.trace, hosts}, {second.run, second.trace, hosts},
                             range);
}

TEST(OtherInputs, ARunOnTheSameInputsDoesTheSameAgain) {
  EXPECT_TRUE(again(SampleRun(kHosts)).empty());
  ASSERT_EQ(again(SampleRun(kNeither)).size(), 1u);
  EXPECT_EQ(again(SampleRun(kNeither))[0].why.id, kAgainNumbers);
  ASSERT_EQ(again(SampleRun(kHosts, 8, 900)).size(), 1u);
  EXPECT_EQ(again(SampleRun(kHosts, 8, 900))[0].why.id, kAgainWay);
  EXPECT_FALSE(may_be_cleared(again(SampleRun(kHosts, 8, 900))[0]));
  EXPECT_TRUE(again(SampleRun(kNeither), "another range").empty());
  EXPECT_TRUE(again(SampleRun(kDevices), "", SampleRun(kNeither)).empty())
      << "what was wrong at first says nothing";
}

TEST(OtherInputs, FollowsWhatNoItemOfTheCaseJudges) {
  Rubric rubric = swapping_rubric();
  rubric.items[0].cases = {"another"};
  const RunStep step{"small", {}, {}, "", {}, Limits{}};
  const SampleRun same(kHosts), other(kNeither);
  const Arrays hosts = product(kHosts), devices = product(kDevices);
  EXPECT_EQ(
      doubts_of(rubric, step, {same.run, same.trace, hosts}, {other.run, other.trace, devices})
          .size(),
      1u);
}

TEST(OtherInputs, AResultThatDependsOnWhatTheHostHasKeepsItsDoubt) {
  EXPECT_EQ(cleared(SampleRun(kNeither), SampleRun(kDevices)).size(), 1u);
  EXPECT_EQ(cleared(SampleRun(kDevices, 8, 900), SampleRun(kDevices)).size(), 1u);
  EXPECT_EQ(cleared(SampleRun(kHosts), SampleRun(kHosts)).size(), 1u) << "that is certain";
}

std::string statuses(const Doubts& doubts) {
  std::vector<CaseVerdict> verdicts = {{"small", "product", Outcome::kPassed, {}},
                                       {"small", "coalesced", Outcome::kPassed, {}},
                                       {"small", "wrapped", Outcome::kPassed, {}}};
  cast_doubts(swapping_rubric(), doubts, verdicts);
  std::string words;
  for (const CaseVerdict& verdict : verdicts) words += std::string(to_string(verdict.status)) + ' ';
  return words;
}

TEST(OtherInputs, DoubtsTakeBackAllThatTheRangeHasEarned) {
  EXPECT_EQ(statuses(doubts(SampleRun(kHosts))), "failed failed passed ");
  EXPECT_EQ(statuses(doubts(SampleRun(kNeither))), "pending pending passed ");
}

TEST(OtherInputs, DoubtsAreFlagged) {
  std::vector<CaseVerdict> verdicts = {{"small", "product", Outcome::kPassed, {}}};
  cast_doubts(swapping_rubric(), doubts(SampleRun(kNeither)), verdicts);
  ASSERT_EQ(verdicts[0].flags.size(), 1u);
  EXPECT_EQ(verdicts[0].flags[0].evidence, verdicts[0].message.text);
}

TEST(OtherInputs, WorkCarriedFromAnotherRangeWaits) {
  Trace trace;
  trace.findings.resize(2);
  trace.findings[0].checker = "race";
  trace.findings[1].checker = "carried";
  trace.findings[1].range = "multiply";
  trace.findings[1].message = "reads it";
  EXPECT_EQ(carried_work("small", trace).at(0).why.key(), "waits.carried(what=reads it)");
  EXPECT_EQ(statuses(carried_work("small", trace)), "pending pending passed ");
}

TEST(OtherInputs, WhatIsCertainOutranksWhatIsNot) {
  Doubts all = doubts(SampleRun(kNeither));
  for (const Doubt& doubt : doubts(SampleRun(kHosts))) all.push_back(doubt);
  EXPECT_EQ(statuses(all), "failed failed passed ");
}

TEST(OtherInputs, AHiddenCaseTellsNothingOfItselfInAPublicOne) {
  Rubric rubric = swapping_rubric();
  rubric.cases.push_back(rubric.cases[0]);
  rubric.cases[0].visibility = Visibility::kPublic;
  rubric.cases[1].id = "secret";
  rubric.cases[1].visibility = Visibility::kHidden;
  const auto told = [&](const std::string& case_id, const std::string& raised_by) {
    Doubts found = doubts(SampleRun(kDevices, 8, 900));
    found.at(0).case_id = raised_by;
    std::vector<CaseVerdict> verdicts = {{case_id, "product", Outcome::kPassed, {}}};
    cast_doubts(rubric, found, verdicts);
    return verdicts[0].message.id;
  };
  EXPECT_EQ(told("small", "secret"), kHiddenDoubt);
  EXPECT_EQ(told("small", "small"), kOtherWay);
  EXPECT_EQ(told("secret", "secret"), kOtherWay);
}

}  // namespace
}  // namespace warpgrade
