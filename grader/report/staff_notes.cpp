// SPDX-License-Identifier: MIT
#include "report/staff_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/losses.h"

namespace warpgrade {
namespace {

/// A doubted program may have a note for each item in each case.
constexpr size_t kMostNotes = 8;

/// By reason, since mostly all cases have the same.
void add_unobserved(const SubmissionResult& result, std::vector<StaffNote>& notes) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const Unobserved& each : result.unobserved) cases[each.why].push_back(each.case_id);
  for (const auto& [why, ids] : cases) {
    const std::string where =
        fmt::format("case '{}'{}", ids.front(),
                    ids.size() == 1 ? "" : fmt::format(" and {} more", ids.size() - 1));
    notes.push_back({"GPU", "nothing was recorded there", fmt::format("{}: {}", where, why)});
  }
}

std::string why_it_may(const Disagreement& disagreement) {
  if (disagreement.checker.empty()) return "";
  return fmt::format(" (its {} checker found a mistake, after which a GPU may do anything)",
                     disagreement.checker);
}

std::string in_a_line(const StaffNote& note) {
  return fmt::format("{}: {}: {}", note.subject, note.what, without_case(note.evidence));
}

}  // namespace

std::vector<StaffNote> staff_notes(const SubmissionResult& result) {
  std::vector<StaffNote> notes;
  for (const ItemResult& item : result.items) {
    for (const Flag& flag : item.flags) notes.push_back({item.id, flag.what, flag.evidence});
    if (item.undecided)
      notes.push_back({item.id, "undecided", "the better of two numbers of points was given"});
  }
  for (const Disagreement& each : result.disagreements) {
    notes.push_back({each.item_id, "judged otherwise on the GPU",
                     fmt::format("case '{}': {} there, {} on the emulated device{}", each.case_id,
                                 each.gpu, each.emulated, why_it_may(each))});
  }
  add_unobserved(result, notes);
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
    lines.push_back(count == 1 ? in_a_line(note)
                               : fmt::format("{} notes \"{}\" (all: warpgrade show DIR {}); the "
                                             "first: {}: {}",
                                             count, note.what, result.student, note.subject,
                                             without_case(note.evidence)));
  return lines;
}

}  // namespace warpgrade
