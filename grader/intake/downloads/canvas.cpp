// SPDX-License-Identifier: MIT
#include <charconv>

#include "base/text.h"
#include "intake/downloads/claim.h"
#include "intake/people/name_key.h"

namespace warpgrade {
namespace {

/// One name of a Canvas download: `lastfirst_LATE_12345_67890_name.cu`, `lastfirst_12345_text.html`, or
/// `anon_a1b2c_67890_name.cu`.
struct CanvasName {
  std::string who, user, attachment, original;
  bool is_late = false;
};

/// Canvas counts its users and attachments: a number that fits a long.
bool is_id(std::string_view text) { return text.size() <= 18 && is_number(text); }

long number(std::string_view text) {
  long value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string joined(const std::vector<std::string>& parts, size_t from, size_t to) {
  return join({parts.begin() + static_cast<long>(from), parts.begin() + static_cast<long>(to)},
              "_");
}

/// Canvas's own files for an answer that is no file.
bool is_typed_in(const std::string& name) { return name == "text.html" || name == "link.html"; }

/// With the user's number at `parts[at]`.
std::optional<CanvasName> parse_at(const std::vector<std::string>& parts, size_t at,
                                   bool is_anonymous) {
  CanvasName name;
  size_t next = at + 1;
  const auto is_mark = [](const std::string& part) { return part == "LATE"; };
  const bool is_late_before = !is_anonymous && at >= 2 && is_mark(parts[at - 1]);
  const bool is_late_behind = next < parts.size() && is_mark(parts[next]);
  if (is_late_behind) ++next;
  name.is_late = is_late_before || is_late_behind;
  name.who = joined(parts, 0, is_late_before ? at - 1 : at);
  name.user = parts[at];
  if (next + 1 < parts.size() && is_id(parts[next])) name.attachment = parts[next++];
  if (next >= parts.size()) return std::nullopt;
  name.original = joined(parts, next, parts.size());
  if (name.original.empty() || (name.attachment.empty() && !is_typed_in(name.original)))
    return std::nullopt;
  return name;
}

std::optional<CanvasName> parse_canvas_name(const std::string& text) {
  const std::vector<std::string> parts = split(text, '_');
  if (parts.size() < 3 || parts[0].empty()) return std::nullopt;
  if (parts[0] == "anon" && !is_id(parts[1])) return parse_at(parts, 1, true);
  for (size_t at = 1; at + 1 < parts.size(); ++at) {
    if (is_id(parts[at])) return parse_at(parts, at, false);
  }
  return std::nullopt;
}

/// "matmul-2.cu", as Canvas calls the third upload of "matmul.cu", gives "matmul.cu" and 2.
std::pair<std::string, long> upload_of(const std::string& original) {
  const fs::path name = original;
  const std::string stem = name.stem().string();
  const size_t dash = stem.rfind('-');
  if (dash == std::string::npos || dash == 0) return {original, 0};
  const std::string digits = stem.substr(dash + 1);
  if (!is_number(digits) || digits.size() > 3) return {original, 0};
  return {stem.substr(0, dash) + name.extension().string(), number(digits)};
}

Claim new_claim(const CanvasName& name) {
  Claim claim{numbered_id(name.who, name.user), name.user, {}};
  claim.identity.name = name.who;
  claim.identity.ids["canvas"] = name.user;
  return claim;
}

void add_files(const TopEntry& entry, const CanvasName& name, const std::string& extension,
               Claim& claim) {
  constexpr long kMostAttachments = 1'000'000'000'000;
  const auto [original, upload] = upload_of(name.original);
  // The attachment's number breaks ties only: a later upload has a later suffix.
  const long order = upload * kMostAttachments + number(name.attachment) % kMostAttachments;
  for (const ClaimedFile& file : entry.files)
    claim.files.push_back(
        {file.index, entry.is_folder ? original / file.name : fs::path(original), order});
  claim.is_marked_late = claim.is_marked_late || name.is_late;
  claim.places.push_back(entry.name);
  const bool is_first = claim.places.size() == 1;
  if (!name.attachment.empty() && (is_first || has_extension(entry.name, extension)))
    claim.identity.ids["attachment"] = name.attachment;
}

}  // namespace

std::optional<Claims> read_canvas(const Listing& listing, const std::string& extension) {
  Claims claims{"a Canvas download", {}};
  std::map<std::string, Claim> by_user;
  std::vector<TopEntry> rest;
  size_t recognised = 0;
  for (const TopEntry& entry : top_entries(listing)) {
    const std::optional<CanvasName> name = parse_canvas_name(entry.name);
    if (!name) {
      rest.push_back(entry);
      continue;
    }
    ++recognised;
    const auto known = by_user.find(name->user);
    // Two people never share a number in Canvas: these are dates or the like.
    if (known != by_user.end() && known->second.identity.name != name->who) return std::nullopt;
    add_files(entry, *name, extension,
              by_user.try_emplace(name->user, new_claim(*name)).first->second);
  }
  if (recognised == 0 || recognised < rest.size()) return std::nullopt;
  for (auto& [user, claim] : by_user) claims.all.push_back(std::move(claim));
  add_plain(listing, rest, extension, claims);
  return claims;
}

}  // namespace warpgrade
