// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgrade {

/// One of several processes that share a class. Each student belongs to exactly one of them.
struct Shard {
  int index = 1;  ///< From 1 to `count`.
  int count = 1;

  /// Decided by the student's id alone: on every machine, and whoever else is in the class.
  bool holds(std::string_view student) const;

  /// "2/8". Nothing where `text` is no such pair.
  static std::optional<Shard> parse(std::string_view text);

  bool operator==(const Shard&) const = default;
};

}  // namespace warpgrade
