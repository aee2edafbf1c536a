// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/diagnostics.h"

namespace warpgrade {

/// A value of the plain subset of YAML that rubrics are written in, and where it stands.
struct Yaml {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Place place;
  std::string text;            ///< A scalar's text.
  bool quoted = false;         ///< A quoted scalar is never a number.
  std::vector<Yaml> elements;  ///< A list's elements, or a map's values.
  std::vector<Yaml> keys;      ///< A map's keys: one scalar per element, all different.

  /// The value of a map's key; nullptr where there is none.
  const Yaml* find(std::string_view key) const;
  Yaml* find(std::string_view key);
};

/// No file of settings is larger.
constexpr size_t kMaxYamlBytes = 256 << 10;

/// Parses exactly one document. Reports, and thereby refuses, duplicate keys, anchors, aliases,
/// tags, merge keys, directives, quotes that do not end on their line, tabs in indentation, deep
/// nesting, huge files, characters that nobody sees and bytes that are no text. The value is of use
/// only if nothing was reported.
Yaml parse_yaml(std::string_view text, Diagnostics& errors);

}  // namespace warpgrade
