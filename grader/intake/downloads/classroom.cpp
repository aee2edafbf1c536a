// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "intake/downloads/claim.h"

namespace warpgrade {
namespace {

/// What all names begin with, as far as a '-': "lab1-" of "lab1-ann" and "lab1-bob". Empty for a single name.
std::string common_prefix(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  size_t length = names[0].size();
  for (const std::string& name : names) {
    const auto end =
        std::mismatch(names[0].begin(), names[0].end(), name.begin(), name.end()).first;
    length = std::min(length, static_cast<size_t>(end - names[0].begin()));
  }
  const size_t dash = length == 0 ? std::string::npos : names[0].rfind('-', length - 1);
  return dash == std::string::npos ? "" : names[0].substr(0, dash + 1);
}

}  // namespace

std::optional<Claims> read_classroom(const Listing& listing, const std::string& extension) {
  std::vector<std::string> clones;
  std::vector<TopEntry> rest;
  std::map<std::string, TopEntry> entries;
  for (TopEntry& entry : top_entries(listing)) {
    const bool is_clone = std::find(listing.repositories.begin(), listing.repositories.end(),
                                    fs::path(entry.name)) != listing.repositories.end();
    if (!is_clone) {
      rest.push_back(entry);
      continue;
    }
    clones.push_back(entry.name);
    entries[entry.name] = std::move(entry);
  }
  const std::string prefix = common_prefix(clones);
  if (prefix.empty() || clones.size() < rest.size()) return std::nullopt;
  Claims claims{fmt::format("clones of GitHub Classroom's repositories {}*", prefix), {}};
  for (const auto& [name, entry] : entries) {
    const std::string login = name.substr(prefix.size());
    Claim claim{login, login, {name}};
    claim.identity.ids["github"] = login;
    claim.files = entry.files;
    claims.all.push_back(std::move(claim));
  }
  add_plain(listing, rest, extension, claims);
  return claims;
}

}  // namespace warpgrade
