// SPDX-License-Identifier: MIT
// Names in a rubric against the driver, the oracle and the baselines beside it.
#include "rubric/neighbours.h"

#include "base/text.h"
#include "rubric/sample_rubric.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

constexpr std::string_view kTimedRubric = R"(assignment: saxpy
title: S
submission: saxpy.cu
cases: [{id: s, family: whole, args: {n: 17}}]
items:
  - id: right
    title: R
    kind: correctness
    points: 50
    cases: all
    outputs: [{array: y, computed_in: saxpy}]
  - id: timed
    title: T
    kind: requirement
    points: 0
    cases: all
    rules:
      - timed_by_events: {range: saxpy, index: 1}
      - freed: {range: saxpy_again}
  - id: speed
    title: S
    kind: performance
    points: 50
    needs: [right]
    cases: all
    metric: {range: saxpy, name: speedup, over: copy}
    curve: {interpolation: linear, points: [[0, 0], [1, 1]]}
    without_gpu: model
)";

constexpr const char* kDriver = R"cpp(
  // saxpx is only spoken of.
  constexpr char kQuote = '"';
  constexpr int kMost = 1'000;
  /* "slaxpy" */
  void run(const std::string& name) {
    const Range range((name + "_again").c_str());
    folder.output("y", y);
    folder.output("times", times);
  }
)cpp";

FakeFiles saxpy_files() {
  FakeFiles files;
  files.contents = {
      {"rubrics/saxpy.yaml", std::string(kTimedRubric)},
      {"assignments/saxpy/driver.cu", kDriver},
      {"assignments/saxpy/saxpy.h", "constexpr const char* kRange = \"sax\" \"py\";\n"},
      {"assignments/saxpy/oracle.cpp", "if (the_case.family == \"whole\") return {{\"y\", y}};\n"},
      {"reference/saxpy/saxpy.cu", ""},
      {"reference/saxpy/baselines/copy.cu", ""}};
  return files;
}

/// What is said of the rubric with one place changed; empty where nothing is.
std::string said_of(FakeFiles files, std::string_view from, std::string_view to) {
  std::string& text = files.contents.at("rubrics/saxpy.yaml");
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const Result<Rubric> rubric = read_rubric(files, "rubrics/saxpy.yaml");
  EXPECT_EQ(format_text(lint(files, "rubrics/saxpy.yaml")), rubric ? "" : rubric.error().message);
  return rubric ? "" : rubric.error().message;
}

std::string said_of(std::string_view from, std::string_view to) {
  return said_of(saxpy_files(), from, to);
}

TEST(Neighbours, KnowTheNamesOfTheRubric) { EXPECT_EQ(said_of("title: S", "title: S"), ""); }

TEST(Neighbours, RefuseARangeThatTheDriverDoesNotOpen) {
  EXPECT_EQ(said_of("freed: {range: saxpy_again}", "freed: {range: sxapy}"),
            "rubrics/saxpy.yaml:19:24: error: the driver opens no range 'sxapy'; did you mean "
            "'saxpy'?\n      - freed: {range: sxapy}\n                       ^\n");
  EXPECT_NE(said_of("computed_in: saxpy", "computed_in: saxpx").find("no range 'saxpx'"),
            std::string::npos)
      << "a comment is no name";
  EXPECT_NE(said_of("range: saxpy, name", "range: slaxpy, name").find("no range 'slaxpy'"),
            std::string::npos);
}

TEST(Neighbours, SayWhatToDoWhereTheDriverPutsTheNameTogether) {
  EXPECT_EQ(
      said_of("freed: {range: saxpy_again}", "freed: {range: part0}"),
      "rubrics/saxpy.yaml:19:24: error: the driver opens no range 'part0'; where it puts that "
      "name together, list it in the driver's source: '// names: part0'\n"
      "      - freed: {range: part0}\n                       ^\n");
  FakeFiles files = saxpy_files();
  files.contents["assignments/saxpy/driver.cu"] += "  // names: part0, part1\n";
  EXPECT_EQ(said_of(files, "freed: {range: saxpy_again}", "freed: {range: part1}"), "");
}

TEST(Neighbours, RefuseAnArrayThatIsNeitherWrittenNorExpected) {
  EXPECT_EQ(said_of("array: y", "array: yy"),
            "rubrics/saxpy.yaml:11:23: error: the driver writes no array 'yy'; did you mean 'y'?\n"
            "    outputs: [{array: yy, computed_in: saxpy}]\n                      ^\n");
  EXPECT_NE(said_of("array: y", "array: times").find("11:23: error: the oracle expects no array"),
            std::string::npos);
  EXPECT_NE(said_of("index: 1", "time_array: tmies")
                .find("the driver writes no array 'tmies'; did "
                      "you mean 'times'?"),
            std::string::npos);
}

TEST(Neighbours, HoldAnOutputThatTheOracleMakesToTheOracleAndItsSourcesToTheDriver) {
  FakeFiles files = saxpy_files();
  files.contents["assignments/saxpy/oracle.cpp"] += "derived[\"facts\"] = facts_of(y);\n";
  const auto said = [&](const std::string& output) {
    return said_of(files, "  - id: timed\n",
                   "  - id: facts\n    title: F\n    kind: correctness\n    points: 0\n"
                   "    cases: all\n    outputs: [" +
                       output + "]\n  - id: timed\n");
  };
  EXPECT_EQ(said("{array: facts, made_from: [y]}"), "");
  EXPECT_NE(said("{array: fatcs, made_from: [y]}").find("the oracle expects no array 'fatcs'"),
            std::string::npos);
  EXPECT_NE(said("{array: facts, made_from: [yy]}").find("the driver writes no array 'yy'"),
            std::string::npos);
}

TEST(Neighbours, HoldTheArrayOfTimesToItsDefault) {
  FakeFiles files = saxpy_files();
  std::string& driver = files.contents["assignments/saxpy/driver.cu"];
  driver.replace(driver.find("\"times\""), 7, "\"taken\"");
  EXPECT_EQ(
      said_of(files, "title: S", "title: S"),
      "rubrics/saxpy.yaml:18:9: error: the driver writes no array 'times'; where it puts that "
      "name together, list it in the driver's source: '// names: times'\n"
      "      - timed_by_events: {range: saxpy, index: 1}\n        ^\n");
}

TEST(Neighbours, RefuseAFamilyThatTheOracleDoesNotKnow) {
  EXPECT_EQ(said_of("family: whole", "family: whoel"),
            "rubrics/saxpy.yaml:4:25: error: the oracle knows no family 'whoel'; did you mean "
            "'whole'?\ncases: [{id: s, family: whoel, args: {n: 17}}]\n"
            "                        ^\n");
  EXPECT_EQ(said_of("family: whole", "family: whole_float"), "") << "the oracle may read its parts";
}

TEST(Neighbours, RefuseABaselineWithoutAFile) {
  EXPECT_EQ(said_of("over: copy", "over: cpoy"),
            "rubrics/saxpy.yaml:26:49: error: there is no baseline 'cpoy'; did you mean 'copy'?\n"
            "    metric: {range: saxpy, name: speedup, over: cpoy}\n"
            "                                                ^\n");
  EXPECT_EQ(said_of("over: copy", "over: reference"), "");
}

TEST(Neighbours, AreNotAskedWhereAHandoutLacksThem) {
  FakeFiles files = saxpy_files();
  std::erase_if(files.contents,
                [](const auto& file) { return !file.first.starts_with("rubrics/"); });
  EXPECT_EQ(said_of(files, "range: saxpy_again", "range: sxapy"), "");
}

/// Each key of the schema that could name a range or an array is one that is held against the driver.
TEST(Neighbours, AreAskedForEveryKeyThatNamesARangeOrAnArray) {
  const std::string schema = rubric_schema();
  std::set<std::string> keys;
  for (const std::string& line : split(schema, '\n')) {
    const std::string_view text = trim(line);
    const bool opens = text.starts_with('"') && text.ends_with("{");
    const std::string key(opens ? text.substr(1, text.find('"', 1) - 1) : "");
    if (key.find("range") != key.npos || key.find("array") != key.npos || key.ends_with("_in"))
      keys.insert(key);
  }
  EXPECT_EQ(keys, (std::set<std::string>{"array", "computed_in", "range", "time_array"}));
}

}  // namespace
}  // namespace warpgrade
