// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/csv.h"
#include "report/gpu_models.h"
#include "report/layout.h"
#include "report/repeated_findings.h"
#include "report/result.h"
#include "report/sample_results.h"
#include "report/text_report.h"
#include "testing/golden.h"

namespace warpgrade {
namespace {

ItemResult make_item(std::string id, std::string title, ItemKind kind, double max_points,
                     Outcome status, std::string message) {
  const double points = status == Outcome::kPassed ? max_points : 0;
  ItemResult item{std::move(id),       std::move(title),  kind, points, max_points, status,
                  Visibility::kPublic, std::move(message)};
  item.case_id = case_quoted_in(item.message);
  return item;
}

SubmissionResult make_result(std::string student, std::vector<ItemResult> items) {
  SubmissionResult result;
  result.assignment = "matmul-pitched";
  result.student = std::move(student);
  Score score;
  for (const ItemResult& item : items) {
    score.points += item.points;
    score.max_points += item.max_points;
    score.provisional = score.provisional || item.status == Outcome::kPending;
  }
  score.items = std::move(items);
  result.set_score(std::move(score));
  result.device_kind = "emulated";
  result.devices = {"RTX 3090", "H100"};
  result.inputs = {{"submission", "ab12"}, {"rubric", "cd34"}};
  result.sandbox = {"bubblewrap", "cgroup2", false};
  return result;
}

/// Loses an item with a hint, has findings, kernels and compiler messages.
SubmissionResult bob() {
  SubmissionResult result = make_result(
      "bob",
      {make_item("builds", "Builds without a warning", ItemKind::kBuild, 0, Outcome::kPassed, ""),
       make_item(
           "product",
           "The product is right for every shape, also where no size is a multiple of "
           "anything that a block could be",
           ItemKind::kCorrectness, 60, Outcome::kFailed,
           "3 of 7 cases, first 'edges-33x17x65': C_padded(32, 64) is 0, expected 41; 65 of 2145 "
           "elements differ, all in the last row of blocks\nHint: Which threads own the last "
           "rows?"),
       make_item("pitch", "Lives in pitched memory", ItemKind::kRequirement, 27.5, Outcome::kPassed,
                 ""),
       make_item("coalesced", "Loads are coalesced", ItemKind::kEfficiency, 12.5, Outcome::kFailed,
                 "earns nothing because 'The product' failed")});
  Finding finding;
  finding.checker = "memory";
  finding.message =
      "read of 4 bytes, 4 bytes past the end of the 8448 bytes that cudaMallocPitch gave at line "
      "40";
  finding.kernel = "multiply(cudaPitchedPtr, cudaPitchedPtr, cudaPitchedPtr)";
  finding.file = "matmul-pitched.cu";
  finding.line = 12;
  finding.block = {1, 2, 0};
  finding.thread = {3, 15, 0};
  finding.count = 65;
  result.findings = {{"edges-33x17x65", finding}};
  KernelRow kernel;
  kernel.case_id = "edges-33x17x65";
  kernel.name = "multiply(cudaPitchedPtr, cudaPitchedPtr, cudaPitchedPtr)";
  kernel.grid = {3, 3, 1};
  kernel.block = {32, 16, 1};
  kernel.metrics = {{"smsp__inst_executed.sum", 1234}};
  kernel.time_ms = KernelTime{0.0125, "modelled"};
  result.kernels = {kernel, kernel};
  result.kernels[1].time_ms.reset();
  result.diagnostics =
      "matmul-pitched.cu(9): warning #177-D: variable \"x\" was declared but never referenced\n";
  return result;
}

std::vector<SubmissionResult> sample_class() {
  const auto item = [](Outcome status, std::string message) {
    return std::vector<ItemResult>{
        make_item("product", "Product", ItemKind::kCorrectness, 70, status, message),
        make_item("pitch", "Pitch", ItemKind::kRequirement, 30, status, std::move(message))};
  };
  SubmissionResult waiting = make_result("dora", item(Outcome::kPassed, ""));
  waiting.items[1].status = Outcome::kPending;
  waiting.items[1].points = 0;
  waiting.items[1].message = "needs a GPU";
  waiting.score = 70;
  waiting.provisional = true;
  return {
      make_result("ann", item(Outcome::kPassed, "")), bob(),
      make_result("carol", item(Outcome::kFailed,
                                "does not compile: matmul-pitched.cu(3): error: expected a \";\"")),
      waiting,
      make_result("=cmd()",
                  item(Outcome::kSystemError, "the sandbox refused, \x1b[31mthree times"))};
}

/// Measured on a GPU, with something for the staff to look at.
SubmissionResult frida() {
  ItemResult fast = make_item(
      "fast", "Is fast", ItemKind::kPerformance, 12, Outcome::kPartial,
      "case 'large': 1.84 times as fast as 'naive' (0.213 ms against 0.392 ms, median of 2, 95 % "
      "sure between 1.81 and 1.87, measured on NVIDIA H100), which earns 54 % of the points; all "
      "of them are for at least 3; the measurement cannot tell 6 points from 6.5, so it is 6.5");
  fast.points = 6.5;
  fast.undecided = true;
  ItemResult rate = make_item("rate", "Moves bytes", ItemKind::kPerformance, 8, Outcome::kPending,
                              "case 'large': faster than this device can be: 0.010 ms");
  rate.flags = {{"faster than this device can be",
                 "case 'large': 0.010 ms for 192 MB, which 3350 GB/s take 0.057 ms for"}};
  SubmissionResult result = make_result("frida", {fast, rate});
  result.device_kind = "gpu";
  result.devices = {"NVIDIA H100"};
  Measured measured;
  measured.gpu = {"NVIDIA H100", "GPU-1", "580.1", 3350, 60000};
  measured.timed.empty_event_ms = 0.005;
  measured.timed.again = true;
  measured.timed.clocks = {100, 1965, 1980, 1980, 2619, 61, 412.5, 0, 0.25};
  const TimeSample warm_up{0, 0, 0.9, 0.9, 0.95, 4.5, false, "warms up", 0, 0, 1000, 4501000};
  const TimeSample sample{0, 1, 0.213, 0.313, 0.32, 1.5, true, "", 0.1, 0.001, 5000000, 6500000};
  measured.timed.programs["naive"]["device"] = {warm_up, sample};
  measured.timed.programs[kStudentProgram]["device"] = {warm_up, sample};
  result.measurements = measurements_of("large", measured);
  result.disagreements = {
      {"requirement", "pitch", "edges-33x17x65", "passed", "cudaMallocPitch was not called"},
      {"correctness", "dense", "large", "failed: C: 3 of 4 elements wrong", "passed", "race"}};
  result.compared = {{"requirement", 3}};
  result.unobserved = {{"tiny", "the program crashed with signal 11, Segmentation fault"},
                       {"small", "the program crashed with signal 11, Segmentation fault"},
                       {"odd", "it ended well"}};
  result.gpu_holds = {{"GPU-1", true, 12, 34}};
  result.speeds = {{"speed", "large", 2.25, 1.84}, {"speed", "larger", 2.5, {}}};
  return result;
}

TEST(Report, ShowsTheStaffWhatToLookAt) {
  EXPECT_TRUE(matches_golden(format_report(frida()) + format_staff_notes(frida()), "measured.txt"));
  EXPECT_EQ(format_report(frida()).find("For the staff"), std::string::npos);
  EXPECT_EQ(format_staff_notes(bob()), "");
  EXPECT_TRUE(matches_golden(format_class({frida()}), "measured-class.txt"));
}

TEST(Report, CountsManyNotesOfOneKindInOneLine) {
  SubmissionResult doubted = frida();
  doubted.items[1].flags.assign(300, {"computed on the host", "case 'large': 12 bytes came back"});
  const std::string line =
      "300 notes \"computed on the host\" (all: warpgrade show DIR frida); the first: rate: "
      "computed";
  const std::string text = format_brief_staff_notes(doubted), table = format_class({doubted});
  EXPECT_NE(text.find("  " + line.substr(0, 60)), std::string::npos) << text;
  EXPECT_NE(table.find("staff: " + line.substr(0, 60)), std::string::npos) << table;
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 15);
  EXPECT_EQ(format_brief_staff_notes(bob()), "");
}

TEST(Report, TellsTheStaffAloneWhereNothingWasRecordedOnTheGpu) {
  EXPECT_NE(format_staff_notes(frida()).find("GPU: nothing was recorded there: case 'tiny' and 1"),
            std::string::npos)
      << format_staff_notes(frida());
  EXPECT_TRUE(for_student(frida()).unobserved.empty());
}

TEST(Json, HoldsEverySampleThatWasMeasured) {
  EXPECT_EQ(frida().measurements.at(0).program, kStudentProgram);
  EXPECT_TRUE(matches_golden(format_json(frida()), "measured.json"));
}

TEST(Json, HoldsBothListsWhereTheTimedRunsDidOtherWorkThanWasJudged) {
  Measured measured;
  measured.timed.programs["naive"]["device"] = {};
  measured.timed.programs[kStudentProgram]["device"] = {};
  measured.other_work["device"] = {{"1 x kernel count()"},
                                   {"1 x kernel reads()", "fills, 4 bytes"}};
  SubmissionResult result = frida();
  result.measurements = measurements_of("large", measured);
  ASSERT_EQ(result.measurements.size(), 2u);
  EXPECT_EQ(result.measurements[0].other_work, measured.other_work["device"]);
  EXPECT_FALSE(result.measurements[1].other_work) << "that is the baseline";
  const std::string json = format_json(result);
  EXPECT_NE(json.find("\"timed_work\": [\n        \"1 x kernel reads()\""), std::string::npos);
  EXPECT_EQ(parse_result(json)->measurements, result.measurements);
}

TEST(Json, ReadsResultsFromBeforeThereWereMeasurements) {
  std::string earlier = format_json(bob());
  const auto cut = [&](const std::string& from, const std::string& upto) {
    const size_t begin = earlier.find(from);
    ASSERT_NE(begin, std::string::npos) << from;
    earlier.erase(begin, earlier.find(upto, begin) + upto.size() - begin);
  };
  cut(",\n  \"measurements\"", "]");
  cut(",\n  \"hidden_cases\"", "]");
  cut(",\n  \"speeds\"", "]");
  cut(",\n  \"disagreements\"", "]");
  cut(",\n  \"compared\"", "}");
  cut(",\n  \"unobserved\"", "]");
  cut(",\n  \"gpu_holds\"", "]");
  for (size_t i = 0; i < bob().items.size(); ++i) {
    cut(",\n      \"student_message\"", "\"\"");
    cut(",\n      \"undecided\"", "false");
    cut(",\n      \"flags\"", "[]");
  }
  const Result<SubmissionResult> read = parse_result(earlier);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->items, bob().items);
}

TEST(Report, FoldsConsequencesUnderTheirCause) {
  const auto crashed = [](const char* id, const char* bytes) {
    ItemResult item = make_item(id, id, ItemKind::kCorrectness, 10, Outcome::kFailed,
                                std::string("case 'a': crashed (f.cu:39: reads ") + bytes + ")");
    item.reason.id = "end.status";
    return item;
  };
  ItemResult needs = make_item("needs", "Needs it", ItemKind::kEfficiency, 5, Outcome::kFailed,
                               "earns nothing because 'first' failed");
  needs.cause = "first";
  ItemResult condition = crashed("condition", "16 bytes");
  condition.max_points = 0;
  const std::string report = format_report(make_result(
      "carl", {needs, crashed("first", "4 bytes"), crashed("second", "8 bytes"), condition,
               make_item("own", "Own", ItemKind::kCorrectness, 10, Outcome::kFailed,
                         "case 'a': another (f.cu:40: reads 4 bytes)")}));
  EXPECT_NE(report.find("Lost with it: Needs it (0/5); second (0/10); 1 condition"),
            std::string::npos)
      << report;
  EXPECT_EQ(report.find("8 bytes"), std::string::npos) << report;
  EXPECT_NE(report.find("f.cu:40"), std::string::npos) << report;
}

TEST(Report, NamesNoItemWhereAllAreLostByOneCause) {
  const ItemResult builds = make_item("builds", "Builds", ItemKind::kBuild, 0, Outcome::kFailed,
                                      "does not build: f.cu:5: expected a \";\"");
  ItemResult needs =
      make_item("needs", "Needs it", ItemKind::kCorrectness, 5, Outcome::kFailed, "not graded");
  needs.cause = "builds";
  const std::string report = format_report(make_result("dora", {builds, needs}));
  EXPECT_NE(report.find("Lost with it: all other points"), std::string::npos) << report;
  EXPECT_EQ(report.find("Needs it"), std::string::npos) << report;
}

TEST(Report, TellsAStudentEverything) {
  EXPECT_TRUE(matches_golden(format_report(bob()), "report.txt"));
}

TEST(Report, KeepsHiddenCasesFromTheStudent) {
  SubmissionResult result = bob();
  result.items[1].student_message =
      "in 3 hidden cases: the result is wrong\nHint: Which threads own the last rows?";
  result.items[3].student_message = result.items[3].message;
  result.hidden_cases = {"edges-33x17x65"};
  result.items[0].flags = {{"odd", "case 'edges-33x17x65'"}};
  const SubmissionResult shown = for_student(result);
  EXPECT_EQ(format_json(shown).find("33x17"), std::string::npos) << format_json(shown);
  EXPECT_TRUE(matches_golden(format_report(shown), "student.txt"));
  result.hidden_cases.clear();
  EXPECT_EQ(for_student(result).findings.size(), 1u) << "that case is public";
  EXPECT_EQ(for_student(result).kernels.size(), 2u);
}

TEST(Report, ShowsAFindingOfCallsOnceWhateverTheBytes) {
  SubmissionResult result = bob();
  Finding finding;
  finding.checker = "race";
  finding.message = "cudaMemcpy2D reads bytes 0 to 127, which cudaMemset2DAsync writes";
  finding.id = "race.streams";
  finding.arguments = {{"act", "act.reads"}, {"object", "where.bytes(first=0, last=127)"}};
  result.findings = {{"tile", finding}, {"edge", finding}, {"edge", finding}};
  result.findings[1].finding.arguments["object"] = "where.bytes(first=0, last=511)";
  result.findings[2].finding.arguments["act"] = "act.writes";
  const std::vector<RepeatedFinding> repeated = repeated_findings(result);
  ASSERT_EQ(repeated.size(), 2u);
  EXPECT_EQ(repeated[0].count, 2);
  EXPECT_EQ(repeated[0].cases, (std::set<std::string>{"edge", "tile"}));
  EXPECT_NE(format_report(result).find("(the first of 2 like it,"), std::string::npos)
      << format_report(result);
}

Finding race_in_lines(int line, int second, const char* array) {
  Finding race;
  race.checker = "race";
  race.message = fmt::format("writes {}[3], which another thread reads", array);
  race.file = "tile.cu";
  race.line = line;
  race.race = RaceAccesses{};
  race.race->second_file = "tile.cu";
  race.race->second_line = second;
  race.arguments = {{"object", fmt::format("object.element(array={}, index=3)", array)}};
  return race;
}

TEST(Report, FoldsWhatFollowsFromARaceUnderIt) {
  SubmissionResult result;
  Finding read_too_early;
  read_too_early.checker = "init";
  read_too_early.message = "reads b[3], which nothing has written";
  read_too_early.file = "tile.cu";
  read_too_early.line = 29;
  read_too_early.arguments = {{"object", "object.element(array=b, index=3)"}};
  Finding never_written = read_too_early;
  never_written.arguments = {{"object", "object.element(array=c, index=3)"}};
  never_written.file = "other.cu";
  result.findings = {{"one", race_in_lines(27, 29, "b")},
                     {"one", race_in_lines(29, 27, "b")},
                     {"one", race_in_lines(26, 29, "a")},
                     {"one", read_too_early},
                     {"one", never_written},
                     {"one", race_in_lines(40, 41, "b")}};
  result.findings[1].finding.kernel = "tiled<32>";
  const std::vector<FindingGroup> mistakes = grouped_findings(result);
  ASSERT_EQ(mistakes.size(), 3u);
  EXPECT_EQ(mistakes[0].cause.first->finding.line, 27);
  ASSERT_EQ(mistakes[0].consequences.size(), 3u);
  EXPECT_EQ(mistakes[0].consequences[2].first->finding.checker, "init");
  EXPECT_EQ(mistakes[1].cause.first->finding.file, "other.cu");
  EXPECT_EQ(mistakes[2].cause.first->finding.line, 40);
  EXPECT_NE(
      format_report(result).find("With it: line 29, init: reads b[3], which nothing has written"),
      std::string::npos);
}

TEST(Report, ShowsTheClassInOneTable) {
  EXPECT_TRUE(matches_golden(format_class(sample_class()), "class.txt"));
}

TEST(Report, StaysWithinItsColumns) {
  for (const std::string& text : {format_report(bob()), format_class(sample_class())}) {
    size_t longest = 0;
    for (const std::string& line : wrap(text, 100000))
      longest = std::max(longest, text_width(line));
    EXPECT_LE(longest, kReportColumns);
  }
}

TEST(Report, StaysWithinTheTerminal) {
  ReportView narrow;
  narrow.columns = 60;
  size_t longest = 0;
  for (const std::string& line : wrap(format_report(bob(), narrow), 100000))
    longest = std::max(longest, text_width(line));
  EXPECT_LE(longest, 60u);
  EXPECT_GT(longest, 50u);
}

TEST(Report, QuotesTheLineOfAFindingInTheSubmission) {
  SubmissionResult result = bob();
  Finding finding;
  finding.checker = "memory";
  finding.message = "reads past the end";
  finding.file = "vecadd.cu";
  finding.line = 2;
  result.findings = {{"edge", finding}};
  ReportView view;
  view.source = "int n;\n  c[i] = a[i];\n";
  EXPECT_NE(format_report(result, view).find("\n       2 | c[i] = a[i];\n"), std::string::npos)
      << format_report(result, view);
  for (const char* const other : {"driver.cu", "vecadd.h"}) {
    result.findings[0].finding.file = other;
    EXPECT_EQ(format_report(result, view).find("2 | c[i]"), std::string::npos);
  }
}

TEST(Report, SaysThatNoSandboxConfinedTheSubmission) {
  SubmissionResult result = bob();
  EXPECT_EQ(format_report(result).find("--unsafe-no-sandbox"), std::string::npos);
  result.sandbox = {"rlimits", "polling", true};
  EXPECT_NE(format_report(result).find("Graded without a sandbox (--unsafe-no-sandbox): the "),
            std::string::npos);
  const Result<SubmissionResult> back = parse_result(format_json(result));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->sandbox.isolation, "rlimits");
  EXPECT_EQ(back->sandbox.limits, "polling");
  EXPECT_TRUE(back->sandbox.is_unsafe);
}

TEST(Json, ReadsResultsThatNameTheSandboxAlone) {
  std::string json = format_json(bob());
  const size_t start = json.find("{", json.find("\"sandbox\"")), end = json.find("}", start);
  json.replace(start, end + 1 - start, "\"bubblewrap\"");
  const Result<SubmissionResult> result = parse_result(json);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->sandbox.isolation, "bubblewrap");
}

TEST(Json, SteersNoTerminal) {
  SubmissionResult result = bob();
  result.diagnostics =
      "\xc2\x9b"
      "2J \xe2\x80\xae"
      "txet \xd0\xbb";
  for (const std::string& json : {format_json(result), seal_result(format_json(result))}) {
    EXPECT_EQ(json.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(json.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_NE(json.find("\\u009b2J \\u202etxet \xd0\xbb"), std::string::npos) << json;
  }
  const Result<SubmissionResult> back = open_sealed_result(seal_result(format_json(result)));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->diagnostics, result.diagnostics);
}

TEST(Report, PaintsOnlyWhenAsked) {
  EXPECT_EQ(format_report(bob()).find('\x1b'), std::string::npos);
  EXPECT_NE(format_report(bob(), {Colour::kAlways}).find("\x1b[31mfailed      \x1b[0m"),
            std::string::npos);
}

TEST(Csv, IsSafeAndNeverMakesAZeroOfAnError) {
  EXPECT_TRUE(matches_golden(format_csv(sample_class()), "grades.csv"));
  EXPECT_EQ(format_csv(sample_class()).find(".;"), std::string::npos) << "a list has no stops";
}

TEST(GpuModels, AreToldToTheStaffWhereAClassWasMeasuredOnSeveral) {
  SubmissionResult gina = frida(), hans = frida();
  gina.student = "gina";
  hans.student = "hans";
  EXPECT_EQ(describe_mixed_models({frida(), gina, bob()}), "") << "one model, and one not measured";
  for (Measurement& row : hans.measurements) row.gpu.name = "NVIDIA H200";
  EXPECT_EQ(describe_mixed_models({frida(), gina, hans, bob()}),
            "Speed was measured on GPUs of 2 models: NVIDIA H100 (frida and 1 more), NVIDIA H200 "
            "(hans). Baselines were measured beside each submission, on the same GPU; still, other "
            "models favour other programs. --force measures all of them anew.");
  EXPECT_EQ(format_csv({frida(), gina}).find("measured_on"), std::string::npos);
  const std::string csv = format_csv({frida(), hans, bob()});
  EXPECT_NE(csv.find(",measured_on,lost\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",NVIDIA H200,"), std::string::npos) << csv;
}

TEST(Json, HoldsTheWholeResult) { EXPECT_TRUE(matches_golden(format_json(bob()), "result.json")); }

TEST(Json, ComesBackAsItWas) {
  std::vector<SubmissionResult> results = sample_class();
  results.push_back(frida());
  for (const SubmissionResult& result : results) {
    const Result<SubmissionResult> read = parse_result(format_json(result));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(format_json(*read), format_json(result));
    EXPECT_EQ(read->items, result.items);
    EXPECT_EQ(read->measurements, result.measurements);
    EXPECT_EQ(read->disagreements, result.disagreements);
    EXPECT_EQ(read->speeds, result.speeds);
    EXPECT_EQ(read->compared, result.compared);
    EXPECT_EQ(read->unobserved, result.unobserved);
    EXPECT_EQ(read->gpu_holds, result.gpu_holds);
  }
}

/// Dora, a day late.
SubmissionResult late_dora() {
  SubmissionResult result = sample_class()[3];
  Lateness late;
  late.due = *Moment::parse("2026-10-05 23:59 +02:00");
  late.submitted = *Moment::parse("2026-10-06 09:00 +02:00");
  late.source = "file";
  late.late_minutes = 541;
  late.points_lost = 10;
  late.undiminished_score = result.score;
  result.set_late(late);
  return result;
}

TEST(SealedResult, ComesBackAsItWas) {
  for (const SubmissionResult& result : sample_class()) {
    const Result<SubmissionResult> read = open_sealed_result(seal_result(format_json(result)));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(format_json(*read), format_json(result));
  }
}

TEST(SealedResult, IsRefusedWhereAnyValueIsAnother) {
  const std::string text = seal_result(format_json(bob()));
  const size_t digits = text.find("\"score\": ") + 9;
  for (size_t at = digits; std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at) {
    std::string edited = text;
    edited[at] = edited[at] == '9' ? '8' : '9';
    EXPECT_FALSE(open_sealed_result(edited).ok()) << edited.substr(digits, 8);
  }
  std::string spaced = text;
  spaced.insert(digits, "  ");
  EXPECT_TRUE(open_sealed_result(spaced).ok()) << "no value is another";
}

TEST(Versions, MarkRowsThatWereGradedWithSomethingElse) {
  SubmissionResult ann = bob(), carol = bob();
  ann.student = "ann";
  carol.student = "carol";
  for (SubmissionResult* each : {&ann, &carol}) each->inputs = {{"rubric", "1"}, {"seed", "7"}};
  carol.inputs["rubric"] = "0";
  const Versions present = {{"rubric", "1"}, {"seed", "7"}};
  EXPECT_EQ(format_csv({ann}, present).find("graded_with"), std::string::npos);
  EXPECT_EQ(describe_other_versions({ann}, present), "");
  const std::string csv = format_csv({ann, carol}, present);
  EXPECT_NE(csv.find(",graded_with,lost\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",another rubric,"), std::string::npos) << csv;
  EXPECT_EQ(describe_other_versions({ann, carol}, present),
            "1 of 2 rows in grades.csv was graded with another rubric (carol): its column "
            "graded_with marks them; the same command with their submissions grades them again.");
  carol.inputs.erase("seed");
  EXPECT_EQ(other_versions(carol, present), "another rubric and another seed");
}

TEST(Late, TakesPointsFromTheScoreAndIsToldWhereverTheScoreIs) {
  const SubmissionResult late = late_dora();
  EXPECT_EQ(late.score, 60);
  EXPECT_EQ(late.undiminished_score(), 70);
  EXPECT_NE(format_report(late).find("matmul-pitched, dora: 60 of 100, provisional\n" +
                                     wrap(describe(*late.late, "en"), kReportColumns).front()),
            std::string::npos)
      << format_report(late);
  EXPECT_NE(format_class({late}).find("  late (-10): handed in 2026-10-06 09:00 +02:00\n"),
            std::string::npos)
      << format_class({late});
  EXPECT_TRUE(format_csv({late}).starts_with(
      "student,score,max_score,undiminished_score,submitted,product,pitch,lost\n"
      "dora,60,100,70,2026-10-06 09:00 +02:00,70,,"))
      << format_csv({late});
}

TEST(Late, IsKeptInTheResultAndCanBeTakenBack) {
  const Result<SubmissionResult> read = parse_result(format_json(late_dora()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->late, late_dora().late);
  SubmissionResult in_time = *read;
  in_time.set_late(std::nullopt);
  EXPECT_EQ(in_time.score, 70);
  EXPECT_EQ(format_json(in_time), format_json(sample_class()[3]));
}

TEST(Json, WritesMessagesThatAreNoUtf8) {
  const SubmissionResult result =
      make_result("eve", {make_item("a", "A", ItemKind::kBuild, 1, Outcome::kFailed, "\xff")});
  EXPECT_TRUE(parse_result(format_json(result)).ok());
}

TEST(Json, RefusesWhatIsNoResult) {
  std::string later = format_json(bob());
  later.replace(later.find("\"schema\": 1"), 11, "\"schema\": 2");
  EXPECT_EQ(parse_result(later).error().message, "not a result: schema 2 is unknown");
  std::string other = format_json(bob());
  other.replace(other.find("\"passed\""), 8, "\"passsd\"");
  EXPECT_EQ(parse_result(other).error().message, "not a result: unknown word 'passsd'");
  for (const char* text : {"", "[]", "{}", "{\"schema\": 1}", "{\"schema\": \"x\"}"})
    EXPECT_FALSE(parse_result(text).ok()) << text;
  const std::string whole = format_json(bob());
  EXPECT_FALSE(parse_result(whole.substr(0, whole.size() / 2)).ok());
}

TEST(Layout, WrapsAtBlanksAndWithinLongWords) {
  EXPECT_EQ(wrap("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefghij k", 4), (std::vector<std::string>{"abcd", "efgh", "ij k"}));
  EXPECT_EQ(wrap("a\nb", 4), (std::vector<std::string>{"a", "b"}));
}

TEST(Layout, CountsCharactersNotBytes) {
  EXPECT_EQ(text_width("\xd0\xbb\xd0\xb0"), 2u);
  EXPECT_EQ(shorten("\xd0\xbb\xd0\xb0\xd0\xb1\xd0\xb0 1", 5), "\xd0\xbb\xd0\xb0...");
  EXPECT_EQ(pad_left("\xd0\xbb", 3), "  \xd0\xbb");
}

}  // namespace
}  // namespace warpgrade
