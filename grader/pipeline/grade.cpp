// SPDX-License-Identifier: MIT
#include "pipeline/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

#include "base/parallel.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

/// DIR's seed: kept so that a batch that goes on later sees the same inputs.
Result<uint64_t> seed_of(const fs::path& output) {
  RealFiles files;
  const fs::path path = output / "seed";
  if (files.exists(path)) {
    const Result<std::string> text = files.read(path, 64);
    if (!text) return text.error();
    return static_cast<uint64_t>(std::strtoull(text->c_str(), nullptr, 16));
  }
  const uint64_t seed = fresh_seed();
  if (Status written = files.write(path, fmt::format("{:016x}\n", seed)); !written)
    return written.error();
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, ignored);
  return seed;
}

fs::path result_path(const fs::path& output, const std::string& student) {
  return output / "results" / (student + ".json");
}

/// The result, and what of it the student may read.
Status write_result(const fs::path& output, const SubmissionResult& result, bool is_stored) {
  RealFiles files;
  if (!is_stored) {
    const Status written = files.write(result_path(output, result.student), format_json(result));
    if (!written) return written;
  }
  return files.write(output / "students" / (result.student + ".txt"),
                     format_report(for_student(result)));
}

/// A result of an earlier run whose inputs were the same.
std::optional<SubmissionResult> up_to_date(const Bench& bench, const fs::path& output,
                                           const Submission& submission) {
  const Result<std::string> text = RealFiles().read(result_path(output, submission.student));
  if (!text) return std::nullopt;
  Result<SubmissionResult> stored = parse_result(*text);
  // What was measured on a GPU is not given up for a model of one.
  const bool same = stored.ok() && !stored->has_system_error() &&
                    (stored->device_kind == "gpu" || !bench.is_on_gpu()) &&
                    stored->inputs == bench.input_hashes(submission);
  return same ? std::optional(*stored) : std::nullopt;
}

/// By the time that is given, or else by the one that the stored result knows.
std::optional<Lateness> lateness_of(const SubmissionResult& result, const LatePolicy& policy,
                                    const SubmissionTimes& times) {
  const auto found = times.by_student.find(result.student);
  const bool is_given = found != times.by_student.end();
  if (!is_given && !result.late) return std::nullopt;
  std::optional<Lateness> late = judge_lateness(policy, result.assignment, result.student,
                                                is_given ? found->second : result.late->submitted,
                                                result.undiminished_score());
  if (late) late->source = is_given ? times.source : result.late->source;
  return late;
}

}  // namespace

uint64_t fresh_seed() {
  std::random_device entropy;
  return (static_cast<uint64_t>(entropy()) << 32) | entropy();
}

Result<std::vector<SubmissionResult>> grade(const Installation& installation, const Rubric& rubric,
                                            const std::vector<Submission>& submissions,
                                            const GradeOptions& options, const Progress& progress) {
  const Result<uint64_t> seed =
      options.seed ? Result<uint64_t>(*options.seed) : seed_of(options.output);
  if (!seed) return seed.error();
  const Result<std::unique_ptr<Bench>> bench =
      Bench::open(installation, rubric, *seed, options.jobs);
  if (!bench) return bench.error();

  std::vector<SubmissionResult> results(submissions.size());
  std::mutex reporting;
  size_t done = 0;
  std::optional<Error> disk_error;
  in_parallel(submissions.size(), options.jobs, [&](size_t index, int slot) {
    if (options.stopped()) return;
    const Submission& submission = submissions[index];
    std::optional<SubmissionResult> known =
        options.force ? std::nullopt : up_to_date(**bench, options.output, submission);
    SubmissionResult result = known ? *known : (*bench)->grade(submission, slot);
    // A stored result may be up to date in all but its time of submission.
    result.set_late(lateness_of(result, rubric.late, options.times));
    const bool is_stored = known && known->late == result.late;
    const Status written = write_result(options.output, result, is_stored);
    const std::lock_guard lock(reporting);
    if (!written) disk_error = written.error();
    progress(result, ++done, submissions.size());
    results[index] = std::move(result);
  });
  if (disk_error) return *disk_error;
  const auto is_ungraded = [](const SubmissionResult& result) { return result.student.empty(); };
  results.erase(std::remove_if(results.begin(), results.end(), is_ungraded), results.end());
  const std::string table = format_csv(whole_class(options.output, rubric.assignment, results));
  if (Status written = RealFiles().write(options.output / "grades.csv", table); !written)
    return written.error();
  return results;
}

std::vector<SubmissionResult> whole_class(const fs::path& output, const std::string& assignment,
                                          const std::vector<SubmissionResult>& results) {
  std::map<std::string, SubmissionResult> students;
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(output / "results");
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (fs::path(name).extension() != ".json") continue;
    const Result<std::string> text = files.read(output / "results" / name);
    Result<SubmissionResult> stored = text ? parse_result(*text) : text.error();
    if (stored && stored->assignment == assignment) students[stored->student] = *stored;
  }
  for (const SubmissionResult& result : results) students[result.student] = result;
  std::vector<SubmissionResult> all;
  for (auto& [student, result] : students) all.push_back(std::move(result));
  return all;
}

Result<std::vector<SubmissionResult>> grade_all(const Installation& installation,
                                                const Rubric& rubric,
                                                const std::vector<Submission>& submissions,
                                                int jobs, uint64_t seed) {
  const Result<std::unique_ptr<Bench>> bench = Bench::open(installation, rubric, seed, jobs);
  if (!bench) return bench.error();
  std::vector<SubmissionResult> results(submissions.size());
  in_parallel(submissions.size(), jobs, [&](size_t index, int slot) {
    results[index] = (*bench)->grade(submissions[index], slot);
  });
  return results;
}

Rubric student_view(const Rubric& rubric, const std::vector<std::string>& case_ids) {
  const auto contains = [](const std::vector<std::string>& list, const std::string& id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  Rubric view = rubric;
  const auto hidden = [&](const Case& each) {
    return each.visibility == Visibility::kHidden ||
           (!case_ids.empty() && !contains(case_ids, each.id));
  };
  view.cases.erase(std::remove_if(view.cases.begin(), view.cases.end(), hidden), view.cases.end());
  for (Item& item : view.items) {
    const auto gone = [&](const std::string& id) { return view.find_case(id) == nullptr; };
    item.cases.erase(std::remove_if(item.cases.begin(), item.cases.end(), gone), item.cases.end());
  }
  const auto empty = [](const Item& item) {
    return item.kind != ItemKind::kBuild && item.cases.empty();
  };
  view.items.erase(std::remove_if(view.items.begin(), view.items.end(), empty), view.items.end());
  return view;
}

}  // namespace warpgrade
