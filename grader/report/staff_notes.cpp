// SPDX-License-Identifier: MIT
#include "report/staff_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/losses.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

/// A doubted program may have a note for each item in each case.
constexpr size_t kMostNotes = 8;

/// By reason, since mostly all cases have the same.
void add_unobserved(const SubmissionResult& result, const Words& words,
                    std::vector<StaffNote>& notes) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const Unobserved& each : result.unobserved) cases[each.why].push_back(each.case_id);
  for (const auto& [why, ids] : cases) {
    std::string where = words("place.case", {{"case", ids.front()}});
    if (ids.size() > 1) where = words("place.more", {{"first", where}, {"count", ids.size() - 1}});
    notes.push_back({"GPU", words("class.unrecorded"), fmt::format("{}: {}", where, why)});
  }
}

std::string why_it_may(const Disagreement& disagreement, const Words& words) {
  if (disagreement.checker.empty()) return "";
  return words("class.on_both_why", {{"checker", disagreement.checker}});
}

std::string in_a_line(const StaffNote& note) {
  return fmt::format("{}: {}: {}", note.subject, note.what, without_case(note.evidence));
}

}  // namespace

std::vector<StaffNote> staff_notes(const SubmissionResult& result) {
  const Words words(result.language);
  std::vector<StaffNote> notes;
  for (const ItemResult& item : result.items) {
    for (const Flag& flag : item.flags) notes.push_back({item.id, flag.what, flag.evidence});
    if (item.undecided)
      notes.push_back({item.id, words("class.undecided"), words("class.better_given")});
  }
  for (const Disagreement& each : result.disagreements) {
    notes.push_back({each.item_id, words("class.otherwise"),
                     words("class.on_both", {{"case", each.case_id},
                                             {"gpu", each.gpu},
                                             {"emulated", each.emulated},
                                             {"why", why_it_may(each, words)}})});
  }
  add_unobserved(result, words, notes);
  return notes;
}

std::vector<std::string> brief_staff_notes(const SubmissionResult& result) {
  std::vector<std::pair<StaffNote, long>> kinds;
  const std::vector<StaffNote> notes = staff_notes(result);
  const bool is_few = notes.size() <= kMostNotes;
  for (const StaffNote& note : notes) {
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return !is_few && kind.first.what == note.what;
    });
    if (same == kinds.end())
      kinds.emplace_back(note, 1);
    else
      ++same->second;
  }
  std::vector<std::string> lines;
  for (const auto& [note, count] : kinds)
    lines.push_back(count == 1
                        ? in_a_line(note)
                        : say_in(result.language, "class.many_notes",
                                 {{"count", count},
                                  {"what", note.what},
                                  {"student", result.student},
                                  {"first", note.subject + ": " + without_case(note.evidence)}})
                              .text);
  return lines;
}

}  // namespace warpgrade
