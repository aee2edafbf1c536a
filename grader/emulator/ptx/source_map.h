// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator::ptx {

/// A place named by a `.loc` directive.
struct Position {
  uint32_t file = 0, line = 0, column = 0;
  auto operator<=>(const Position&) const = default;
};

/// Whether a `.file` index names a header of the CUDA Toolkit.
bool is_toolkit_header(const std::map<uint32_t, std::string>& files, uint32_t file);

/// Follows the `.loc` directives of one function (PTX ISA, section 11.5.2). Code inlined from the
/// CUDA Toolkit's own headers is attributed to the line of the program that called it.
class SourceMap {
 public:
  SourceMap() = default;
  explicit SourceMap(const std::map<uint32_t, std::string>& files) : files_(&files) {}

  void move_to(Position position, std::optional<Position> inlined_at);
  Location current() const { return current_; }
  /// Where the function itself begins.
  Location first() const { return first_; }

 private:
  const std::map<uint32_t, std::string>* files_ = nullptr;
  std::map<Position, Position> callers_;
  Location current_, first_;
};

}  // namespace warpgrade::emulator::ptx
