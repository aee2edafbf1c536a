// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "intake/archive/archive_name.h"
#include "intake/downloads/claim.h"
#include "intake/people/name_key.h"

namespace warpgrade {
namespace {

const std::set<std::string> kGroups = {"student", "id", "name", "late", "attempt"};
// Longer paths are no names that an LMS makes.
constexpr size_t kMostPathBytes = 1024;

/// The text without the names of its groups, and these names by the groups' order.
struct Unnamed {
  std::string text;
  std::vector<std::string> groups;
};

/// What stands for the opening of a group at `text[at]`, which is '('.
Result<size_t> take_group(const std::string& text, size_t at, Unnamed& out) {
  const std::string_view rest = std::string_view(text).substr(at);
  const size_t opening = rest.starts_with("(?P<") ? 4 : rest.starts_with("(?<") ? 3 : 0;
  if (opening == 0) {
    if (!rest.starts_with("(?")) out.groups.emplace_back();
    out.text += '(';
    return at + 1;
  }
  const size_t end = text.find('>', at);
  const std::string name =
      end == std::string::npos ? "" : text.substr(at + opening, end - at - opening);
  if (kGroups.count(name) == 0)
    return Error{fmt::format("--name-pattern has no group '{}'; its groups are {}", printable(name),
                             join({kGroups.begin(), kGroups.end()}, ", "))};
  out.groups.push_back(name);
  out.text += '(';
  return end + 1;
}

Result<Unnamed> remove_names(const std::string& text) {
  Unnamed out;
  bool in_class = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      out.text += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (text[at] == '(' && !in_class) {
      const Result<size_t> next = take_group(text, at, out);
      if (!next) return next.error();
      at = *next;
      continue;
    }
    if (text[at] == '[') in_class = true;
    if (text[at] == ']') in_class = false;
    out.text += text[at++];
  }
  return out;
}

long attempt_of(const std::string& text) {
  long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Claim claim_of(const std::map<std::string, std::string>& groups) {
  const auto group = [&groups](const char* name) {
    const auto found = groups.find(name);
    return found == groups.end() ? std::string() : found->second;
  };
  const std::string id = group("id");
  Claim claim{group("student"), id.empty() ? group("student") : "id " + id, {}};
  claim.identity.name = group("name");
  if (!id.empty()) claim.identity.ids["id"] = id;
  claim.attempt = attempt_of(group("attempt"));
  claim.is_marked_late = !group("late").empty();
  claim.is_named_freely = true;
  return claim;
}

/// The file itself, or the archive that it lies in, is what the pattern names.
fs::path named_part(const fs::path& path) {
  fs::path named;
  for (const fs::path& part : path) {
    named /= part;
    if (is_archive(part)) break;
  }
  return named;
}

}  // namespace

Result<NamePattern> NamePattern::parse(const std::string& text) {
  const Result<Unnamed> unnamed = remove_names(text);
  if (!unnamed) return unnamed.error();
  if (std::count(unnamed->groups.begin(), unnamed->groups.end(), "student") == 0)
    return Error{"--name-pattern needs a group for the student, such as '(?<student>[^/]+)/.*'"};
  NamePattern pattern;
  pattern.groups_ = unnamed->groups;
  try {
    // Polynomial: students choose the names, and none may keep the matcher busy for ever.
    pattern.expression_ =
        std::regex(unnamed->text, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& mistake) {
    return Error{
        fmt::format("--name-pattern is no regular expression ({}); back references are not "
                    "allowed in it",
                    mistake.what())};
  }
  return pattern;
}

std::optional<std::map<std::string, std::string>> NamePattern::match(
    const std::string& path) const {
  std::smatch found;
  if (path.size() > kMostPathBytes || !std::regex_match(path, found, expression_))
    return std::nullopt;
  std::map<std::string, std::string> groups;
  for (size_t i = 0; i < groups_.size() && i + 1 < found.size(); ++i) {
    if (!groups_[i].empty() && found[i + 1].matched) groups[groups_[i]] = found[i + 1].str();
  }
  if (groups["student"].empty()) return std::nullopt;
  return groups;
}

Claims read_claims(const Listing& listing, const NamePattern& pattern) {
  Claims claims{"names of the given pattern", {}};
  std::map<std::pair<std::string, long>, Claim> by_attempt;
  for (size_t i = 0; i < listing.files.size(); ++i) {
    const fs::path& path = listing.files[i].path;
    auto groups = pattern.match(path.string());
    if (!groups) groups = pattern.match(named_part(path).string());
    if (!groups) {
      claims.skipped.push_back(path);
      continue;
    }
    const Claim claim = claim_of(*groups);
    Claim& known = by_attempt.try_emplace({claim.key, claim.attempt}, claim).first->second;
    known.is_marked_late = known.is_marked_late || claim.is_marked_late;
    known.files.push_back({i, path});
    known.places.push_back(path);
  }
  for (auto& [attempt, claim] : by_attempt) claims.all.push_back(std::move(claim));
  if (claims.all.empty()) claims.error = "--name-pattern matches no file of the download";
  return claims;
}

}  // namespace warpgrade
