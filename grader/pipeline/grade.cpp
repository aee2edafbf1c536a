// SPDX-License-Identifier: MIT
#include "pipeline/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/parallel.h"
#include "base/text.h"
#include "report/csv.h"

namespace warpgrade {
namespace {

/// A stored result whose inputs were the same.
bool is_up_to_date(const Bench& bench, const SubmissionResult& stored,
                   const Submission& submission) {
  // What was measured on a GPU is not given up for a model of one.
  return !stored.has_system_error() && (stored.device_kind == "gpu" || !bench.is_on_gpu()) &&
         stored.inputs == bench.input_hashes(submission);
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

/// Grades into a folder, whose files all threads write.
class ClassGrading {
 public:
  ClassGrading(const Bench& bench, const std::vector<Submission>& submissions,
               const GradeOptions& options, const Progress& progress)
      : bench_(bench),
        submissions_(submissions),
        options_(options),
        progress_(progress),
        folder_(options.output, bench.rubric().assignment),
        results_(submissions.size()) {}

  GradedClass run();

 private:
  void grade_one(size_t index, int slot);
  std::optional<SubmissionResult> known(const Submission& submission);
  bool is_over() const { return options_.stopped() || has_failed_; }
  void finish();

  const Bench& bench_;
  const std::vector<Submission>& submissions_;
  const GradeOptions& options_;
  const Progress& progress_;
  const ResultsFolder folder_;
  std::vector<SubmissionResult> results_;
  std::mutex mutex_;  ///< for what follows, and the calls of `progress`
  GradedClass graded_;
  size_t done_ = 0;
  std::atomic<bool> has_failed_ = false;
};

GradedClass ClassGrading::run() {
  in_parallel(submissions_.size(), options_.jobs, [this](size_t index, int slot) {
    if (!is_over()) grade_one(index, slot);
  });
  const auto is_ungraded = [](const SubmissionResult& result) { return result.student.empty(); };
  results_.erase(std::remove_if(results_.begin(), results_.end(), is_ungraded), results_.end());
  graded_.results = std::move(results_);
  finish();
  return std::move(graded_);
}

/// The result of an earlier run, where it is up to date.
std::optional<SubmissionResult> ClassGrading::known(const Submission& submission) {
  StoredResult stored = folder_.stored(submission.student);
  if (!stored.damage.empty()) {
    const Status aside = folder_.put_aside(submission.student);
    const std::lock_guard lock(mutex_);
    graded_.regraded.push_back({submission.student, stored.damage});
    if (!aside && !graded_.not_written) graded_.not_written = aside.error();
  }
  const bool is_usable =
      !options_.force && stored.result && is_up_to_date(bench_, *stored.result, submission);
  return is_usable ? std::move(stored.result) : std::nullopt;
}

void ClassGrading::grade_one(size_t index, int slot) {
  const Submission& submission = submissions_[index];
  const std::optional<SubmissionResult> stored = known(submission);
  SubmissionResult result = stored ? *stored : bench_.grade(submission, slot);
  // A stored result may be up to date in all but its time of submission and the names of its student.
  result.identity = submission.identity;
  result.set_late(lateness_of(result, bench_.rubric().late, options_.times));
  const bool is_stored =
      stored && stored->late == result.late && stored->identity == result.identity;
  Status written = is_stored ? Status() : folder_.write(result);
  if (written) written = folder_.keep_source(result, submission.source);
  if (written) written = folder_.write_report(result);
  const std::lock_guard lock(mutex_);
  if (!written) {
    // What cannot be kept need not be graded: a disk that is full now is full for the next one too.
    has_failed_ = true;
    if (!graded_.not_written) graded_.not_written = written.error();
    return;
  }
  progress_(result, ++done_, submissions_.size());
  results_[index] = std::move(result);
}

void ClassGrading::finish() {
  const std::string& assignment = bench_.rubric().assignment;
  graded_.versions = bench_.versions();
  graded_.whole = whole_class(options_.output, assignment, graded_.results, &graded_.unread);
  const std::string table = format_csv(graded_.whole, graded_.versions);
  Status written = RealFiles().write(options_.output / "grades.csv", table);
  if (written) written = folder_.write_class_page(graded_.whole);
  if (!written && !graded_.not_written) graded_.not_written = written.error();
}

}  // namespace

Result<GradedClass> grade(const Installation& installation, const Rubric& rubric,
                          const std::vector<Submission>& submissions, const GradeOptions& options,
                          const Progress& progress) {
  const ResultsFolder folder(options.output, rubric.assignment);
  if (Status ours = folder.refuse_others(); !ours) return ours.error();
  const Result<uint64_t> seed = options.seed ? Result<uint64_t>(*options.seed) : folder.seed();
  if (!seed) return seed.error();
  const Result<std::unique_ptr<Bench>> bench =
      Bench::open(installation, rubric, *seed, options.jobs);
  if (!bench) return bench.error();
  return ClassGrading(**bench, submissions, options, progress).run();
}

std::vector<SubmissionResult> whole_class(const fs::path& output, const std::string& assignment,
                                          const std::vector<SubmissionResult>& results,
                                          std::vector<DamagedResult>* unread) {
  std::map<std::string, SubmissionResult> students;
  for (const SubmissionResult& result : results) students[result.student] = result;
  const ResultsFolder folder(output, assignment);
  for (const std::string& student : folder.students()) {
    if (students.count(student) != 0) continue;
    StoredResult stored = folder.stored(student);
    if (!stored.result) {
      if (unread != nullptr && !stored.damage.empty()) unread->push_back({student, stored.damage});
    } else if (stored.result->assignment == assignment) {
      students[student] = std::move(*stored.result);
    }
  }
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
