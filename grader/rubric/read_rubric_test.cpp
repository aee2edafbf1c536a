// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "rubric/rubric.h"
#include "rubric/sample_rubric.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

TEST(ReadRubric, TakesEveryKindOfItem) {
  const Result<Rubric> rubric = parse_rubric(kRubric, "r.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->limits.wall_s, 5);
  EXPECT_EQ(rubric->limits.memory_mb, 2048);
  ASSERT_EQ(rubric->items.size(), 4u);
  const Item& product = rubric->items[1];
  EXPECT_EQ(product.points, 40.5);
  EXPECT_EQ(product.hints, (std::vector<Hint>{{{}, "Look at the edges"}}));
  ASSERT_EQ(product.outputs.size(), 2u);
  EXPECT_EQ(std::get<DotProduct>(product.outputs[0].tolerance).length.text(), "N");
  EXPECT_TRUE(std::holds_alternative<Exact>(product.outputs[1].tolerance));
  const Item& pitch = rubric->items[2];
  EXPECT_EQ(pitch.cases, (std::vector<std::string>{"small", "large"}));
  ASSERT_EQ(pitch.rules.size(), 3u);
  const auto& shapes = std::get<AllocationsRule>(pitch.rules[0]).shapes;
  EXPECT_EQ(shapes[0].width_bytes.text(), "N*4");
  EXPECT_EQ(shapes[1].height.text(), "1");
  EXPECT_EQ(std::get<BlockRule>(pitch.rules[1]).x.size(), 2u);
  EXPECT_EQ(std::get<NoFindingsRule>(pitch.rules[2]).checkers, std::vector<std::string>{"memory"});
  EXPECT_EQ(std::get<double>(*rubric->items[3].metric->at_most), 4.5);
}

TEST(ReadRubric, TakesHintsForReasonsAndFindings) {
  const std::string hints =
      "    hint:\n"
      "      - {fits: [pattern.shifted, race, memory.missing_sizeof], text: Mind the pitch}\n"
      "      - {text: Look again}\n";
  const Result<Rubric> rubric =
      parse_rubric(with("    hint: >\n      Look at\n      the edges\n", hints), "r.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  const std::vector<Hint>& read = rubric->items[1].hints;
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[1], (Hint{{}, "Look again"}));
  EXPECT_TRUE(read[0].fits_one_of({"pattern.shifted"}));
  EXPECT_TRUE(read[0].fits_one_of({"output.wrong", "race.between"}));
  EXPECT_FALSE(read[0].fits_one_of({"output.wrong", "racer.between", "pattern.zeros"}));
  EXPECT_TRUE(read[1].fits_one_of({}));
}

TEST(ReadRubric, LeavesToTheMemoryCheckerWhatIsGivenBackTwice) {
  const auto leaves = [](const std::string& findings) {
    const Result<Rubric> rubric =
        parse_rubric(with("      - no_findings: {}\n", "      - no_findings: " + findings +
                                                           "\n      - freed: {range: padded}\n"),
                     "r.yaml");
    EXPECT_TRUE(rubric.ok()) << rubric.error().message;
    return std::get<FreedRule>(rubric->items[2].rules[3]).refusals_cost_elsewhere;
  };
  EXPECT_TRUE(leaves("{}"));
  EXPECT_TRUE(leaves("{checkers: [init, memory], range: padded}"));
  EXPECT_FALSE(leaves("{checkers: [memory], range: dense}"));
  EXPECT_FALSE(leaves("{checkers: [race]}"));
}

TEST(ReadRubric, KeepsTheOrderOfArguments) {
  const Result<Rubric> rubric = parse_rubric(kRubric, "r.yaml");
  ASSERT_TRUE(rubric.ok());
  EXPECT_EQ(rubric->cases[0].words(), (std::vector<std::string>{"17", "33", "verify"}));
  EXPECT_EQ(rubric->cases[0].values(), (Expression::Values{{"M", 33}, {"N", 17}}));
}

TEST(ReadRubric, TakesPlotsThatEachOfTheirCasesCanCompute) {
  const auto plot = [](const std::string& text) {
    return with("items:\n", "plots:\n  - " + text + "\nitems:\n");
  };
  const Result<Rubric> rubric =
      parse_rubric(plot("{shows: bandwidth, against: N*M, cases: all}"), "r.yaml");
  ASSERT_TRUE(rubric) << rubric.error().message;
  EXPECT_EQ(rubric->plots.at(0).shows, Shown::kBandwidth);
  EXPECT_EQ(rubric->plots.at(0).cases, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(rubric->plots.at(0).against.text(), "N*M");
  EXPECT_NE(errors_of(plot("{shows: bandwidth, against: K, cases: all}")), "");
  EXPECT_NE(errors_of(plot("{shows: speed, against: N, cases: all}")), "");
  EXPECT_NE(errors_of(plot("{shows: time, against: N, cases: [none]}")), "");
}

TEST(ReadRubric, TakesArgumentsUpToTheLargestInt) {
  const Result<Rubric> rubric = parse_rubric(with("N: 17", "N: 2147483647"), "r.yaml");
  ASSERT_TRUE(rubric) << rubric.error().message;
  EXPECT_EQ(rubric->cases[0].values().at("N"), 2147483647);
  EXPECT_NE(errors_of(with("N: 17", "N: 2147483648")), "");
}

TEST(ReadRubric, GivesCasesTheDefaultDevicesAndHidesThem) {
  const Result<Rubric> rubric = parse_rubric(kRubric, "r.yaml");
  ASSERT_TRUE(rubric.ok());
  EXPECT_EQ(rubric->find_case("small")->devices, (std::vector<std::string>{"T4", "H100"}));
  EXPECT_EQ(rubric->find_case("small")->visibility, Visibility::kPublic);
  EXPECT_EQ(rubric->find_case("large")->devices, std::vector<std::string>{"H100"});
  EXPECT_EQ(rubric->find_case("large")->visibility, Visibility::kHidden);
}

TEST(ReadRubric, GivesACaseTheOrderThatItAsksFor) {
  const std::string ordered = with("family: fractions", "family: fractions\n    order: 1");
  const Result<Rubric> rubric = parse_rubric(ordered, "r.yaml");
  ASSERT_TRUE(rubric) << rubric.error().message;
  EXPECT_EQ(rubric->find_case("small")->order, 0);
  EXPECT_EQ(rubric->find_case("large")->order, 1);
  EXPECT_NE(errors_of(with("family: fractions", "family: fractions\n    order: -1")), "");
}

TEST(Select, KeepsOnlyWhatItsCasesCanJudge) {
  const Rubric all = *parse_rubric(kRubric, "r.yaml");
  const Rubric shown = select(all, {false, {}});
  EXPECT_EQ(shown.cases.size(), 1u);
  ASSERT_EQ(shown.items.size(), 3u);
  EXPECT_EQ(shown.items[2].cases, std::vector<std::string>{"small"});
  const Rubric large = select(all, {true, {"large"}});
  ASSERT_EQ(large.items.size(), 3u);
  EXPECT_EQ(large.items[1].id, "pitch");
  EXPECT_EQ(select(all, {}).items.size(), 4u);
}

TEST(ReadRubric, ReportsAllMistakesInTheOrderOfTheText) {
  std::string text = with("points: 50", "points: ten");
  text.replace(text.find("visibility"), 10, "visibilty ");
  EXPECT_EQ(
      errors_of(text),
      R"(r.yaml:8:5: error: unknown key 'visibilty' in case 'small'; did you mean 'visibility'?
    visibilty : public
    ^
r.yaml:35:13: error: 'points' must be a number from 0 to 100, not 'ten'
    points: ten
            ^
)");
}

TEST(ReadRubric, RefusesNestingThatWouldExhaustTheStack) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(errors_of("a: " + std::string(40, '['))),
            "r.yaml:1:20: error: nested deeper than 32 levels");
  EXPECT_EQ(first_line(errors_of(std::string(200000, '['))),
            "r.yaml:1:17: error: nested deeper than 32 levels");
}

TEST(ReadRubric, RefusesAliasesBeforeTheyGrow) {
  EXPECT_EQ(errors_of("&a [*a]"),
            R"(r.yaml:1:1: error: anchors are not allowed; write each value out
&a [*a]
^
r.yaml:1:5: error: aliases are not allowed; write the value out again
&a [*a]
    ^
)");
}

TEST(ReadRubric, RefusesWhatIsNotText) {
  EXPECT_EQ(errors_of(std::string_view("a: \0b", 5)),
            "r.yaml:1:1: error: the line is not plain UTF-8 text; remove what is shown as "
            "\\x..\na: \\x00b\n^\n");
}

TEST(ReadRubric, TakesLinesFromWindows) {
  std::string text(kRubric);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\r');
  EXPECT_EQ(errors_of(text), "");
}

TEST(ReadRubric, SaysThatAFileIsEmptyMissingOrTooLarge) {
  FakeFiles files;
  files.contents = {{"empty.yaml", "\n"}, {"large.yaml", std::string(300000, '#')}};
  EXPECT_EQ(read_rubric(files, "empty.yaml").error().message,
            "empty.yaml:1:1: error: the rubric is empty; begin with 'assignment:' and the "
            "assignment's name\n");
  EXPECT_EQ(read_rubric(files, "large.yaml").error().message,
            "large.yaml:1:1: error: large.yaml is larger than 262144 bytes\n");
  EXPECT_EQ(read_rubric(files, "none.yaml").error().message,
            "none.yaml:1:1: error: cannot read none.yaml: No such file or directory\n");
}

TEST(Curve, InterpolatesAsItsKindSays) {
  const std::vector<CurvePoint> rising = {{1, 0}, {4, 0.5}, {16, 1}}, falling = {{2, 1}, {4, 0}};
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kLinear, rising}.at(2.5)), 0.25);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kLog, rising}.at(8)), 0.75);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kLinear, rising}.at(0.5)), 0);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kLinear, rising}.at(99)), 1);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kStep, rising}.at(15)), 0.5);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kStep, rising}.at(16)), 1);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kStep, falling}.at(2)), 1);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kStep, falling}.at(2.1)), 0);
  EXPECT_DOUBLE_EQ((Curve{Interpolation::kStep, {{2, 1}, {4, 0.5}}}.at(4.1)), 0)
      << "slower than the slowest step";
}

constexpr const char* kEfficiency =
    "    kind: efficiency\n    points: 9.5\n    cases: [large]\n"
    "    metric: {range: padded, name: sectors_per_global_load, at_most: 4.5}\n";

std::string with_speed(const std::string& keys) {
  return with(kEfficiency, "    kind: performance\n    points: 9.5\n    cases: [large]\n" + keys);
}

TEST(ReadRubric, ReadsPerformanceItems) {
  const Result<Rubric> rubric = parse_rubric(
      with_speed("    needs: [product]\n    metric: {range: padded, name: speedup, over: naive}\n"
                 "    curve: {interpolation: log, points: [[1, 0], [6, 1]]}\n"
                 "    without_gpu: model\n"),
      "r.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  const Item& item = rubric->items.back();
  EXPECT_EQ(item.metric->over, "naive");
  EXPECT_DOUBLE_EQ(item.curve->at(6), 1);
  EXPECT_EQ(item.without_gpu, WithoutGpu::kModel);
}

TEST(ReadRubric, RefusesToPayForTheSpeedOfAWrongAnswer) {
  const std::string errors =
      errors_of(with_speed("    needs: [pitch]\n    metric: {range: padded, name: time_ms}\n"
                           "    curve: {interpolation: step, points: [[1, 1], [6, 0]]}\n"
                           "    without_gpu: model\n"));
  EXPECT_NE(errors.find("item 'coalesced' would pay for the speed of a wrong answer"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("a modelled time is only worth something beside another one"),
            std::string::npos)
      << errors;
}

TEST(ReadRubric, RefusesCurvesThatCannotBeRead) {
  const auto error_of = [](const std::string& curve) {
    return errors_of(
        with_speed("    needs: [product]\n    metric: {range: padded, name: speedup, over: naive}\n"
                   "    without_gpu: model\n    curve: " +
                   curve + "\n"));
  };
  EXPECT_NE(error_of("{interpolation: linear, points: [[1, 0]]}").find("at least two points"),
            std::string::npos);
  EXPECT_NE(error_of("{interpolation: log, points: [[0, 0], [1, 1]]}").find("cannot begin at 0"),
            std::string::npos);
  EXPECT_NE(error_of("{interpolation: linear, points: [[2, 0], [1, 1]]}").find("must rise"),
            std::string::npos);
  EXPECT_NE(error_of("{interpolation: linear, points: [[1, 0], [2, 1], [3, 0]]}").find("or fall"),
            std::string::npos);
  EXPECT_NE(error_of("{interpolation: linear, points: [[1, 0], [2, 1.5]]}").find("a pair"),
            std::string::npos);
}

TEST(ReadRubric, RefusesACounterThatDoesNotExist) {
  EXPECT_NE(errors_of(with("name: sectors_per_global_load", "name: sectors_per_load"))
                .find("'name' must be sectors_per_global_load, "),
            std::string::npos);
}

}  // namespace
}  // namespace warpgrade
