// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "report/charts/roofline.h"
#include "report/class_page.h"
#include "report/decisions.h"
#include "report/first_wrong.h"
#include "report/kernel_sums.h"
#include "report/line_view.h"
#include "report/race_view.h"
#include "report/sample_results.h"
#include "report/speed_view.h"
#include "report/student_page.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr const char* kPageSource = "// one\nint two;\nint three;\n";

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

/// A result that says something hostile wherever it can.
SubmissionResult hostile_result() {
  SubmissionResult result = rich_result(kHostile);
  result.assignment = result.identity.name = result.diagnostics = kHostile;
  result.devices = {kHostile};
  for (ItemResult& item : result.items) item.title = item.message = item.student_message = kHostile;
  for (CaseFinding& each : result.findings) {
    Finding& finding = each.finding;
    finding.checker = finding.message = finding.kernel = kHostile;
    finding.file = kHostile + ".cu";
    if (finding.race)
      finding.race->object = finding.race->second = finding.race->missing = kHostile;
  }
  for (KernelRow& row : result.kernels) row.name = kHostile;
  for (LineRow& row : result.lines) row.kernel = row.case_id = kHostile;
  for (WrongOutput& output : result.wrong_outputs) output.map.array = output.case_id = kHostile;
  return result;
}

/// Nothing hostile is markup, ends the script's data or reaches the reader unseen.
void expect_plain(const std::string& page) {
  EXPECT_FALSE(has(page, "<img")) << "an element of the student's";
  EXPECT_FALSE(has(page, "<script>document")) << "a script of the student's";
  EXPECT_FALSE(has(page, "\x1b")) << "a terminal escape";
  EXPECT_FALSE(has(page, "\u202e")) << "a mark of direction";
  EXPECT_FALSE(has(page, "\u2028")) << "a line separator";
  EXPECT_TRUE(has(page, "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\\x1b[31m"));
}

TEST(StudentPage, HoldsItemsReasonsFindingsCountersAndSource) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  EXPECT_TRUE(has(page, "<strong>30 of 100</strong>"));
  EXPECT_TRUE(has(page, "provisional"));
  EXPECT_TRUE(has(page, "Hint: Which threads own the last rows?"));
  EXPECT_TRUE(has(page, "<td>(row 32, column 3)</td><td>41</td><td>0</td><td>65 of 2145</td>"));
  EXPECT_TRUE(has(page, "<mark>    2  int two;</mark>"));
  EXPECT_TRUE(has(page, "<tr id=\"L2\" class=\"heat-2\">"));
  EXPECT_TRUE(has(page, "<tr id=\"L3\"><td class=\"line\">3</td>")) << "a hidden case's finding";
  EXPECT_TRUE(has(page, "sectors of 32 bytes for each request of a warp: 8; without waste: 4"));
  EXPECT_TRUE(has(page, "variable &quot;x&quot; was never referenced"));
}

TEST(StudentPage, SetsTheIdealBesideWhatALineCost) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  EXPECT_TRUE(has(page, "<td class=\"cost hot-3\">load 32 (4)</td>"));
  EXPECT_TRUE(has(page, "<td class=\"cost\">store 1 (1)</td>"));
  EXPECT_TRUE(has(page, "<td class=\"cost hot-1\">16, 6 of 8 branches split</td>"));
  EXPECT_TRUE(
      has(page,
          "<a href=\"#L2\">Line 2</a>: each load of a warp from global memory takes 32 "
          "sectors of 32 bytes, where 4 would do (8 times the ideal). The line has 100 % "
          "of the instructions of <code>multiply(float const*)</code>, case &#39;edges&#39;."));
  SubmissionResult uncounted = rich_result("ann");
  uncounted.lines.clear();
  EXPECT_FALSE(has(format_student_page(uncounted, kPageSource), "Shared memory"));
}

TEST(StudentPage, DrawsWhereAnOutputIsWrong) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  EXPECT_TRUE(has(page,
                  "aria-label=\"C in case &#39;edges&#39;, 33 rows of 65 elements: wrong: all of "
                  "the last row, 32.\">"));
  EXPECT_TRUE(has(page, "<path class=\"wrong-4\" d=\"M0 32h33v1h-33z\"/>"));
  EXPECT_TRUE(has(page, "Each cell is 1 row by 2 columns of elements."));
}

TEST(StudentPage, DrawsARaceWithBothThreadsAndWhatIsMissing) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  EXPECT_TRUE(has(page,
                  "aria-label=\"thread (0,0,0) of block (0,0,0) writes tile[0] in line 1; thread "
                  "(15,0,0) of the same warp reads tile[0] in line 3, with no __syncthreads() "
                  "between\">"));
  EXPECT_TRUE(has(page, ">line 1: writes</text>"));
  EXPECT_TRUE(has(page, ">line 3: reads</text>"));
}

TEST(RaceFigure, SetsTheWriterAboveTheReader) {
  Finding finding = sample_race("edges", 4).finding;
  std::swap(finding.race->first_act, finding.race->second_act);
  const std::string figure = race_figure(finding, "en");
  EXPECT_LT(figure.find(">line 3: writes<"), figure.find(">line 4: reads<"));
  finding.race.reset();
  EXPECT_EQ(race_figure(finding, "en"), "");
}

TEST(StudentPage, SetsKernelsAndBaselinesUnderTheRoof) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  EXPECT_TRUE(has(page, "The roof of RTX 3090: 936 GB/s and 35581 GFLOP/s"));
  EXPECT_TRUE(has(page, "<circle class=\"kernel\""));
  EXPECT_TRUE(has(page, "<rect class=\"baseline\""));
  EXPECT_TRUE(has(page, "<th scope=\"row\">the course&#39;s naive</th>") ||
              has(page, "<th scope=\"row\">the course's naive</th>"));
  SubmissionResult earlier = rich_result("ann");
  earlier.modelled_device.clear();
  EXPECT_FALSE(has(format_student_page(earlier, kPageSource), "Roofline"));
}

TEST(KernelWork, TakesEachKernelInTheCaseWhereItTookLongest) {
  std::vector<KernelRow> rows = {sample_kernel("small", "k"), sample_kernel("large", "k"),
                                 sample_kernel("large", "k")};
  const std::vector<ProgramWork> work = kernel_work(rows);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0], (ProgramWork{"large", "k", 4e8, 1e8, 0.5}));
  EXPECT_EQ(work[0].flops_per_byte(), 4);
  EXPECT_EQ(work[0].gflop_per_s(), 800);
  EXPECT_EQ(work[0].gb_per_s(), 200);
  for (KernelRow& row : rows) row.time_ms->source = "measured";
  EXPECT_TRUE(kernel_work(rows).empty());
}

TEST(LineCosts, AddUpTheKernelsThatShareALine) {
  std::vector<LineRow> rows = {sample_line("edges", 2, "a"), sample_line("edges", 3, "a"),
                               sample_line("edges", 2, "b")};
  rows[1].counts.warps = 192;
  const std::map<int, LineCost> costs = line_costs(rows);
  EXPECT_EQ(costs.at(2).counts.global_loads, (AccessCounts{16, 512, 64}));
  EXPECT_EQ(costs.at(2).share, 1) << "of b";
  EXPECT_EQ(costs.at(2).kernel, "b");
  EXPECT_EQ(costs.at(3).share, 0.75);
}

TEST(LineCosts, GoByTheModelledTimeWhereItIsKnown) {
  std::vector<LineRow> rows = {sample_line("edges", 2, "a"), sample_line("edges", 3, "a"),
                               sample_line("edges", 2, "b")};
  rows[0].counts.ms = 3;
  rows[1].counts.ms = 1;
  rows[2].counts.warps = 1;
  rows[2].counts.ms = 0.001;
  rows.push_back(sample_line("edges", 4, "b"));
  rows[3].counts.ms = 0.999;
  const std::map<int, LineCost> costs = line_costs(rows);
  EXPECT_DOUBLE_EQ(costs.at(2).time_share, 0.75);
  EXPECT_EQ(costs.at(2).kernel, "a");
  EXPECT_DOUBLE_EQ(costs.at(4).time_share, 0.999);
  EXPECT_TRUE(has(costs_in_words(costs, "en"), "takes 75 % of the modelled time of <code>a"));
}

TEST(StudentPage, NamesTheStudentAsTheLmsDoes) {
  SubmissionResult result = rich_result("ann");
  result.identity.name = "Ana Ani\u0107";
  EXPECT_TRUE(has(format_student_page(result, ""), "Ana Ani\u0107"));
}

TEST(StudentPage, SaysNothingOfHiddenCases) {
  const std::string page = format_student_page(rich_result("ann"), kPageSource);
  for (const char* secret : kSecrets) EXPECT_FALSE(has(page, secret)) << secret;
  EXPECT_TRUE(has(page, "in a hidden case: the result is wrong"));
}

TEST(StudentPage, KeepsHostileWordsText) {
  expect_plain(format_student_page(hostile_result(), kHostile + "\n" + kHostile));
}

TEST(StudentPage, ShowsTheBeginningOfAVeryLongSource) {
  std::string source;
  for (int i = 0; i < 4000; ++i) source += "x\n";
  const std::string page = format_student_page(rich_result("ann"), source);
  EXPECT_TRUE(has(page, "id=\"L3000\""));
  EXPECT_FALSE(has(page, "id=\"L3001\""));
  EXPECT_TRUE(has(page, "1000 more lines are not shown."));
}

TEST(StudentPage, StaysSmallWhereEachLineIsLong) {
  std::string source;
  for (int i = 0; i < 3000; ++i) source += std::string(1000, '"') + "\n";
  EXPECT_LT(format_student_page(rich_result("ann"), source).size(), 2u << 20);
}

TEST(StudentPage, PutsNoFindingOfTheDriverBesideTheStudentsLines) {
  SubmissionResult result = rich_result("ann");
  result.findings.resize(1);
  result.findings[0].finding.file = "driver.cu";
  const std::string page = format_student_page(result, kPageSource);
  EXPECT_TRUE(has(page, "driver.cu:2"));
  EXPECT_FALSE(has(page, "<mark>"));
}

TEST(StudentPage, GivesNoScoreWhereTheGraderFailed) {
  SubmissionResult result = rich_result("ann");
  result.items[1].status = Outcome::kSystemError;
  EXPECT_TRUE(has(format_student_page(result, ""), "<strong>not graded</strong>"));
}

TEST(FirstWrong, IsToldOnlyWhereTheStudentReadsItAlready) {
  EXPECT_FALSE(first_wrong_of(hidden_item("odd"), "en").has_value());
  ItemResult item = wrong_item("product", 7);
  const std::optional<FirstWrong> first = first_wrong_of(item, "en");
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->place, "(row 7, column 3)");
  item.student_message = "in 2 hidden cases: the result is wrong; C 65 2145 41 0 (row 7, column 3)";
  EXPECT_FALSE(first_wrong_of(item, "en").has_value()) << "its words alone are not the sentence";
}

TEST(FirstWrong, IsFoundWithinAPattern) {
  ItemResult item = wrong_item("product", 7);
  item.reason = {"pattern.zeros", {{"what", item.reason.key()}}};
  ASSERT_TRUE(first_wrong_of(item, "en").has_value());
  EXPECT_EQ(first_wrong_of(item, "en")->expected, "41");
}

TEST(Gauges, HoldCountersAgainstTheIdeal) {
  SubmissionResult result = rich_result("ann");
  result.kernels.resize(1);
  const std::vector<Gauge> gauges = gauges_of(kernel_sums(result).at(0), "en");
  ASSERT_EQ(gauges.size(), 2u);
  EXPECT_EQ(gauges[0].label, "Global loads");
  EXPECT_DOUBLE_EQ(gauges[0].part, 0.5);
  EXPECT_EQ(gauges[1].label, "Shared loads");
  EXPECT_DOUBLE_EQ(gauges[1].part, 0.25);
  result.kernels[0].metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 1024;
  result.kernels[0].metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = 992;
  EXPECT_EQ(gauges_of(kernel_sums(result).at(0), "en")[1].text,
            "passes over the banks: 1024; without bank conflicts: 32");
}

TEST(PlotsSection, DrawsEachLineAndGivesItsNumbersInATable) {
  SubmissionResult result = rich_result("ann");
  EXPECT_TRUE(has(format_student_page(result, ""), "id=\"plot-1\""));
  result.plots.clear();
  EXPECT_FALSE(has(format_student_page(result, ""), "id=\"plot-1\""));
  result.plots = {
      {"time",
       "M*N",
       {{"void (anonymous namespace)::slow<1>(float*, int)", false, {{10, 1}, {1000, 50}}},
        {"reference", true, {{1000, 2}}}}}};
  const std::string page = format_student_page(result, "");
  EXPECT_TRUE(has(page, "Modelled time in ms against M*N"));
  EXPECT_TRUE(has(page, "reference</li></ol>")) << page;
  EXPECT_TRUE(has(page, "<li><code>slow&lt;1&gt;</code></li><li>")) << page;
  EXPECT_TRUE(has(page, "class=\"curve curve-1\" d=\"M"));
  EXPECT_TRUE(has(page, "<th scope=\"row\">1000</th>"));
}

TEST(Gauges, SayWhatLimitsTheBlocksOfAMultiprocessor) {
  SubmissionResult result = rich_result("ann");
  result.kernels.resize(1);
  std::map<std::string, double>& metrics = result.kernels[0].metrics;
  metrics = {{"sm__maximum_warps_per_active_cycle_pct", 50},
             {"launch__block_size", 256},
             {"launch__grid_size", 594},
             {"launch__registers_per_thread", 60},
             {"launch__waves_per_multiprocessor", 1.125},
             {"launch__occupancy_limit_warps", 8},
             {"launch__occupancy_limit_registers", 4},
             {"launch__occupancy_limit_blocks", 32}};
  const std::vector<Gauge> gauges = gauges_of(kernel_sums(result).at(0), "en");
  ASSERT_EQ(gauges.size(), 2u);
  EXPECT_EQ(gauges[0].part, 0.5);
  EXPECT_TRUE(has(gauges[0].text, "4 blocks of 256 threads; its registers, 60 for each thread"));
  EXPECT_DOUBLE_EQ(gauges[1].part, 0.5625) << "the second wave fills an eighth of the device";
  EXPECT_TRUE(has(gauges[1].text, "594 blocks, of which the device holds 528 at once: 1.12 waves"))
      << gauges[1].text;
  metrics["launch__grid_size"] = 1;
  EXPECT_TRUE(has(gauges_of(kernel_sums(result).at(0), "en")[1].text, "1 block, of which"));
  metrics["launch__shared_mem_per_block_allocated"] = 101376;
  metrics["launch__occupancy_limit_shared_mem"] = 2;
  EXPECT_TRUE(has(gauges_of(kernel_sums(result).at(0), "en")[0].text,
                  "2 blocks of 256 threads; its shared memory, 101376 bytes for each block"));
}

TEST(SpeedModel, KeepsModelledAndMeasuredApart) {
  const auto model = speed_model(for_student(rich_result("ann")));
  ASSERT_EQ(model.at("speeds").size(), 1u) << "the hidden case's is left out";
  EXPECT_EQ(model.at("speeds")[0].at("modelled"), 2.25);
  EXPECT_EQ(model.at("speeds")[0].at("measured"), 1.84);
}

TEST(ClassPage, LinksEachStudentAndGroupsEqualFailures) {
  const std::string page =
      format_class_page({rich_result("ann"), rich_result("bob"), class_result(3)});
  EXPECT_TRUE(has(page, "<a href=\"students/bob.html\">bob</a>"));
  EXPECT_TRUE(has(page, "3 students: <strong>product</strong>: 2 of 3 cases, first &#39;edges"));
  EXPECT_TRUE(has(page, "data-marks=\"provisional,flagged\""));
}

TEST(ClassPage, FoldsAllButTheCostliestReasonsOfAStudent) {
  SubmissionResult many = rich_result("ann");
  many.items.clear();
  for (const double points : {1.0, 9.0, 2.0, 8.0}) {
    ItemResult item = wrong_item(fmt::format("item-{}", points), points);
    item.message = fmt::format("reason {}", points);
    item.max_points = points;
    many.items.push_back(item);
  }
  const std::string page = format_class_page({many});
  EXPECT_TRUE(has(page, "<td class=\"reason\">item-9: reason 9\nitem-8: reason 8<details>"));
  EXPECT_TRUE(has(page, "<summary>2 more failed</summary>item-2: reason 2\nitem-1: reason 1"));
}

TEST(ClassPage, ShowsDecisionsWithWhoAndWhy) {
  SubmissionResult ann = rich_result("ann"), bob = rich_result("bob");
  const Decision decision{"",     "product",    DecisionKind::kAdd,        5, "half of it is right",
                          "Mira", "2026-11-20", "group:output.wrong@edges"};
  apply_decisions(ann, {decision});
  apply_decisions(bob, {decision});
  const std::string page = format_class_page({ann, bob});
  const std::string said =
      "decided by Mira, 2026-11-20: 5 instead of 0 points: half of it is right";
  EXPECT_TRUE(has(page, "<p class=\"note\">" + said)) << "in the group";
  EXPECT_TRUE(has(page, "<td>product</td><td class=\"reason\">" + said +
                            "</td>"
                            "<td>group:output.wrong@edges</td>"));
  EXPECT_TRUE(has(page, "<code>group:output.wrong@edges,product,POINTS,NOTE,BY,DATE</code>"));
}

TEST(ClassPage, ProposesToAnswerTheHeaviestItemOfAGroup) {
  SubmissionResult result = rich_result("ann");
  result.items.push_back(wrong_item("all-sizes", 32));
  result.items.back().max_points = 0;
  EXPECT_TRUE(has(format_class_page({result, result}), "<strong>all-sizes, product</strong>"));
  EXPECT_TRUE(has(format_class_page({result, result}),
                  "<code>group:output.wrong@edges,product,POINTS,NOTE,BY,DATE</code>"));
}

TEST(ClassPage, SaysInOneWordThatAGroupLostEverything) {
  SubmissionResult result = rich_result("ann");
  for (ItemResult& item : result.items) {
    item.status = Outcome::kFailed;
    item.cause.clear();
    item.case_id.clear();
    item.reason = {"item.everything", {{"why", "empty"}}, "empty"};
  }
  ASSERT_GT(result.items.size(), 1u);
  EXPECT_TRUE(has(format_class_page({result, result}), "2 students: <strong>everything</strong>"));
}

TEST(ClassPage, QuotesOneStudentsSourceForAGroup) {
  const auto source = [](const SubmissionResult& result) {
    return "// " + result.student + "\nint two;\nint three;\nint four;\nint five;\n";
  };
  const std::string page =
      format_class_page({rich_result("ann"), rich_result("bob")}, {source, {}, {}});
  EXPECT_TRUE(has(page, "ann, line 2</p>"));
  EXPECT_TRUE(has(page,
                  "    1  // ann\n<mark>    2  int two;</mark>\n    3  int three;\n"
                  "    4  int four;\n</pre>"));
}

TEST(ClassPage, SetsApartWhoCouldNotBeGraded) {
  SubmissionResult broken = rich_result("ann");
  broken.items[1].status = Outcome::kSystemError;
  broken.items[1].message = "the sandbox refused";
  const std::string page = format_class_page({broken});
  EXPECT_TRUE(has(page, "1 student, 1 not gradable"));
  EXPECT_TRUE(has(page, "product could not be judged: the sandbox refused"));
  EXPECT_TRUE(has(page, "<td>none</td><td>not gradable, "));
}

TEST(ClassPage, KeepsHostileWordsText) {
  const std::string page = format_class_page({hostile_result(), hostile_result()});
  expect_plain(page);
  EXPECT_TRUE(has(page, "href=\"students/%3Dcmd%28%29%3C%2Fscript"));
}

TEST(ClassPage, IsWrittenForAnEmptyClass) {
  EXPECT_TRUE(has(format_class_page({}), "<h1>No results</h1>"));
}

}  // namespace
}  // namespace warpgrade
