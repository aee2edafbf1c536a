// SPDX-License-Identifier: MIT
#include "pipeline/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "base/parallel.h"
#include "base/text.h"
#include "pipeline/attempts.h"
#include "pipeline/folder_lock.h"
#include "pipeline/kept_submissions.h"
#include "report/changes.h"
#include "report/csv.h"
#include "report/fault.h"

namespace warpgrade {
namespace {

/// A stored result whose inputs were the same.
bool is_up_to_date(const SubmissionGrader& grader, const SubmissionResult& stored,
                   const Submission& submission) {
  // What was measured on a GPU is not given up for a model of one.
  return !stored.has_system_error() && (stored.device_kind == "gpu" || !grader.is_on_gpu()) &&
         stored.inputs == grader.input_hashes(submission);
}

std::string submission_hash(const SubmissionResult& result) {
  const auto found = result.inputs.find("submission");
  return found == result.inputs.end() ? "" : found->second;
}

/// Whether `submission` holds nothing to grade, and the result that it would replace has points for another one.
bool would_lose_points(const Submission& submission, const SubmissionResult& before,
                       const Versions& hashes) {
  const auto hash = hashes.find("submission");
  const bool is_same_work = hash != hashes.end() && submission_hash(before) == hash->second;
  return !submission.problem.empty() && !is_same_work &&
         std::any_of(before.items.begin(), before.items.end(),
                     [&](const ItemResult& item) { return judged_item(before, item).points > 0; });
}

/// By the time that is given, or else by the one that was `known` before.
std::optional<Lateness> lateness_of(const SubmissionResult& result, const LatePolicy& policy,
                                    const SubmissionTimes& times,
                                    const std::optional<Lateness>& known) {
  const auto found = times.by_student.find(result.student);
  const bool is_given = found != times.by_student.end();
  if (!is_given && !known) return std::nullopt;
  std::optional<Lateness> late =
      judge_lateness(policy, result.assignment, result.student,
                     is_given ? found->second : known->submitted, result.undiminished_score());
  if (late) late->source = is_given ? times.source : known->source;
  return late;
}

/// Grades into a folder, whose files all threads write.
class ClassGrading {
 public:
  ClassGrading(const SubmissionGrader& grader, const std::vector<Submission>& submissions,
               const GradeOptions& options, const Progress& progress)
      : grader_(grader),
        submissions_(submissions),
        options_(options),
        progress_(progress),
        folder_(options.output, grader.rubric().assignment),
        kept_(options.output, grader.rubric().submission),
        attempts_(options.output),
        results_(submissions.size()) {}

  GradedClass run();

 private:
  /// A submission and how many graders did not survive it.
  struct Suspect {
    size_t index;
    int failed;
  };
  std::vector<Suspect> suspects() const;
  void grade_one(size_t index, int slot, int failed);
  void grade_one(const Submission& submission, const std::optional<SubmissionResult>& before,
                 size_t index, int slot, int failed);
  void let_stand(const SubmissionResult& before, size_t index, int slot, int failed);
  std::optional<SubmissionResult> earlier(const Submission& submission);
  Status keep(const Submission& submission, const SubmissionResult& result, bool is_stored);
  void complete(const SubmissionResult& result, const std::optional<SubmissionResult>& before);
  void give_up(const Error& error);
  bool is_over() const { return options_.stopped() || has_failed_; }
  void finish();

  const SubmissionGrader& grader_;
  const std::vector<Submission>& submissions_;
  const GradeOptions& options_;
  const Progress& progress_;
  const ResultsFolder folder_;
  const KeptSubmissions kept_;
  const Attempts attempts_;
  std::vector<SubmissionResult> results_;
  std::mutex mutex_;  ///< for what follows, and the calls of `progress`
  GradedClass graded_;
  size_t done_ = 0;
  std::atomic<bool> has_failed_ = false;
};

GradedClass ClassGrading::run() {
  const std::vector<Suspect> suspects = this->suspects();
  std::vector<bool> is_suspect(submissions_.size());
  for (const Suspect& each : suspects) is_suspect[each.index] = true;
  in_parallel(submissions_.size(), options_.jobs, [&](size_t index, int slot) {
    if (!is_over() && !is_suspect[index]) grade_one(index, slot, 0);
  });
  // Alone, so that one that brings the grader down makes no other one suspect.
  for (const Suspect& each : suspects) {
    if (!is_over()) grade_one(each.index, 0, each.failed);
  }
  const auto is_ungraded = [](const SubmissionResult& result) { return result.student.empty(); };
  results_.erase(std::remove_if(results_.begin(), results_.end(), is_ungraded), results_.end());
  graded_.results = std::move(results_);
  if (!options_.is_trial) finish();
  return std::move(graded_);
}

/// The less suspect come first.
std::vector<ClassGrading::Suspect> ClassGrading::suspects() const {
  std::vector<Suspect> found;
  for (size_t i = 0; i < submissions_.size(); ++i) {
    const int failed = attempts_.failed(submissions_[i].student);
    if (failed > 0) found.push_back({i, failed});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Suspect& a, const Suspect& b) { return a.failed < b.failed; });
  return found;
}

/// The result of an earlier run, whatever it was graded with.
std::optional<SubmissionResult> ClassGrading::earlier(const Submission& submission) {
  StoredResult stored = folder_.stored(submission.student);
  if (!stored.damage.empty()) {
    const Status aside = options_.is_trial ? Status() : folder_.put_aside(submission.student);
    const std::lock_guard lock(mutex_);
    graded_.regraded.push_back({submission.student, stored.damage});
    if (!aside && !graded_.not_written) graded_.not_written = aside.error();
  }
  return std::move(stored.result);
}

void ClassGrading::grade_one(size_t index, int slot, int failed) {
  const Submission& submission = submissions_[index];
  const std::optional<SubmissionResult> before = earlier(submission);
  if (before && would_lose_points(submission, *before, grader_.input_hashes(submission)))
    let_stand(*before, index, slot, failed);
  else
    grade_one(submission, before, index, slot, failed);
}

/// What was handed in earlier stays what is graded.
void ClassGrading::let_stand(const SubmissionResult& before, size_t index, int slot, int failed) {
  const Submission& now = submissions_[index];
  Result<Submission> kept = kept_.read(now.student);
  {
    const std::lock_guard lock(mutex_);
    graded_.left_standing.push_back({now.student, now.problem.text});
    if (!kept) {
      complete(before, before);
      results_[index] = before;
      return;
    }
  }
  kept->identity = before.identity;
  kept->identity.complete_by(now.identity);
  grade_one(*kept, before, index, slot, failed);
}

void ClassGrading::grade_one(const Submission& submission,
                             const std::optional<SubmissionResult>& before, size_t index, int slot,
                             int failed) {
  const bool is_current = before && !options_.force && is_up_to_date(grader_, *before, submission);
  if (!is_current && failed >= kMostAttempts && !options_.retry_parked) {
    const std::lock_guard lock(mutex_);
    graded_.parked.push_back(submission.student);
    return;
  }
  if (!is_current && !options_.is_trial) {
    if (Status begun = attempts_.begin(submission.student); !begun) return give_up(begun.error());
  }
  if (!is_current) options_.begun(submission.student);
  SubmissionResult result = is_current ? *before : grader_.grade(submission, slot);
  // A stored result may be up to date in all but its time of submission, the names of its student and decisions.
  result.identity = submission.identity;
  if (before) result.identity.complete_by(before->identity);
  const bool is_same_work = before && submission_hash(*before) == submission_hash(result);
  apply_decisions(result, decisions_for(options_.decisions, submission.student));
  // A time that is given is that of what was handed in now.
  const bool is_now = &submission == &submissions_[index];
  result.set_late(lateness_of(result, grader_.rubric().late,
                              is_now ? options_.times : SubmissionTimes(),
                              is_same_work ? before->late : std::nullopt));
  const bool is_stored = is_current && before->late == result.late &&
                         before->identity == result.identity &&
                         before->decisions == result.decisions;
  if (Status written = keep(submission, result, is_stored); !written)
    return give_up(written.error());
  const std::lock_guard lock(mutex_);
  complete(result, before);
  results_[index] = std::move(result);
}

Status ClassGrading::keep(const Submission& submission, const SubmissionResult& result,
                          bool is_stored) {
  if (options_.is_trial) return {};
  Status written = kept_.keep(submission);
  if (written && !is_stored) written = folder_.write(result);
  if (written) written = folder_.write_report(result);
  if (written) attempts_.end(submission.student);
  return written;
}

void ClassGrading::complete(const SubmissionResult& result,
                            const std::optional<SubmissionResult>& before) {
  const std::string change = before ? describe_change(*before, result) : "";
  if (!change.empty()) graded_.changes[result.student] = change;
  progress_(result, ++done_, submissions_.size());
}

/// What cannot be kept need not be graded: a disk that is full now is full for the next one too.
void ClassGrading::give_up(const Error& error) {
  const std::lock_guard lock(mutex_);
  has_failed_ = true;
  if (!graded_.not_written) graded_.not_written = error;
}

void ClassGrading::finish() {
  graded_.versions = grader_.versions();
  const Status written = write_grades(options_.output, grader_.rubric().assignment, graded_);
  if (!written && !graded_.not_written) graded_.not_written = written.error();
}

class BenchGrader final : public SubmissionGrader {
 public:
  explicit BenchGrader(const Bench& bench) : bench_(bench) {}

  const Rubric& rubric() const override { return bench_.rubric(); }
  bool is_on_gpu() const override { return bench_.is_on_gpu(); }
  Versions input_hashes(const Submission& submission) const override {
    return bench_.input_hashes(submission);
  }
  Versions versions() const override { return bench_.versions(); }
  SubmissionResult grade(const Submission& submission, int slot) const override {
    return bench_.grade(submission, slot);
  }

 private:
  const Bench& bench_;
};

}  // namespace

GradedClass grade_class(const SubmissionGrader& grader, const std::vector<Submission>& submissions,
                        const GradeOptions& options, const Progress& progress) {
  return ClassGrading(grader, submissions, options, progress).run();
}

Result<GradedClass> grade(const Installation& installation, const Rubric& rubric,
                          const std::vector<Submission>& submissions, const GradeOptions& options,
                          const Progress& progress) {
  const ResultsFolder folder(options.output, rubric.assignment);
  if (Status ours = folder.refuse_others(); !ours) return ours.error();
  const Result<uint64_t> seed = options.seed ? Result<uint64_t>(*options.seed) : folder.seed();
  if (!seed) return seed.error();
  const size_t slots = std::min(static_cast<size_t>(options.jobs), submissions.size());
  const Result<std::unique_ptr<Bench>> bench =
      Bench::open(installation, rubric, *seed, std::max(1, static_cast<int>(slots)));
  if (!bench) return bench.error();
  return grade_class(BenchGrader(**bench), submissions, options, progress);
}

Status write_grades(const fs::path& output, const std::string& assignment, GradedClass& graded) {
  // Where shards end at once, the last one to write has seen the results of all.
  const FolderLock lock(output);
  graded.unread.clear();
  graded.whole = whole_class(output, assignment, graded.results, &graded.unread);
  const std::string table = format_csv(graded.whole, graded.versions);
  const Status written = RealFiles().write(output / "grades.csv", table);
  return written ? ResultsFolder(output, assignment).write_class_page(graded.whole) : written;
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
