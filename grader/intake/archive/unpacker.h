// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/moment.h"
#include "base/refusal.h"
#include "base/result.h"

namespace warpgrade {

/// One file of an archive.
struct ArchivedFile {
  fs::path
      path;  ///< Relative, without `.` and `..`; files of an archive inside it lie below that one's name.
  std::string contents;  ///< Empty where nobody asked for files of this name.
  Refusal refusal = {};  ///< Why it was not unpacked (a link, too large).
  std::optional<Moment> written = {};

  bool operator==(const ArchivedFile&) const = default;
};

/// What an archive held.
struct UnpackedArchive {
  std::vector<ArchivedFile> files;
  std::vector<fs::path> folders = {};
  std::vector<std::string> notes =
      {};  ///< What was left out without a trace in `files`, a sentence each.
  Refusal refusal =
      {};  ///< Why it was not unpacked (damaged, too large); the reader of the archive fills in `name`.
  std::string system_error = {};  ///< What failed on this machine; empty where nothing did.
};

/// Opens archives that students made.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// `bytes` are the archive. `levels` is 2 where archives inside it are opened too, else 1. May be called from many
  /// threads at once, each with a slot of its own.
  virtual UnpackedArchive unpack(const std::string& bytes, int levels, int slot) const = 0;
};

}  // namespace warpgrade
