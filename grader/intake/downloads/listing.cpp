// SPDX-License-Identifier: MIT
#include "intake/downloads/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/text.h"
#include "intake/archive/archive_name.h"

namespace warpgrade {
namespace {

constexpr int kMostFolderLevels = 8;
constexpr size_t kMostFilesListed = 200'000;
constexpr size_t kMostArchiveBytes = 64 << 20;
constexpr size_t kMostListBytes = 64 << 20;

/// Walks a folder of this machine.
class Walk {
 public:
  Walk(const Files& files, std::string list, Listing& listing)
      : files_(files), list_(std::move(list)), listing_(listing) {}

  void add(const fs::path& folder, const std::vector<std::string>& names, int levels_left) {
    for (const std::string& name : names) {
      const fs::path path = folder / name;
      if (name == ".git" && !folder.empty()) listing_.repositories.push_back(folder);
      if (is_litter(name) || is_over()) continue;
      if (files_.is_folder(listing_.root / path)) {
        add_folder(path, levels_left);
      } else {
        listing_.files.push_back({path, path, name == list_ ? read_list(path) : std::nullopt});
      }
    }
  }

 private:
  bool is_over() {
    if (listing_.files.size() < kMostFilesListed) return false;
    if (!is_cut_)
      listing_.notes.push_back(
          fmt::format("only the first {} files were looked at", kMostFilesListed));
    is_cut_ = true;
    return true;
  }

  void add_folder(const fs::path& path, int levels_left) {
    listing_.folders.push_back(path);
    // A folder itself is refused as no regular file; anything else about it is its owner's doing.
    const Result<UntrustedFile> itself = files_.read_untrusted(listing_.root, path, 0);
    if (!itself) {
      listing_.closed[path].system_error = itself.error().message;
    } else if (itself->refusal.id == "intake.link") {
      listing_.closed[path].problem = itself->refusal;
    } else if (levels_left == 0) {
      listing_.notes.push_back(fmt::format("{}: folders below {} levels were not looked into",
                                           printable(path.string()), kMostFolderLevels));
    } else {
      const Result<std::vector<std::string>> names = files_.list(listing_.root / path);
      if (!names)
        listing_.closed[path].system_error = names.error().message;
      else
        add(path, *names, levels_left - 1);
    }
  }

  std::optional<ArchivedFile> read_list(const fs::path& path) {
    const Result<UntrustedFile> file = files_.read_untrusted(listing_.root, path, kMostListBytes);
    if (!file) return ArchivedFile{path, {}, {"intake.told", {{"why", file.error().message}}}};
    return ArchivedFile{path, file->contents, file->refusal};
  }

  const Files& files_;
  std::string list_;
  Listing& listing_;
  bool is_cut_ = false;
};

void sort_paths(Listing& listing) {
  std::sort(listing.files.begin(), listing.files.end(),
            [](const HandedFile& a, const HandedFile& b) { return a.path < b.path; });
  std::sort(listing.folders.begin(), listing.folders.end());
  listing.folders.erase(std::unique(listing.folders.begin(), listing.folders.end()),
                        listing.folders.end());
}

bool has_litter(const fs::path& path) {
  return std::any_of(path.begin(), path.end(),
                     [](const fs::path& part) { return is_litter(part.string()); });
}

void add_folders_of(const fs::path& path, Listing& listing) {
  for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path())
    listing.folders.push_back(folder);
}

void take_archived(Listing& listing, const fs::path& below, UnpackedArchive unpacked) {
  for (ArchivedFile& file : unpacked.files) {
    if (has_litter(file.path)) continue;
    const fs::path path = below / file.path;
    add_folders_of(path, listing);
    if (is_archive(path) && !file.refusal.empty()) {
      listing.folders.push_back(path);
      listing.closed[path].problem = file.refusal;
      continue;
    }
    listing.files.push_back({path, {}, std::move(file)});
  }
  for (const fs::path& folder : unpacked.folders) {
    if (has_litter(folder)) continue;
    listing.folders.push_back(below / folder);
    add_folders_of(below / folder, listing);
  }
  for (const std::string& note : unpacked.notes)
    listing.notes.push_back(below.empty() ? note : printable(below.string()) + ": " + note);
}

UnpackedArchive open_archive(const Files& files, const fs::path& root, const fs::path& place,
                             const Unpacker& unpacker, int slot) {
  UnpackedArchive unread;
  const Result<UntrustedFile> file = files.read_untrusted(root, place, kMostArchiveBytes);
  if (!file) unread.system_error = file.error().message;
  if (!file || !file->refusal.empty()) {
    if (file) unread.refusal = file->refusal;
    return unread;
  }
  UnpackedArchive unpacked = unpacker.unpack(file->contents, 1, slot);
  if (!unpacked.refusal.empty())
    unpacked.refusal.args["name"] = printable(place.filename().string());
  return unpacked;
}

/// `path` without `folder` at its front; nothing where it does not lie below it.
std::optional<fs::path> path_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, end] = std::mismatch(path.begin(), path.end(), folder.begin(), folder.end());
  if (end != folder.end() || rest == path.end()) return std::nullopt;
  fs::path below;
  for (auto part = rest; part != path.end(); ++part) below /= *part;
  return below;
}

}  // namespace

bool is_litter(std::string_view name) {
  return name.empty() || name[0] == '.' || name == "__MACOSX" || name == "Thumbs.db" ||
         name == "desktop.ini";
}

Listing Listing::below(const fs::path& folder) const {
  Listing inner{root, {}, {}, {}, {}, notes};
  for (const HandedFile& file : files) {
    if (const auto path = path_below(file.path, folder))
      inner.files.push_back({*path, file.place, file.archived});
  }
  for (const auto& [from, to] :
       {std::pair(&folders, &inner.folders), std::pair(&repositories, &inner.repositories)}) {
    for (const fs::path& each : *from) {
      if (const auto path = path_below(each, folder)) to->push_back(*path);
    }
  }
  for (const auto& [each, closed_folder] : closed) {
    if (const auto path = path_below(each, folder)) inner.closed[*path] = closed_folder;
  }
  return inner;
}

Result<Listing> list_folder(const Files& files, const fs::path& root, const std::string& list) {
  const Result<std::vector<std::string>> names = files.list(root);
  if (!names) return names.error();
  Listing listing{root, {}, {}, {}, {}, {}};
  Walk(files, list, listing).add({}, *names, kMostFolderLevels);
  sort_paths(listing);
  return listing;
}

Listing list_archive(const fs::path& root, UnpackedArchive unpacked) {
  Listing listing{root, {}, {}, {}, {}, {}};
  take_archived(listing, {}, std::move(unpacked));
  sort_paths(listing);
  return listing;
}

Listing open_archives(Listing listing, const Files& files, const Unpacker& unpacker, int jobs) {
  std::vector<HandedFile> archives;
  const auto is_shut = [](const HandedFile& file) {
    return !file.archived && is_archive(file.path);
  };
  std::copy_if(listing.files.begin(), listing.files.end(), std::back_inserter(archives), is_shut);
  listing.files.erase(std::remove_if(listing.files.begin(), listing.files.end(), is_shut),
                      listing.files.end());
  std::vector<UnpackedArchive> unpacked(archives.size());
  in_parallel(archives.size(), jobs, [&](size_t index, int slot) {
    unpacked[index] = open_archive(files, listing.root, archives[index].place, unpacker, slot);
  });
  for (size_t i = 0; i < archives.size(); ++i) {
    const fs::path& path = archives[i].path;
    listing.folders.push_back(path);
    if (!unpacked[i].refusal.empty() || !unpacked[i].system_error.empty())
      listing.closed[path] = {unpacked[i].refusal, unpacked[i].system_error};
    take_archived(listing, path, std::move(unpacked[i]));
  }
  sort_paths(listing);
  return listing;
}

}  // namespace warpgrade
