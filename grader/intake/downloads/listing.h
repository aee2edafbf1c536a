// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/moment.h"
#include "intake/archive/unpacker.h"

namespace warpgrade {

/// One file of a download, in a folder of this machine or in an archive.
struct HandedFile {
  fs::path path;   ///< Inside the download; an archive is a folder on the way.
  fs::path place;  ///< Below Listing::root, as the machine knows it; empty in an archive.
  /// Set for files of an archive and for the lists that describe a download's other files.
  std::optional<ArchivedFile> archived = {};
};

/// A folder or an archive of a download that cannot be looked into.
struct ClosedFolder {
  Refusal problem;           ///< The student's: a link, a damaged archive. Empty where it is not.
  std::string system_error;  ///< The machine's: it cannot be listed. Empty where it can.
};

/// All files of a download without the litter of systems and archives, sorted by path.
struct Listing {
  fs::path root;
  std::vector<HandedFile> files;
  std::vector<fs::path>
      folders;  ///< Sorted; those of the files, and empty ones; opened archives too.
  std::vector<fs::path> repositories;  ///< Folders that hold a `.git`.
  std::map<fs::path, ClosedFolder> closed;
  std::vector<std::string> notes;  ///< What was left out of it, a sentence each.

  /// The same below `folder`, which the paths then lack.
  Listing below(const fs::path& folder) const;
};

/// What systems and archivers leave behind: no student's work.
bool is_litter(std::string_view name);

/// Lists `root`, a folder. Follows no links below it, and reads files called `list`, in which a download says whose its
/// other files are. An Error where the folder cannot be listed.
Result<Listing> list_folder(const Files& files, const fs::path& root, const std::string& list = {});

/// Lists what an archive held.
Listing list_archive(const fs::path& root, UnpackedArchive unpacked);

/// The same with each archive of it in a folder's place, which holds what the archive held.
Listing open_archives(Listing listing, const Files& files, const Unpacker& unpacker, int jobs);

}  // namespace warpgrade
