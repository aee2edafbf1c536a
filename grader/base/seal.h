// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace warpgrade {

/// Marks the lines of a record, one after another, by a key: without the key no line can be changed,
/// put in between or appended, nor can one be left out but at the end.
class Seal {
 public:
  explicit Seal(std::string key) : key_(std::move(key)) {}

  /// 32 hexadecimal digits that depend on the key, on the lines before and on this one.
  std::string mark(std::string_view line);

 private:
  std::string key_;
  std::string state_;
};

/// The lines of a record whose every line is "MARK LINE", without their marks. The Error says which
/// line has not the mark that it should have. What follows the last line break is dropped.
Result<std::string> open_sealed(std::string_view text, const std::string& key);

}  // namespace warpgrade
