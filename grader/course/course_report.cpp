// SPDX-License-Identifier: MIT
#include "course/course_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "course/rubric_proof.h"
#include "report/layout.h"
#include "report/measurement_json.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

using nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr int kJsonSchema = 1;

const CourseRow* find_role(const AssignmentReport& report, Role role) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const CourseRow& row) { return row.role == role; });
  return found == report.rows.end() ? nullptr : &*found;
}

std::string points_of(const AssignmentReport& report, Role role) {
  const CourseRow* row = find_role(report, role);
  return row == nullptr ? "-" : format_points(row->score);
}

struct Share {
  long good = 0, all = 0;
};

std::string to_text(const Share& share) { return fmt::format("{}/{}", share.good, share.all); }

Share share_of(const AssignmentReport& report, Role role) {
  Share share;
  for (const CourseRow& row : report.rows) {
    if (row.role != role) continue;
    ++share.all;
    share.good += row.ok();
  }
  return share;
}

/// Refused, of those that can be.
Share refusals_of(const AssignmentReport& report, WrongAnswer wrong) {
  Share share;
  for (const CaseProof& proof : report.cases) {
    const Reception reception = proof.of(wrong);
    share.good += reception == Reception::kRefused;
    share.all += reception == Reception::kRefused || reception == Reception::kAccepted;
  }
  return share;
}

std::string margin_text(const Margin& margin) {
  return margin.used == 0 ? "exact" : fmt::format("{:.2f}", margin.used);
}

const Row kProofHead = {"assignment", "proved",   "reference", "skeleton", "mutants", "kinds",
                        "class",      "accepted", "cheats",    "items",    "margin",  "seconds"};
const Row kCaseHead = {"refused by cases", "cases", "zeros", "poison", "input", "seed", "half"};

Row proof_row(const AssignmentReport& report) {
  if (!report.error.empty()) return {report.slug, "NO"};
  const MutantCount mutants = count_mutants(report.rows);
  return {report.slug,
          report.ok() ? "yes" : "NO",
          points_of(report, Role::kReference),
          points_of(report, Role::kSkeleton),
          fmt::format("{}/{}", mutants.caught, mutants.mutants),
          std::to_string(mutants.classes),
          to_text(share_of(report, Role::kClass)),
          to_text(share_of(report, Role::kAccepted)),
          to_text(share_of(report, Role::kExploit)),
          report.is_partial
              ? "-"
              : fmt::format("{}/{}", report.items - report.unproved.size(), report.items),
          margin_text(report.margin),
          fmt::format("{:.1f}", report.busy_s)};
}

Row case_row(const AssignmentReport& report) {
  Row row = {report.slug, std::to_string(report.cases.size())};
  for (size_t i = 0; i < kWrongAnswers; ++i)
    row.push_back(to_text(refusals_of(report, static_cast<WrongAnswer>(i))));
  return row;
}

/// Words to the left, all else to the right; a row that is too short is filled up.
std::string format_table(std::vector<Row> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (Row& row : rows) {
    row.resize(widths.size(), "-");
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    text += pad_right(row.front(), widths.front());
    for (size_t i = 1; i < row.size(); ++i) text += "  " + pad_left(row[i], widths[i]);
    text += "\n";
  }
  return text;
}

/// Everything that is wrong, one line each.
std::vector<std::string> complaints_of(const AssignmentReport& report) {
  std::vector<std::string> all;
  for (const CourseRow& row : report.rows) {
    if (!row.ok())
      all.push_back(fmt::format("{} {}: {}", to_string(row.role), row.name, row.complaint));
  }
  all.insert(all.end(), report.complaints.begin(), report.complaints.end());
  return all;
}

/// Everything that is wrong with the course, one line each.
std::vector<std::string> complaints_of(const CourseReport& report) {
  std::vector<std::string> all;
  for (const AssignmentReport& each : report.assignments) {
    if (!each.error.empty()) {
      for (const std::string& line : split(trim(each.error), '\n')) all.push_back(line);
    }
    for (const std::string& complaint : complaints_of(each))
      all.push_back(fmt::format("{}: {}", each.slug, complaint));
  }
  all.insert(all.end(), report.complaints.begin(), report.complaints.end());
  return all;
}

/// What a quick proof left out; empty for a whole one.
std::string quick_text(const CourseReport& report) {
  size_t graded = 0, left_out = 0;
  for (const AssignmentReport& each : report.assignments) {
    graded += each.rows.size();
    left_out += each.left_out;
  }
  if (left_out == 0) return "";
  return fmt::format(
      "quick: {} of {} known submissions were graded, which lose every item that all of them lose; "
      "without --quick, all are\n",
      graded, graded + left_out);
}

constexpr const char* kProofLegend =
    "reference, skeleton: points; mutants, class, accepted, cheats: as they should be/all; kinds: "
    "of\nmistakes; items: that some wrong answer loses by itself/all; margin: largest error of the "
    "reference\nas a fraction of the tolerance; seconds: of all tasks together\n";
constexpr const char* kCaseLegend =
    "zeros, poison (0xFF), a copy of an input, the answer to another seed, the answer in half "
    "precision:\n"
    "cases that refuse it/cases where it is wrong\n";
constexpr const char* kRefusalLegend =
    "accepted: taken for right, although it is wrong; same: it is right here; none: there is no "
    "such answer\n";

constexpr const char* kCoverageLegend =
    "left out: an item gives the reason under 'leaves_out'; -: no case of the kind writes the "
    "array\n";

/// After a mistake that a checker found a GPU may do anything; and what cheats attacks the record of one
/// device or the other, so that its grade is what counts.
bool is_explained(const CourseRow& row, const Disagreement& each) {
  return !each.checker.empty() || row.role == Role::kExploit;
}

long explained_in(const AssignmentReport& report) {
  long count = 0;
  for (const CourseRow& row : report.rows) {
    count += std::count_if(row.disagreements.begin(), row.disagreements.end(),
                           [&](const Disagreement& each) { return is_explained(row, each); });
  }
  return count;
}

/// One line each: what an emulated device and a GPU did not say the same about, and nothing says why.
std::vector<std::string> disagreements_of(const AssignmentReport& report) {
  std::vector<std::string> all;
  for (const CourseRow& row : report.rows) {
    for (const Disagreement& each : row.disagreements) {
      if (is_explained(row, each)) continue;
      all.push_back(fmt::format("{} {}, {} in {}: emulated: {}; on the GPU: {}",
                                to_string(row.role), row.name, each.item_id, each.case_id,
                                split(each.emulated, '\n').front(), split(each.gpu, '\n').front()));
    }
  }
  return all;
}

/// One line each: submissions of which a GPU recorded nothing in some case.
std::vector<std::string> unobserved_of(const AssignmentReport& report) {
  std::vector<std::string> all;
  for (const CourseRow& row : report.rows) {
    if (row.unobserved.empty()) continue;
    all.push_back(fmt::format(
        "{} {}: nothing was recorded on the GPU in {}, first in {}: {}", to_string(row.role),
        row.name, counted(static_cast<long>(row.unobserved.size()), "case"),
        row.unobserved.front().case_id, split(row.unobserved.front().why, '\n').front()));
  }
  return all;
}

/// How often both devices judged the same, where a GPU judged at all.
std::string agreement_text(const CourseReport& report) {
  std::string text;
  const long compared = report.compared();
  long different = 0, explained = 0;
  for (const AssignmentReport& each : report.assignments) {
    const std::vector<std::string> lines = disagreements_of(each);
    different += static_cast<long>(lines.size());
    explained += explained_in(each);
    for (const std::string& line : lines) text += fmt::format("{}: {}\n", each.slug, line);
    for (const std::string& line : unobserved_of(each))
      text += fmt::format("{}: {}\n", each.slug, line);
  }
  if (compared == 0) return text;
  text += fmt::format("{} of {} verdicts are the same on the GPU", compared - different - explained,
                      compared - explained);
  if (explained > 0)
    text += fmt::format(
        "; not counted: {} in cases in which a checker found a mistake, or of programs that cheat",
        explained);
  return text + "\n";
}

ordered_json to_json(const CourseRow& row) {
  ordered_json json = {{"role", to_string(row.role)}, {"name", row.name},
                       {"class", row.mutant_class},   {"score", row.score},
                       {"max_score", row.max_score},  {"lost", row.lost},
                       {"complaint", row.complaint},  {"wall_s", row.wall_s}};
  if (!row.unobserved.empty()) {
    ordered_json unobserved = ordered_json::array();
    for (const Unobserved& each : row.unobserved) unobserved.push_back(to_json(each));
    json["unobserved"] = unobserved;
  }
  if (row.compared.empty()) return json;
  ordered_json disagreements = ordered_json::array();
  for (const Disagreement& each : row.disagreements) disagreements.push_back(to_json(each));
  json["compared"] = row.compared;
  json["disagreements"] = disagreements;
  return json;
}

ordered_json to_json(const CaseProof& proof) {
  ordered_json json = {{"id", proof.case_id}};
  for (size_t i = 0; i < kWrongAnswers; ++i)
    json[std::string(to_string(static_cast<WrongAnswer>(i)))] = to_string(proof.receptions[i]);
  return json;
}

ordered_json to_json(const CoverageTable& table) {
  ordered_json rows = ordered_json::array();
  for (const CoverageRow& row : table.rows) {
    ordered_json kinds = ordered_json::object();
    for (const auto& [kind, coverage] : row.kinds) kinds[kind] = to_string(coverage);
    rows.push_back({{"what", row.what}, {"items", row.items}, {"kinds", kinds}});
  }
  return rows;
}

ordered_json to_json(const AssignmentReport& report) {
  ordered_json submissions = ordered_json::array(), cases = ordered_json::array();
  for (const CourseRow& row : report.rows) submissions.push_back(to_json(row));
  for (const CaseProof& proof : report.cases) cases.push_back(to_json(proof));
  const MutantCount mutants = count_mutants(report.rows);
  return {{"assignment", report.slug},
          {"ok", report.ok()},
          {"error", report.error},
          {"complaints", report.complaints},
          {"mutants",
           {{"all", mutants.mutants}, {"caught", mutants.caught}, {"classes", mutants.classes}}},
          {"items", report.items},
          {"unproved", report.unproved},
          {"left_out", report.left_out},
          {"margin",
           {{"used", report.margin.used},
            {"item", report.margin.item_id},
            {"case", report.margin.case_id}}},
          {"coverage", to_json(report.coverage)},
          {"busy_s", report.busy_s},
          {"submissions", submissions},
          {"cases", cases}};
}

ordered_json to_json(const CourseReport& report) {
  ordered_json assignments = ordered_json::array();
  for (const AssignmentReport& each : report.assignments) assignments.push_back(to_json(each));
  return {{"schema", kJsonSchema}, {"ok", report.ok()},       {"complaints", report.complaints},
          {"seed", report.seed},   {"wall_s", report.wall_s}, {"assignments", assignments}};
}

}  // namespace

std::string format_course(const CourseReport& report) {
  std::string text;
  for (const std::string& complaint : complaints_of(report)) text += complaint + "\n";
  text += agreement_text(report);
  if (!text.empty()) text += "\n";
  std::vector<Row> proofs = {kProofHead}, cases = {kCaseHead};
  std::string unproved;
  int mutants = 0, caught = 0;
  for (const AssignmentReport& each : report.assignments) {
    proofs.push_back(proof_row(each));
    if (each.error.empty()) cases.push_back(case_row(each));
    mutants += count_mutants(each.rows).mutants;
    caught += count_mutants(each.rows).caught;
    if (!each.unproved.empty())
      unproved +=
          fmt::format("{}: lost by no wrong answer: {}\n", each.slug, join(each.unproved, ", "));
  }
  text += format_table(cases) + kCaseLegend + "\n" + format_table(proofs) + kProofLegend + unproved;
  text += quick_text(report);
  return text + fmt::format(
                    "{} of {} assignments proved, {} of {} mutants caught, in {:.0f} s "
                    "(seed {})\n",
                    std::count_if(report.assignments.begin(), report.assignments.end(),
                                  [](const AssignmentReport& each) { return each.ok(); }),
                    report.assignments.size(), caught, mutants, report.wall_s, report.seed);
}

namespace {

/// How many wrong answers ran only where an earlier seed had shown their losses.
std::string about_telling_cases(const CourseReport& report) {
  size_t all = 0, telling = 0;
  for (const AssignmentReport& each : report.assignments) {
    all += each.rows.size();
    for (const CourseRow& row : each.rows) telling += row.in_telling_cases;
  }
  if (telling == 0) return "";
  return fmt::format(
      "; {} of {} submissions ran only the cases that had shown their losses under an earlier seed",
      telling, all);
}

}  // namespace

std::string format_wrong(const CourseReport& report) {
  std::vector<std::string> all = complaints_of(report);
  for (const AssignmentReport& each : report.assignments) {
    for (const std::string& line : disagreements_of(each))
      all.push_back(fmt::format("{}: {}", each.slug, line));
  }
  std::string text;
  for (const std::string& line : all) text += fmt::format("seed {}: {}\n", report.seed, line);
  return text + fmt::format("seed {}: {} in {:.0f} s{}\n", report.seed,
                            report.ok() ? "all was proved" : "not all was proved", report.wall_s,
                            about_telling_cases(report));
}

std::string format_seeds(const std::vector<CourseReport>& reports) {
  std::vector<std::string> unproved;
  std::set<std::string> wrong;
  for (const CourseReport& report : reports) {
    if (!report.ok()) unproved.push_back(std::to_string(report.seed));
    for (const AssignmentReport& each : report.assignments) {
      if (!each.ok()) wrong.insert(each.slug);
    }
  }
  const size_t assignments = reports.front().assignments.size();
  return fmt::format(
      "all was proved under {} of {} seeds ({} to {}){}; {} of {} assignments under every seed\n",
      reports.size() - unproved.size(), reports.size(), reports.front().seed, reports.back().seed,
      unproved.empty() ? "" : ", not under " + join(unproved, ", "), assignments - wrong.size(),
      assignments);
}

namespace {

/// A row for each rule, metric and array, a column for each kind of cases.
std::string coverage_text(const CoverageTable& table) {
  if (table.rows.empty()) return "";
  std::vector<Row> rows = {{"judged in cases of kind"}};
  for (const std::string& kind : table.kinds) rows.front().push_back(kind);
  for (const CoverageRow& row : table.rows) {
    rows.push_back({fmt::format("{} ({})", row.what, join(row.items, ", "))});
    for (const std::string& kind : table.kinds) {
      const auto found = row.kinds.find(kind);
      rows.back().emplace_back(found == row.kinds.end() ? "-" : to_string(found->second));
    }
  }
  return "\n" + format_table(std::move(rows)) + kCoverageLegend;
}

}  // namespace

std::string format_assignment(const AssignmentReport& report) {
  std::string text;
  size_t width = 0;
  for (const CourseRow& row : report.rows) width = std::max(width, row.name.size());
  for (const CourseRow& row : report.rows) {
    text +=
        fmt::format("{:<9}  {:<{}}  {:>2}  {:>5} of {}  {}\n", to_string(row.role), row.name, width,
                    row.mutant_class, format_points(row.score), format_points(row.max_score),
                    row.ok() ? "as it should" : "WRONG: " + row.complaint);
  }
  if (report.cases.empty()) return text + coverage_text(report.coverage) + "\n";
  std::vector<Row> rows = {{"case"}};
  for (size_t i = 0; i < kWrongAnswers; ++i)
    rows.front().emplace_back(to_string(static_cast<WrongAnswer>(i)));
  for (const CaseProof& proof : report.cases) {
    rows.push_back({proof.case_id});
    for (const Reception reception : proof.receptions)
      rows.back().emplace_back(to_string(reception));
  }
  return text + "\n" + format_table(rows) + kRefusalLegend + coverage_text(report.coverage) + "\n";
}

std::string format_course_json(const CourseReport& report) {
  return to_json(report).dump(2) + "\n";
}

std::string format_seeds_json(const std::vector<CourseReport>& reports) {
  ordered_json seeds = ordered_json::array();
  bool ok = true;
  for (const CourseReport& report : reports) {
    seeds.push_back(to_json(report));
    ok = ok && report.ok();
  }
  return ordered_json{{"schema", kJsonSchema}, {"ok", ok}, {"seeds", seeds}}.dump(2) + "\n";
}

}  // namespace warpgrade
