// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "intake/archive/unpacker.h"

namespace warpgrade {

/// Bounds of one archive. What lies in it is bounded likewise, each by itself.
struct ArchiveLimits {
  size_t files = 10'000;
  size_t file_bytes = 1 << 20;             ///< For one file that is kept.
  size_t kept_bytes = size_t{64} << 20;    ///< For all files that are kept.
  size_t skipped_bytes = size_t{1} << 30;  ///< Unpacked without being kept.
  size_t list_bytes = size_t{64} << 20;    ///< For a file that is kept by its whole name.
};

/// Reads an archive with libarchive, which has to trust it: call this in the sandbox alone. Keeps the contents of files
/// whose names are in `keep` or end as one of its words that begin with '.', in any case of letters; of others the
/// names. Opens archives inside the archive where `levels` is more than 1.
UnpackedArchive read_archive(std::string_view bytes, const std::vector<std::string>& keep,
                             const ArchiveLimits& limits, int levels);

}  // namespace warpgrade
