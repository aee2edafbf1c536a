// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "intake/archive/unpacker.h"

namespace warpgrade {

/// A stream of records: what warpgrade-unpack found in an archive, as the sandbox lets it out.
std::string format_unpacked(const UnpackedArchive& unpacked);

/// Reads format_unpacked's text back. An Error for anything else: the program that wrote it has read what nobody trusts.
Result<UnpackedArchive> parse_unpacked(std::string_view text);

/// `path` without "." and empty parts. Nothing where it is absolute, leaves its folder, or is no file's name at all.
std::optional<fs::path> safe_path(std::string_view path);

}  // namespace warpgrade
