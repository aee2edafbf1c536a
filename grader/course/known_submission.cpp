// SPDX-License-Identifier: MIT
#include "course/known_submission.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/mutant.h"
#include "pipeline/doubts.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

using Ids = std::vector<std::string>;

/// Ids in `all` that are not in `taken`.
Ids difference(const Ids& all, const Ids& taken) {
  Ids rest;
  for (const std::string& id : all) {
    if (!contains(taken, id)) rest.push_back(id);
  }
  return rest;
}

/// Reads an assignment's known submissions, and goes on after a mistake to tell all of them.
class Reader {
 public:
  Reader(const Files& files, const AssignmentFolders& folders, const Rubric& rubric)
      : files_(files), folders_(folders), rubric_(rubric) {}

  Result<std::vector<KnownSubmission>> read() {
    add_file(Role::kReference, "(reference)", folders_.reference / rubric_.submission);
    add_file(Role::kSkeleton, "(skeleton)", folders_.skeleton / rubric_.submission);
    add({Role::kBroken, {"(does not compile)", "", "#error \"this is no program\"\n", {}, ""}, {}});
    add_class();
    add_folder(Role::kMutant, folders_.reference / "mutants");
    add_folder(Role::kAccepted, folders_.reference / "accepted");
    add_folder(Role::kExploit, folders_.reference / "exploits");
    if (!mistakes_.empty()) return Error{join(mistakes_, "\n")};
    return std::move(all_);
  }

 private:
  void add(KnownSubmission known) { all_.push_back(std::move(known)); }

  /// The file's text; notes a mistake and returns nothing where it cannot be read.
  std::optional<std::string> text_of(const fs::path& path) {
    Result<std::string> text = files_.read(path);
    if (!text) mistakes_.push_back(text.error().message);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  }

  void add_file(Role role, const std::string& name, const fs::path& path) {
    if (std::optional<std::string> text = text_of(path))
      add({role, {name, path, std::move(*text), {}, ""}, {}});
  }

  void add_expecting(Role role, Submission submission, const Result<Expectation>& expectation) {
    if (expectation) {
      add({role, std::move(submission), *expectation});
    } else {
      mistakes_.push_back(expectation.error().message);
    }
  }

  void add_class() {
    const fs::path folder = folders_.reference / "class";
    if (!files_.is_folder(folder)) return;
    Result<Submissions> sample = read_submissions(files_, folder, rubric_.submission);
    if (!sample) {
      mistakes_.push_back(sample.error().message);
      return;
    }
    for (Submission& student : sample->all) {
      const fs::path path = student.path.parent_path() / "loses.txt";
      if (const std::optional<std::string> text = text_of(path))
        add_expecting(Role::kClass, std::move(student), read_loses(path.string(), *text, rubric_));
    }
  }

  void add_folder(Role role, const fs::path& folder) {
    if (!files_.is_folder(folder)) return;
    const Result<std::vector<std::string>> names = files_.list(folder);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (is_program(role, folder / name)) add_program(role, folder / name);
    }
  }

  /// Whether the file is one of the folder's programs; notes a patch that may not be there.
  bool is_program(Role role, const fs::path& path) {
    const fs::path extension = fs::path(rubric_.submission).extension();
    if (path.extension() != kPatchExtension) return path.extension() == extension;
    const fs::path whole = fs::path(path).replace_extension(extension);
    const bool has_twin = files_.exists(whole),
               is_wrong = role == Role::kMutant || role == Role::kExploit;
    if (!is_wrong)
      note(path, "only mutants and exploits may be patches: write the whole program");
    else if (has_twin)
      note(path, fmt::format("{} has the same name: delete one of them, or rename it",
                             whole.filename().string()));
    return is_wrong && !has_twin;
  }

  void note(const fs::path& path, std::string_view mistake) {
    mistakes_.push_back(fmt::format("{}:1: error: {}", path.string(), mistake));
  }

  void add_program(Role role, const fs::path& path) {
    const Result<std::string> text =
        read_program(files_, folders_.reference / rubric_.submission, path);
    if (text) {
      add_expecting(role, {path.stem().string(), path, *text, {}, ""},
                    read_header(role, path.string(), *text));
    } else {
      mistakes_.push_back(text.error().message);
    }
  }

  Result<Expectation> read_header(Role role, const std::string& path,
                                  const std::string& text) const {
    if (role == Role::kMutant) return read_mutant_header(path, text, rubric_);
    if (role == Role::kExploit) return read_exploit_header(path, text, rubric_);
    return read_accepted_header(path, text, rubric_);
  }

  const Files& files_;
  const AssignmentFolders& folders_;
  const Rubric& rubric_;
  std::vector<KnownSubmission> all_;
  std::vector<std::string> mistakes_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string complaint_about_mutant(const CourseRow& row, const Expectation& expectation) {
  const Ids certain = difference(row.lost, difference(expectation.may_fail, expectation.items));
  std::string complaint = compare_losses(certain, expectation.items);
  const std::string& catcher = expectation.items.front();
  if (contains(row.lost, catcher) && !contains(row.caught_by, catcher)) {
    complaint += fmt::format(
        "{}{} is lost only because it needs what failed: name first what "
        "catches it ({})",
        complaint.empty() ? "" : "; ", catcher, join(row.caught_by, ", "));
  }
  return complaint;
}

std::string complaint_about(const CourseRow& row, const Expectation& expectation) {
  const Ids& expected = expectation.items;
  switch (row.role) {
    case Role::kReference:
      return row.lost.empty()
                 ? ""
                 : fmt::format("must pass everything, but loses {}", join(row.lost, ", "));
    case Role::kSkeleton:
    case Role::kBroken:
      return row.score == 0 ? ""
                            : fmt::format("must score 0, but scores {}", format_points(row.score));
    case Role::kMutant:
      return complaint_about_mutant(row, expectation);
    case Role::kAccepted: {
      const Ids wrong = difference(row.lost, expected);
      return wrong.empty() ? "" : fmt::format("is right, but loses {}", join(wrong, ", "));
    }
    case Role::kClass:
    case Role::kExploit:
      break;
  }
  return compare_losses(difference(row.lost, difference(expectation.may_fail, expected)), expected);
}

/// Complaints of the grader or the compiler, which say more than any list of items.
std::string trouble_of(const KnownSubmission& known, const SubmissionResult& result) {
  for (const ItemResult& item : result.items) {
    if (item.status == Outcome::kSystemError)
      return "could not be graded: " + first_line(item.message);
  }
  const bool may_warn =
      known.role == Role::kClass || known.role == Role::kBroken || known.role == Role::kExploit;
  if (may_warn || result.diagnostics.empty()) return "";
  for (const std::string& line : split(result.diagnostics, '\n')) {
    if (line.find("error: ") != line.npos) return "does not compile: " + line;
  }
  return "does not compile without a warning: " + first_line(result.diagnostics);
}

/// Whether the item earns nothing because the staff have to look at how the result came about. What waits for a GPU is no
/// loss: on one it passes.
bool is_doubted(const ItemResult& item, const SubmissionResult& result) {
  if (item.status != Outcome::kPending) return false;
  const auto cause = std::find_if(result.items.begin(), result.items.end(),
                                  [&](const ItemResult& each) { return each.id == item.cause; });
  const ItemResult& at_heart = cause == result.items.end() ? item : *cause;
  return is_waiting_doubt(at_heart.reason);
}

/// Why the first item was lost that should not be: " (speed: 0.4 times as fast as ...)".
std::string reason_for(const CourseRow& row, const Expectation& expectation,
                       const SubmissionResult& result) {
  const Ids unexpected =
      difference(difference(row.caught_by, expectation.items), expectation.may_fail);
  for (const ItemResult& item : result.items) {
    if (!item.message.empty() && contains(unexpected, item.id))
      return fmt::format(" ({}: {})", item.id, first_line(item.message));
  }
  return "";
}

/// What the staff was shown of a right answer: the case is wrong then, or the check of it is.
std::string flag_of(const KnownSubmission& known, const SubmissionResult& result) {
  if (known.role != Role::kReference && known.role != Role::kAccepted) return "";
  for (const ItemResult& item : result.items) {
    if (item.flags.empty() || contains(known.expectation.items, item.id)) continue;
    return fmt::format("is right, but {} is flagged: {}: {}", item.id, item.flags.front().what,
                       item.flags.front().evidence);
  }
  return "";
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kReference:
      return "reference";
    case Role::kSkeleton:
      return "skeleton";
    case Role::kBroken:
      return "broken";
    case Role::kClass:
      return "class";
    case Role::kMutant:
      return "mutant";
    case Role::kAccepted:
      return "accepted";
    case Role::kExploit:
      return "exploit";
  }
  return "";
}

Result<std::vector<KnownSubmission>> read_known_submissions(const Files& files,
                                                            const AssignmentFolders& folders,
                                                            const Rubric& rubric) {
  return Reader(files, folders, rubric).read();
}

CourseRow judge_known(const KnownSubmission& known, const SubmissionResult& result) {
  CourseRow row;
  row.role = known.role;
  row.name = known.name();
  row.mutant_class = known.expectation.mutant_class;
  row.score = result.score;
  row.max_score = result.max_score;
  for (const ItemResult& item : result.items) {
    const bool is_honest = known.role != Role::kExploit && known.role != Role::kClass;
    const bool waits = item.status == Outcome::kPending && !(is_honest && is_doubted(item, result));
    if (item.status == Outcome::kPassed || waits) continue;
    row.lost.push_back(item.id);
    if (item.cause.empty()) row.caught_by.push_back(item.id);
  }
  row.disagreements = result.disagreements;
  row.compared = result.compared;
  row.unobserved = result.unobserved;
  row.complaint = trouble_of(known, result);
  if (row.complaint.empty()) {
    row.complaint = complaint_about(row, known.expectation);
    if (!row.complaint.empty()) row.complaint += reason_for(row, known.expectation, result);
  }
  if (row.complaint.empty()) row.complaint = flag_of(known, result);
  return row;
}

std::string compare_losses(const std::vector<std::string>& lost,
                           const std::vector<std::string>& should_lose) {
  const Ids unexpected = difference(lost, should_lose), missed = difference(should_lose, lost);
  std::vector<std::string> parts;
  if (!unexpected.empty() && should_lose.empty())
    parts.push_back("loses " + join(unexpected, ", "));
  else if (!unexpected.empty())
    parts.push_back(fmt::format("also loses {} (expect {} as well if it should)",
                                join(unexpected, ", "), unexpected.size() == 1 ? "it" : "them"));
  if (!missed.empty()) parts.push_back("does not lose " + join(missed, ", "));
  return join(parts, "; ");
}

}  // namespace warpgrade
