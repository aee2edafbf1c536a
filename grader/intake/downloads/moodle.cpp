// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "intake/downloads/claim.h"
#include "intake/people/name_key.h"

namespace warpgrade {
namespace {

constexpr std::string_view kMark = "_assignsubmission_";
// Moodle's kinds of submission that have files, as its own code calls them.
constexpr std::string_view kKinds[] = {"file", "onlinetext"};

/// `Ana Anić_12345_assignsubmission_file_`, or with the student's file name behind it.
struct MoodleName {
  std::string who, participant, original;
};

/// With Moodle's mark at `mark`.
std::optional<MoodleName> parse_at(const std::string& text, size_t mark) {
  const size_t before = text.rfind('_', mark - (mark > 0 ? 1 : 0));
  if (before == std::string::npos || before == 0 || before >= mark) return std::nullopt;
  MoodleName name{text.substr(0, before), text.substr(before + 1, mark - before - 1), {}};
  const bool is_number = std::all_of(name.participant.begin(), name.participant.end(),
                                     [](unsigned char c) { return std::isdigit(c) != 0; });
  if (name.participant.empty() || !is_number) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(mark + kMark.size());
  for (const std::string_view kind : kKinds) {
    if (!rest.starts_with(kind)) continue;
    rest.remove_prefix(kind.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    name.original = rest;
    return name;
  }
  return std::nullopt;
}

/// Students choose the names of their files, and in some schools their own. A name that has the mark twice, behind two
/// numbers, does not tell whose file it is, so the file goes to nobody.
std::optional<MoodleName> parse_moodle_name(const std::string& text) {
  std::optional<MoodleName> found;
  for (size_t mark = text.find(kMark); mark != std::string::npos;
       mark = text.find(kMark, mark + 1)) {
    std::optional<MoodleName> name = parse_at(text, mark);
    if (!name) continue;
    if (found && found->participant != name->participant) return std::nullopt;
    if (!found) found = std::move(name);
  }
  return found;
}

Claim new_claim(const MoodleName& name) {
  Claim claim{numbered_id(name.who, name.participant), name.participant, {}};
  claim.identity.name = name.who;
  claim.identity.ids["moodle"] = name.participant;
  return claim;
}

}  // namespace

std::optional<Claims> read_moodle(const Listing& listing, const std::string& extension) {
  Claims claims{"a Moodle download", {}};
  std::map<std::string, Claim> by_participant;
  std::vector<TopEntry> rest;
  size_t recognised = 0;
  for (const TopEntry& entry : top_entries(listing)) {
    const std::optional<MoodleName> name = parse_moodle_name(entry.name);
    if (!name) {
      rest.push_back(entry);
      continue;
    }
    ++recognised;
    Claim& claim = by_participant.try_emplace(name->participant, new_claim(*name)).first->second;
    claim.places.push_back(entry.name);
    for (const ClaimedFile& file : entry.files)
      claim.files.push_back(
          {file.index, entry.is_folder ? name->original / file.name : fs::path(name->original)});
  }
  // One name of this kind among many others is a student's choice, and says nothing of theirs.
  if (recognised == 0 || recognised < rest.size()) return std::nullopt;
  for (auto& [participant, claim] : by_participant) claims.all.push_back(std::move(claim));
  add_plain(listing, rest, extension, claims);
  return claims;
}

}  // namespace warpgrade
