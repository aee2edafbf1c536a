// SPDX-License-Identifier: MIT
#include "commands/stored_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warpgrade {
namespace {

std::string lower(std::string_view text) {
  std::string out(trim(text));
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// All that a student may be called.
std::vector<std::string> names_of(const SubmissionResult& result) {
  std::vector<std::string> names = {lower(result.student)};
  if (!result.identity.name.empty()) names.push_back(lower(result.identity.name));
  for (const auto& [kind, id] : result.identity.ids) names.push_back(lower(id));
  for (const std::string& member : result.identity.group) names.push_back(lower(member));
  return names;
}

/// What a command line would write.
std::vector<std::string> students_of(const std::vector<const SubmissionResult*>& results) {
  std::vector<std::string> students;
  for (const SubmissionResult* each : results) students.push_back(each->student);
  return students;
}

/// The students whose name begins as `word` does, or is nearest to it.
std::string close_misses(const StoredClass& stored, const std::string& word) {
  std::vector<std::string> ids, known;
  for (const SubmissionResult& result : stored.results) {
    const std::vector<std::string> names = names_of(result);
    known.insert(known.end(), names.begin(), names.end());
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return name.find(word) != std::string::npos; }))
      ids.push_back(result.student);
  }
  constexpr size_t kMostShown = 5;
  if (!ids.empty() && ids.size() <= kMostShown)
    return fmt::format("; did you mean {}?", join(ids, " or "));
  const std::string meant = nearest(word, known);
  return meant.empty() ? "; warpgrade status lists nobody of that name"
                       : fmt::format("; did you mean '{}'?", printable(meant));
}

}  // namespace

Result<StoredClass> read_class(const fs::path& folder) {
  const ResultsFolder results(folder, "");
  StoredClass stored;
  for (const std::string& student : results.students()) {
    StoredResult one = results.stored(student);
    if (!one.result) {
      stored.damaged.push_back({student, one.damage});
      continue;
    }
    if (stored.assignment.empty()) stored.assignment = one.result->assignment;
    if (one.result->assignment != stored.assignment)
      return Error{fmt::format(
          "{} holds results of {} and of {} ({}): name a folder of one assignment", folder.string(),
          stored.assignment, printable(one.result->assignment), student)};
    stored.results.push_back(std::move(*one.result));
  }
  const bool is_empty = stored.results.empty() && stored.damaged.empty();
  if (is_empty && RealFiles().exists(folder / "seed"))
    return Error{fmt::format(
        "{} holds no results yet: no submission in it has been graded to its end. Start the same "
        "grade again, or wait for it",
        folder.string())};
  if (is_empty)
    return Error{fmt::format(
        "{} holds no results: name the folder that warpgrade grade wrote (its -o; results/SLUG "
        "without one)",
        folder.string())};
  return stored;
}

Result<SubmissionResult> find_student(const StoredClass& stored, const std::string& student) {
  const std::string word = lower(student);
  std::vector<const SubmissionResult*> found;
  for (const SubmissionResult& result : stored.results) {
    if (result.student == student) return result;
    const std::vector<std::string> names = names_of(result);
    if (std::find(names.begin(), names.end(), word) != names.end()) found.push_back(&result);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1)
    return Error{fmt::format("'{}' may be {}: name one of these", printable(student),
                             join(students_of(found), " or "))};
  for (const DamagedResult& each : stored.damaged) {
    if (lower(each.student) == word)
      return Error{fmt::format("the result of {} cannot be read: {}. Grade the submission again",
                               each.student, each.why)};
  }
  return Error{fmt::format("no result of '{}'{}", printable(student), close_misses(stored, word))};
}

}  // namespace warpgrade
