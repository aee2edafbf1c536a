// SPDX-License-Identifier: MIT
// usage: sample_pages DIR. Writes what browser_test.py looks at: results of three students into DIR/results, and pages
// of hostile words and of a class of 500.
#include <fmt/format.h>

#include "base/files.h"
#include "base/hash.h"
#include "report/class_page.h"
#include "report/sample_run.h"
#include "report/student_page.h"

namespace warpgrade {
namespace {

constexpr size_t kLargeClass = 500;

SubmissionResult hostile_result() {
  SubmissionResult result = rich_result(kHostile);
  result.assignment = result.identity.name = kHostile;
  for (ItemResult& item : result.items) item.title = item.message = item.student_message = kHostile;
  for (KernelRow& row : result.kernels) row.name = kHostile;
  for (LineRow& row : result.lines) row.kernel = row.case_id = kHostile;
  for (WrongOutput& output : result.wrong_outputs) output.map.array = output.case_id = kHostile;
  for (CaseFinding& each : result.findings) {
    if (each.finding.race) each.finding.race->object = each.finding.race->missing = kHostile;
  }
  for (Speed& speed : result.speeds) speed.item_id = kHostile;
  return result;
}

std::string source_of(const std::string& student) {
  return fmt::format("// {}\nint two;\nint three;\n", student);
}

/// Two of the three students, as `warpgrade similarity` would have it.
std::vector<SimilarPair> sample_pairs() {
  return {{{"ann", sha256_hex(source_of("ann"))},
           {"bob", sha256_hex(source_of("bob"))},
           0.87,
           40,
           {{40, {2, 3}, {2, 3}}}}};
}

ProgramRun hostile_run() {
  ProgramRun run = sample_run();
  run.command = run.timeline[0].name = run.timeline[0].spans[0].name = kHostile;
  run.trace.findings[0].message = kHostile;
  for (KernelLaunch& launch : run.trace.launches) {
    launch.kernel = kHostile;
    launch.lines[0].file = kHostile;
  }
  return run;
}

bool write_all(const fs::path& folder) {
  RealFiles files;
  const auto write = [&](const fs::path& name, const std::string& text) {
    return files.write(folder / name, text).ok();
  };
  bool is_written = true;
  for (const std::string student : {"ann", "bob", "carl"}) {
    const std::string source = source_of(student);
    SubmissionResult result = rich_result(student);
    result.inputs["submission"] = sha256_hex(source);
    is_written = is_written && write(fmt::format("submissions/{}/matmul.cu", student), source) &&
                 write(fmt::format("results/{}.json", student), seal_result(format_json(result)));
  }
  is_written = is_written && write("similarity.json", format_similar_pairs(sample_pairs())) &&
               write("leaderboard.json", format_less_is_better({})) &&
               write("seed", "0123456789abcdef\n");
  std::vector<SubmissionResult> large;
  for (size_t i = 0; i < kLargeClass; ++i) large.push_back(class_result(i));
  const SubmissionResult hostile = hostile_result();
  return is_written && write("large.html", format_class_page(large)) &&
         write("hostile-class.html", format_class_page({hostile, hostile})) &&
         write("run.html", format_run_page(sample_run(), "sum.cu", "// one\nint two;\n")) &&
         write("hostile-run.html", format_run_page(hostile_run(), kHostile, kHostile)) &&
         write("student.html", format_student_page(rich_result("ann"), "// one\nint two;\n")) &&
         write("hostile.html", format_student_page(hostile, kHostile));
}

}  // namespace
}  // namespace warpgrade

int main(int argc, char** argv) { return argc == 2 && warpgrade::write_all(argv[1]) ? 0 : 1; }
