// SPDX-License-Identifier: MIT
#include "course/assignment_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "check/array_folder.h"
#include "check/compare.h"
#include "course/course_parts.h"
#include "course/handout.h"
#include "course/handout_table.h"
#include "course/leaks.h"
#include "course/rubric_proof.h"
#include "course/telling_cases.h"
#include "course/unfinished.h"
#include "pipeline/oracle.h"
#include "rubric/translation.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

// The same in every run, so that what is found is found again.
constexpr uint64_t kCaseSeed = 1, kOtherSeed = 2;
constexpr double kMostToleranceUsed = 0.5;

std::vector<RunStep> compared_steps(const Rubric& rubric) {
  std::vector<RunStep> steps;
  for (const Step& step : make_plan(rubric, Submission{}, Target::kEmulated).steps) {
    const auto* run = std::get_if<RunStep>(&step);
    if (run != nullptr && is_compared(rubric, run->case_id)) steps.push_back(*run);
  }
  return steps;
}

Result<CaseAnswers> answers_to(const std::string& case_id, const CaseStore& cases,
                               const CaseStore& others) {
  const Result<CaseData>&one = cases.get(case_id), &other = others.get(case_id);
  if (!one) return one.error();
  if (!other) return other.error();
  Result<Arrays> inputs = read_arrays(RealFiles(), one->inputs);
  if (!inputs) return inputs.error();
  return CaseAnswers{std::move(*inputs), one->expected, other->expected};
}

std::string stale_table(const fs::path& page) {
  return fmt::format(
      "{}: its table is not the rubric's: write it anew with `warpgrade check --write`",
      page.string());
}

bool loses_something(const KnownSubmission& known) {
  return known.role == Role::kMutant || known.role == Role::kClass ||
         known.role == Role::kExploit || known.role == Role::kSkeleton;
}

}  // namespace

bool AssignmentReport::ok() const {
  return !is_partial && error.empty() && complaints.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const CourseRow& row) { return row.ok(); });
}

AssignmentCheck::AssignmentCheck(const Installation& installation, std::string slug, uint64_t seed,
                                 ProofScope scope, AssignmentMemory* memory)
    : installation_(installation),
      seed_(seed),
      scope_(scope),
      memory_(memory == nullptr ? own_memory_ : *memory),
      verdicts_(memory == nullptr ? nullptr : &memory->verdicts) {
  report_.slug = std::move(slug);
  if (Status ready = prepare(); !ready) {
    report_.error = ready.error().message;
    known_.clear();
  }
}

Status AssignmentCheck::prepare() {
  const Paths& paths = installation_.paths;
  const RealFiles files;
  if (Status known = require_rubric(files, paths.course, report_.slug); !known) return known;
  Result<Rubric> rubric = read_rubric(files, paths.rubric(report_.slug));
  if (!rubric) return rubric.error();
  rubric_ = std::move(*rubric);
  const Status whole = require_parts(files, paths.course, report_.slug,
                                     parts_for_proof(report_.slug, rubric_.submission));
  if (!whole) return whole;
  report_.items = rubric_.items.size();
  if (Result<fs::path> oracle = oracle_of(installation_, report_.slug); !oracle)
    return oracle.error();
  Result<std::vector<KnownSubmission>> known = read_known_submissions(
      files, {paths.reference(report_.slug), paths.skeleton(report_.slug)}, rubric_);
  if (!known) return known.error();
  const size_t all = known->size();
  known_ = scope_ == ProofScope::kQuick ? quick_set(rubric_, std::move(*known)) : std::move(*known);
  report_.left_out = all - known_.size();
  report_.rows.resize(known_.size());
  report_.complaints = complaints_about_rubric(rubric_);
  check_table();
  return {};
}

void AssignmentCheck::complain(const std::string& what) {
  const std::lock_guard guard(lock_);
  report_.complaints.push_back(what);
}

std::vector<std::string> AssignmentCheck::search_handout() const {
  const fs::path& course = installation_.paths.course;
  const Result<FileTree> handout = handout_files(installation_.paths, {report_.slug});
  if (!handout) return {handout.error().message};
  const Result<HandoutTexts> texts =
      handout_texts(*handout, RealFiles(), course, report_.slug, rubric_.submission);
  if (!texts) return {texts.error().message};
  const fs::path skeleton = fs::path("skeletons") / report_.slug / rubric_.submission;
  return find_leaks(*texts, skeleton.string(), rubric_);
}

void AssignmentCheck::check_table() {
  const fs::path page = fs::path("assignments") / report_.slug / "handout.md";
  const Result<std::string> text = RealFiles().read(installation_.paths.course / page);
  if (!text) return complain(text.error().message);
  const Result<std::string> wanted = with_rubric_table(*text, rubric_);
  if (!wanted) return complain(fmt::format("{}: {}", page.string(), wanted.error().message));
  if (*wanted != *text) complain(stale_table(page));
  for (const std::string& line : unwritten_lines(*text, page.string())) complain(line);
  check_translations();
  const fs::path stamp = page.parent_path() / "skeleton.sha256";
  const Result<std::string> stamped = RealFiles().read(installation_.paths.course / stamp),
                            skeleton = RealFiles().read(installation_.paths.skeleton(report_.slug) /
                                                        rubric_.submission);
  if (!skeleton) return complain(skeleton.error().message);
  const std::string stale = stale_stamp(*skeleton, stamped ? *stamped : "", stamp.string());
  if (!stale.empty()) complain(stale);
}

void AssignmentCheck::check_translations() {
  const RealFiles files;
  const fs::path path = installation_.paths.rubric(report_.slug);
  const Result<std::string> rubric = files.read(path);
  for (const std::string& language : languages()) {
    const auto translation = read_translation(files, path, language);
    if (!translation) return complain(translation.error().message);
    if (!*translation || !rubric) continue;
    const fs::path place =
        translation_of(path, language).lexically_relative(installation_.paths.course);
    for (const Mistake& gap : gaps_in(**translation, *rubric))
      complain(fmt::format("{}:{}: {}", place.string(), gap.line, gap.message));
  }
  const auto statements = translated_statements(files, installation_.paths, report_.slug);
  if (!statements) return complain(statements.error().message);
  for (const auto& [page, wanted] : *statements) {
    const Result<std::string> text = files.read(page);
    if (text && *text != wanted)
      complain(stale_table(page.lexically_relative(installation_.paths.course)));
  }
}

std::vector<std::string> AssignmentCheck::found_at_once() const {
  return report_.error.empty() ? report_.complaints : std::vector<std::string>{report_.error};
}

size_t AssignmentCheck::tasks() const { return known_.empty() ? 0 : known_.size() + 1; }

std::string AssignmentCheck::name_of(size_t task) const {
  return task == 0 ? "cases and handout" : known_[task - 1].name();
}

void AssignmentCheck::run(size_t task, int slot, int own_slot) {
  const auto start = std::chrono::steady_clock::now();
  if (task == 0) {
    prove_unseeded();
  } else {
    grade(known_[task - 1], slot, own_slot);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::lock_guard guard(lock_);
  report_.busy_s += took.count();
  // Its cases and its device library take memory that other assignments can use.
  if (++done_ == tasks() && out_of_time_.empty()) bench_.reset();
}

void AssignmentCheck::prove_unseeded() {
  std::optional<AssignmentMemory::Unseeded> known;
  {
    const std::lock_guard guard(memory_.lock);
    known = memory_.unseeded;
  }
  AssignmentMemory::Unseeded proof = known ? std::move(*known) : prove_cases();
  if (!known) {
    for (std::string& leak : search_handout()) proof.complaints.push_back(std::move(leak));
    const std::lock_guard guard(memory_.lock);
    memory_.unseeded = proof;
  }
  const std::lock_guard guard(lock_);
  report_.complaints.insert(report_.complaints.end(), proof.complaints.begin(),
                            proof.complaints.end());
  report_.cases = std::move(proof.cases);
}

AssignmentMemory::Unseeded AssignmentCheck::prove_cases() const {
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return {{workspace.error().message}, {}};
  const std::vector<RunStep> steps = compared_steps(rubric_);
  const Result<fs::path> oracle = oracle_of(installation_, report_.slug);
  if (!oracle) return {{oracle.error().message}, {}};
  const CaseStore cases(installation_.trusted, *oracle, (*workspace)->folder() / "one", steps,
                        kCaseSeed),
      others(installation_.trusted, *oracle, (*workspace)->folder() / "other", steps, kOtherSeed);
  AssignmentMemory::Unseeded all;
  for (const RunStep& step : steps) {
    const Result<CaseAnswers> answers = answers_to(step.case_id, cases, others);
    if (!answers) {
      all.complaints.push_back(answers.error().message);
      continue;
    }
    CaseProof proof = prove_case(rubric_, *rubric_.find_case(step.case_id), *answers);
    all.complaints.insert(all.complaints.end(), proof.complaints.begin(), proof.complaints.end());
    all.cases.push_back(std::move(proof));
  }
  return all;
}

void AssignmentCheck::open(int own_slot) {
  {
    const std::lock_guard guard(lock_);
    if (known_.empty() || done_ != 0) return;
  }
  bench(own_slot);
}

const Bench* AssignmentCheck::bench(int own_slot) {
  const std::lock_guard guard(lock_);
  if (bench_ == nullptr && !bench_failed_) {
    Result<std::unique_ptr<Bench>> opened =
        Bench::open(installation_, rubric_, seed_, own_slot, verdicts_);
    bench_failed_ = !opened;
    if (opened) bench_ = std::move(*opened);
    if (!opened) report_.error = opened.error().message;
  }
  return bench_.get();
}

AssignmentCheck::Graded AssignmentCheck::grade_in(const Bench& judge, const KnownSubmission& known,
                                                  int slot,
                                                  const std::set<std::string>& only_cases) {
  Graded graded;
  std::map<std::string, long> wall_ms;
  const RunObserver observe = [&](const RunStep& step, const RunResult& run,
                                  const Arrays& expected) {
    graded.timed_out = graded.timed_out || run.process.ending == Ending::kTimedOut;
    wall_ms[step.case_id] = run.process.wall_ms;
    if (known.role == Role::kReference) note_margin(step, run, expected);
    graded.cases.push_back(note_case(step.case_id, run, expected));
  };
  const SubmissionResult result = judge.grade(known.submission, slot, {observe, {}, only_cases});
  graded.row = judge_known(known, result);
  graded.row.in_telling_cases = !only_cases.empty();
  graded.telling = telling_cases(result, wall_ms);
  const std::vector<std::string> contradicted =
      contradictions(rubric_, known.role, result, graded.cases);
  if (graded.row.ok() && !contradicted.empty()) {
    graded.row.complaint = contradicted.front();
    if (contradicted.size() > 1)
      graded.row.complaint += fmt::format(" (and {} more)", contradicted.size() - 1);
  }
  return graded;
}

AssignmentCheck::Graded AssignmentCheck::grade_enough(const Bench& judge,
                                                      const KnownSubmission& known, int slot) {
  std::set<std::string> telling;
  {
    const std::lock_guard guard(memory_.lock);
    const auto found = memory_.telling.find(known.name());
    if (found != memory_.telling.end()) telling = found->second;
  }
  if (!telling.empty()) {
    Graded graded = grade_in(judge, known, slot, telling);
    if (graded.row.ok()) return graded;
  }
  Graded graded = grade_in(judge, known, slot, {});
  // A GPU is asked about every case.
  if (loses_something(known) && graded.row.ok() && !judge.is_on_gpu()) {
    const std::lock_guard guard(memory_.lock);
    memory_.telling[known.name()] = graded.telling;
  }
  return graded;
}

void AssignmentCheck::grade(const KnownSubmission& known, int slot, int own_slot) {
  const Bench* judge = bench(own_slot);
  if (judge == nullptr) return;
  const auto start = std::chrono::steady_clock::now();
  Graded graded = grade_enough(*judge, known, slot);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto index = static_cast<size_t>(&known - known_.data());
  {
    const std::lock_guard guard(lock_);
    graded.row.wall_s = took.count();
    if (graded.timed_out && !graded.row.ok()) out_of_time_.push_back(index + 1);
    report_.rows[index] = std::move(graded.row);
  }
  if (known.role != Role::kReference) return;
  const std::lock_guard guard(memory_.lock);
  for (GradedCase& one : graded.cases) memory_.reference[one.case_id] = std::move(one);
}

void AssignmentCheck::repeat_alone(int own_slot) {
  for (const size_t task : std::exchange(out_of_time_, {})) grade(known_[task - 1], 0, own_slot);
}

void AssignmentCheck::note_margin(const RunStep& step, const RunResult& run,
                                  const Arrays& expected) {
  for (const Item& item : rubric_.items) {
    if (std::count(item.cases.begin(), item.cases.end(), step.case_id) == 0) continue;
    for (const OutputRule& rule : item.outputs) {
      const auto wanted = expected.find(rule.array), got = run.outputs.find(rule.array);
      if (wanted == expected.end() || got == run.outputs.end()) continue;
      const double used = tolerance_used(rule, wanted->second, got->second, step.values);
      const std::lock_guard guard(lock_);
      if (used > report_.margin.used) report_.margin = {used, item.id, step.case_id};
    }
  }
}

/// What the reference's runs say about the rubric.
void AssignmentCheck::check_reference() {
  ArraysOfCases arrays;
  std::vector<GradedCase> cases;
  {
    const std::lock_guard guard(memory_.lock);
    for (const auto& [case_id, one] : memory_.reference) {
      for (const auto& [array, elements] : one.arrays) arrays[case_id].insert(array);
      cases.push_back(one);
    }
  }
  report_.coverage = cover(rubric_, arrays);
  std::vector<std::string> more = unopened_ranges(rubric_, cases);
  for (std::string& line : names_without_elements(rubric_, cases)) more.push_back(std::move(line));
  for (std::string& line : unknown_counters(cases)) more.push_back(std::move(line));
  more.insert(more.begin(), report_.coverage.complaints.begin(), report_.coverage.complaints.end());
  report_.complaints.insert(report_.complaints.end(), more.begin(), more.end());
}

AssignmentReport AssignmentCheck::finish() {
  if (!report_.error.empty()) {
    report_.rows.clear();
    return std::move(report_);
  }
  report_.is_partial = done_ < tasks();
  if (report_.is_partial) {
    const auto is_undone = [](const CourseRow& row) { return row.name.empty(); };
    report_.rows.erase(std::remove_if(report_.rows.begin(), report_.rows.end(), is_undone),
                       report_.rows.end());
    return std::move(report_);
  }
  check_reference();
  report_.unproved = unproved_items(rubric_, report_.rows);
  // How many there are is a question for the whole proof.
  const std::string few = scope_ == ProofScope::kQuick
                              ? ""
                              : complaint_about_count(count_mutants(report_.rows), rubric_.proof);
  if (!few.empty()) report_.complaints.push_back(few);
  if (report_.margin.used > kMostToleranceUsed)
    report_.complaints.push_back(fmt::format(
        "{} leaves too small a margin: the reference takes {:.2g} of its tolerance in "
        "case {}, at most {} is wanted",
        report_.margin.item_id, report_.margin.used, report_.margin.case_id, kMostToleranceUsed));
  return std::move(report_);
}

}  // namespace warpgrade
