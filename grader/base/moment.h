// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgrade {

/// A point in time, and the offset from UTC of the clock that it was read from.
struct Moment {
  long seconds = 0;  ///< Since 1970 in UTC.
  int offset_minutes = 0;

  /// "2026-10-05 23:59 +02:00": 'T' for the first blank, seconds and 'Z' for the offset are taken
  /// too; the offset must be there. Nothing where `text` is no such date.
  static std::optional<Moment> parse(std::string_view text);

  /// "2026-10-05 23:59 +02:00", with seconds where they are not 0.
  std::string format() const;

  bool operator==(const Moment&) const = default;
};

}  // namespace warpgrade
