// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "intake/downloads/claim.h"
#include "intake/downloads/gradescope_list.h"
#include "intake/people/name_key.h"
#include "intake/refusal.h"

namespace warpgrade {
namespace {

/// The school's id where Gradescope knows it, else the part of the e-mail address that students go by.
std::string student_of(const GradescopePerson& person) {
  if (!person.sid.empty()) return person.sid;
  const std::string login = person.email.substr(0, person.email.find('@'));
  return login.empty() ? ascii_name(person.name) : login;
}

Identity identity_of(const GradescopePerson& person, const std::string& submission) {
  Identity identity;
  identity.name = person.name;
  if (!person.sid.empty()) identity.ids["sis"] = person.sid;
  if (!person.email.empty()) identity.ids["email"] = person.email;
  const size_t number = submission.find_first_of("0123456789");
  if (number != std::string::npos) identity.ids["gradescope"] = submission.substr(number);
  return identity;
}

std::string key_of(const GradescopePerson& person) {
  return person.email.empty() ? student_of(person) : name_key(person.email);
}

/// One claim for each member of the group that handed it in.
void add_claims(const GradescopeSubmission& submission, const TopEntry& entry, Claims& claims) {
  std::vector<std::string> group;
  for (const GradescopePerson& person : submission.people) group.push_back(student_of(person));
  if (group.size() < 2) group.clear();
  for (const GradescopePerson& person : submission.people) {
    Claim claim{student_of(person), key_of(person), {entry.name}};
    claim.identity = identity_of(person, submission.folder);
    claim.identity.group = group;
    claim.files = entry.files;
    claim.submitted = submission.submitted;
    claims.all.push_back(std::move(claim));
  }
}

}  // namespace

std::optional<Claims> read_gradescope(const Listing& listing, const std::string& extension) {
  const auto list = std::find_if(
      listing.files.begin(), listing.files.end(),
      [](const HandedFile& file) { return file.path == kGradescopeList && file.archived; });
  if (list == listing.files.end()) return std::nullopt;
  Claims claims{"a Gradescope export", {}};
  const Result<std::vector<GradescopeSubmission>> submissions =
      list->archived->refusal.empty()
          ? parse_gradescope_list(list->archived->contents, (listing.root / list->path).string())
          : Error{fmt::format("{}: {}", (listing.root / list->path).string(),
                              say_refusal(list->archived->refusal).text)};
  if (!submissions) {
    claims.error = submissions.error().message;
    return claims;
  }
  std::map<std::string, TopEntry> entries;
  for (TopEntry& entry : top_entries(listing)) {
    if (entry.name != kGradescopeList) entries[entry.name] = std::move(entry);
  }
  for (const GradescopeSubmission& each : *submissions) {
    auto entry = entries.extract(each.folder);
    if (!entry) entry = entries.extract(each.folder + ".zip");
    add_claims(each, entry ? entry.mapped() : TopEntry{each.folder, true}, claims);
    if (each.people.empty())
      claims.notes.push_back(fmt::format("{}: Gradescope names no student for this submission",
                                         printable(each.folder)));
    if (each.people.empty() && entry) entries.insert(std::move(entry));
  }
  std::vector<TopEntry> rest;
  for (auto& [name, entry] : entries) rest.push_back(std::move(entry));
  add_plain(listing, rest, extension, claims);
  return claims;
}

}  // namespace warpgrade
