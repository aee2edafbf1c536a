// SPDX-License-Identifier: MIT
#include "intake/downloads/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "intake/archive/archive_name.h"
#include "intake/people/name_key.h"

namespace warpgrade {
namespace {

bool is_work(const TopEntry& entry, const std::string& extension) {
  return entry.is_folder || has_extension(entry.name, extension) || is_archive(entry.name);
}

/// The one folder that an archiver put around everything; empty where there is none.
fs::path wrapper_of(const Listing& listing) {
  const std::vector<TopEntry> top = top_entries(listing);
  return top.size() == 1 && top[0].is_folder && !is_archive(top[0].name) ? top[0].name : "";
}

std::optional<Claims> read_known_format(const Listing& listing, const std::string& extension) {
  using Reader = std::optional<Claims> (*)(const Listing&, const std::string&);
  for (const Reader read : {Reader(read_gradescope), Reader(read_moodle), Reader(read_canvas),
                            Reader(read_classroom)}) {
    if (std::optional<Claims> claims = read(listing, extension)) return claims;
  }
  return std::nullopt;
}

/// "ann.tar.gz" and "ann.cu" are ann's; a folder keeps its dots.
std::string stem_of(const TopEntry& entry) {
  fs::path name = entry.name;
  if (entry.is_folder && !is_archive(name)) return entry.name;
  name = name.stem();
  return name_key(name.extension().string()) == ".tar" ? name.stem().string() : name.string();
}

Claim plain_claim(const TopEntry& entry) {
  Claim claim{stem_of(entry), entry.name, {entry.name}};
  claim.files = entry.files;
  claim.is_named_freely = !entry.is_folder;
  return claim;
}

/// Paths of a claim found below `wrapper`, as the whole download has them.
void wrap(Claims& claims, const fs::path& wrapper, const Listing& whole) {
  std::map<fs::path, size_t> index;
  for (size_t i = 0; i < whole.files.size(); ++i) index[whole.files[i].path] = i;
  const Listing inner = whole.below(wrapper);
  for (Claim& claim : claims.all) {
    for (fs::path& place : claim.places) place = wrapper / place;
    for (ClaimedFile& file : claim.files)
      file.index = index.at(wrapper / inner.files[file.index].path);
  }
  for (fs::path& path : claims.skipped) path = wrapper / path;
}

}  // namespace

bool has_extension(const fs::path& name, const std::string& extension) {
  return name_key(name.extension().string()) == name_key(extension);
}

std::vector<TopEntry> top_entries(const Listing& listing) {
  std::map<std::string, TopEntry> top;
  for (const fs::path& folder : listing.folders) {
    const std::string name = folder.begin()->string();
    top[name] = {name, true};
  }
  for (size_t i = 0; i < listing.files.size(); ++i) {
    const fs::path& path = listing.files[i].path;
    TopEntry& entry = top[path.begin()->string()];
    entry.name = path.begin()->string();
    fs::path inside;
    for (auto part = std::next(path.begin()); part != path.end(); ++part) inside /= *part;
    entry.is_folder = entry.is_folder || !inside.empty();
    entry.files.push_back({i, inside.empty() ? path : inside});
  }
  std::vector<TopEntry> entries;
  for (auto& [name, entry] : top) entries.push_back(std::move(entry));
  return entries;
}

void add_plain(const Listing& listing, const std::vector<TopEntry>& rest,
               const std::string& extension, Claims& claims) {
  for (const TopEntry& entry : rest) {
    if (!is_work(entry, extension)) {
      claims.skipped.push_back(listing.files[entry.files[0].index].path);
      continue;
    }
    claims.all.push_back(plain_claim(entry));
    claims.notes.push_back(
        fmt::format("{} has another name than the rest of {}: taken as the work of '{}'",
                    printable(entry.name), claims.format, printable(claims.all.back().student)));
  }
}

Claims read_plain(const Listing& listing, const std::string& extension) {
  Claims claims;
  for (const TopEntry& entry : top_entries(listing)) {
    if (is_work(entry, extension))
      claims.all.push_back(plain_claim(entry));
    else
      claims.skipped.push_back(listing.files[entry.files[0].index].path);
  }
  return claims;
}

Claims read_claims(const Listing& listing, const std::string& extension, bool is_packed) {
  if (std::optional<Claims> known = read_known_format(listing, extension)) return *known;
  const fs::path wrapper = is_packed ? wrapper_of(listing) : fs::path();
  if (!wrapper.empty()) {
    if (std::optional<Claims> known = read_known_format(listing.below(wrapper), extension)) {
      wrap(*known, wrapper, listing);
      return *known;
    }
  }
  return read_plain(listing, extension);
}

}  // namespace warpgrade
