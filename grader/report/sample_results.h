// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "report/result.h"

namespace warpgrade {

/// What a student may not read, wherever it stands in a result.
inline constexpr const char* kSecrets[] = {"secret-case", "7777", "secret flag"};

/// Markup, a script's end, a terminal escape, a mark of direction, a formula.
inline const std::string kHostile =
    "=cmd()</script><script>document.title='taken'</script><img src=x onerror=alert(1)>\"'&\x1b[31m"
    "\u202e\u2028";

/// The case that a sample's message quotes: "case 'large': ...", "2 of 3 cases, first 'edges': ...".
inline std::string case_quoted_in(const std::string& message) {
  const size_t begin = message.find('\''), end = message.find("': ");
  const bool has_case = begin != std::string::npos && end != std::string::npos && begin < end;
  return has_case ? message.substr(begin + 1, end - begin - 1) : "";
}

inline ItemResult sample_item(std::string id, ItemKind kind, double max_points, Outcome status,
                              std::string message = {}) {
  const double points = status == Outcome::kPassed    ? max_points
                        : status == Outcome::kPartial ? max_points / 2
                                                      : 0;
  ItemResult item{id, "The " + id + " is right", kind, points, max_points, status};
  item.message = std::move(message);
  item.student_message = item.message;
  item.case_id = case_quoted_in(item.message);
  return item;
}

/// A loss that a public case shows, with the first wrong element.
inline ItemResult wrong_item(std::string id, int row) {
  const std::string place = fmt::format("(row {}, column 3)", row);
  ItemResult item = sample_item(
      std::move(id), ItemKind::kCorrectness, 40, Outcome::kFailed,
      fmt::format("2 of 3 cases, first 'edges': C: 65 of 2145 elements are wrong; the first is {}: "
                  "expected 41, got 0.\nHint: Which threads own the last rows?",
                  place));
  item.reason = {"output.wrong",
                 {{"array", "C"},
                  {"count", "2145"},
                  {"expected", "41"},
                  {"got", "0"},
                  {"owner", ""},
                  {"place", place},
                  {"wrong", "65"}}};
  return item;
}

/// A loss in a hidden case alone.
inline ItemResult hidden_item(std::string id) {
  ItemResult item = sample_item(
      std::move(id), ItemKind::kCorrectness, 30, Outcome::kFailed,
      "case 'secret-case': C: 1 of 9 elements is wrong; the first is [7777]: expected 1, got 2.");
  item.student_message = "in a hidden case: the result is wrong";
  item.visibility = Visibility::kHidden;
  item.reason = {"output.wrong",
                 {{"array", "C"},
                  {"count", "9"},
                  {"expected", "1"},
                  {"got", "2"},
                  {"owner", ""},
                  {"place", "[7777]"},
                  {"wrong", "1"}}};
  item.flags = {{"secret flag", "case 'secret-case': 7777"}};
  return item;
}

inline KernelRow sample_kernel(std::string case_id, std::string name) {
  KernelRow row;
  row.case_id = std::move(case_id);
  row.name = std::move(name);
  row.metrics = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 10},
                 {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 80},
                 {"smsp__sass_data_bytes_mem_global_op_ld.sum", 1280},
                 {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 8},
                 {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 6}};
  row.metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 1e8;
  row.time_ms = KernelTime{0.25, "modelled", 5e7};
  return row;
}

/// A line whose loads take eight times the sectors that would do, and half of whose threads wait.
inline LineRow sample_line(std::string case_id, int line, std::string kernel) {
  LineRow row{std::move(case_id), std::move(kernel), {"matmul.cu", line, 64, 1024}};
  row.counts.global_loads = {8, 256, 32};
  row.counts.shared_stores = {4, 4, 4};
  row.counts.branches = 8;
  row.counts.divergent = 6;
  return row;
}

inline CaseFinding sample_finding(std::string case_id, int line) {
  Finding finding;
  finding.checker = "memory";
  finding.message = "read of 4 bytes past the end";
  finding.kernel = "multiply(float const*)";
  finding.file = "matmul.cu";
  finding.line = line;
  finding.count = 65;
  return {std::move(case_id), finding};
}

/// A race on shared memory, and a picture of an output whose last row is wrong.
inline CaseFinding sample_race(std::string case_id, int line) {
  CaseFinding each = sample_finding(std::move(case_id), line);
  Finding& finding = each.finding;
  finding.checker = "race";
  finding.message =
      "writes tile[0], which thread (15,0,0) of the same warp reads in line 3, with no "
      "__syncwarp() or __syncthreads() between";
  finding.race = RaceAccesses{"tile[0]",   "writes", "thread (15,0,0) of the same warp", "reads",
                              "matmul.cu", 3,        "with no __syncthreads() between"};
  return each;
}

inline WrongOutput sample_wrong_output(std::string case_id, const std::string& array) {
  constexpr size_t kRows = 33, kColumns = 65;
  std::vector<bool> wrong(kRows * kColumns);
  std::fill(wrong.end() - kColumns, wrong.end(), true);
  return {std::move(case_id), "product", make_wrong_map(array, kColumns, wrong)};
}

/// A result with everything in it that a page shows, and with secrets.
inline SubmissionResult rich_result(std::string student) {
  SubmissionResult result;
  result.assignment = "matmul";
  result.student = std::move(student);
  result.items = {sample_item("builds", ItemKind::kBuild, 0, Outcome::kPassed),
                  wrong_item("product", 32), hidden_item("odd-sizes"),
                  sample_item("speed", ItemKind::kPerformance, 30, Outcome::kPassed)};
  result.score = 30;
  result.max_score = 100;
  result.provisional = true;
  result.device_kind = "emulated";
  result.devices = {"RTX 3090"};
  result.hidden_cases = {"secret-case"};
  result.findings = {sample_finding("edges", 2), sample_finding("secret-case", 3),
                     sample_race("edges", 1)};
  result.findings[1].finding.message = "7777 bytes past the end";
  result.wrong_outputs = {sample_wrong_output("edges", "C"),
                          sample_wrong_output("secret-case", "secret flag")};
  result.plots = {{"time",
                   "M*N*K",
                   {{"multiply(float const*)", false, {{1, 0.01}, {4096, 0.25}}},
                    {"reference", true, {{4096, 0.125}}}}}};
  result.kernels = {sample_kernel("edges", "multiply(float const*)"),
                    sample_kernel("secret-case", "secret flag")};
  result.lines = {sample_line("edges", 2, "multiply(float const*)"),
                  sample_line("secret-case", 3, "secret flag")};
  result.modelled_device = "RTX 3090";
  result.baseline_work = {{"edges", "naive", 2e8, 4e8, 0.6}, {"secret-case", "naive", 7777, 1, 1}};
  result.speeds = {{"speed", "edges", 2.25, 1.84}, {"speed", "secret-case", 7777, {}}};
  result.disagreements = {{"correctness", "product", "secret-case", "passed", "7777", ""}};
  result.unobserved = {{"secret-case", "7777"}};
  result.diagnostics = "matmul.cu(2): warning: variable \"x\" was never referenced\n";
  return result;
}

/// One of a large class: the same for the same place.
inline SubmissionResult class_result(size_t place) {
  SubmissionResult result = rich_result(fmt::format("student-{:03}", place));
  constexpr size_t kItems = 14;
  for (size_t i = 0; i < kItems; ++i) {
    const bool passes = (place * 7 + i * 13) % 10 < 7;
    result.items.push_back(sample_item(fmt::format("item-{}", i), ItemKind::kRequirement, 5,
                                       passes ? Outcome::kPassed : Outcome::kFailed,
                                       passes ? "" : "case 'edges': no kernel was launched"));
    if (!passes) result.items.back().reason = {"launch.none", {}};
  }
  result.score = static_cast<double>((place * 37) % 101);
  result.provisional = place % 11 == 0;
  return result;
}

}  // namespace warpgrade
