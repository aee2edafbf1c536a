// SPDX-License-Identifier: MIT
#include "report/evidence_json.h"

#include <gtest/gtest.h>

#include "report/sample_results.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

TEST(EvidenceJson, GivesBackWhatAResultHolds) {
  SubmissionResult written = rich_result("ann");
  written.plots = {{"sectors", "n", {{"k", true, {{1, 4}, {2, 32}}}}}};
  const Result<SubmissionResult> read = parse_result(format_json(written));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->lines.size(), 2u);
  EXPECT_EQ(read->lines[0].kernel, "multiply(float const*)");
  EXPECT_EQ(read->lines[0].counts, written.lines[0].counts);
  ASSERT_EQ(read->wrong_outputs.size(), 2u);
  EXPECT_EQ(read->wrong_outputs[0].item_id, "product");
  EXPECT_EQ(read->wrong_outputs[0].map, written.wrong_outputs[0].map);
  EXPECT_EQ(read->findings[2].finding.race, written.findings[2].finding.race);
  EXPECT_EQ(read->findings[0].finding.race, std::nullopt);
  EXPECT_EQ(read->baseline_work, written.baseline_work);
  EXPECT_EQ(read->plots, written.plots);
  EXPECT_EQ(read->modelled_device, "RTX 3090");
  EXPECT_EQ(read->kernels[0].time_ms->dram_bytes, 5e7);
}

TEST(EvidenceJson, HoldsNothingOfHiddenCasesForStudents) {
  SubmissionResult evidence = for_student(rich_result("ann"));
  evidence.items.clear();  // their reasons are left to the staff, and no page shows them
  const std::string json = format_json(evidence);
  for (const char* secret : kSecrets) EXPECT_EQ(json.find(secret), std::string::npos) << secret;
}

}  // namespace
}  // namespace warpgrade
