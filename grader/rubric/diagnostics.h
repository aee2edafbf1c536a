// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// Where something stands in a text: 1-based line, 1-based byte column.
struct Place {
  int line = 1;
  int column = 1;
};

/// The mistakes found in one text.
class Diagnostics {
 public:
  /// `text` must outlive this object; `name` is what messages call it.
  Diagnostics(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  void add(Place place, std::string message);
  bool empty() const { return mistakes_.empty(); }
  size_t count() const { return mistakes_.size(); }

  /// All mistakes in the order of the text, each as `name:line:column: error: message`, the line
  /// and a caret under the place.
  std::string format() const;

 private:
  struct Mistake {
    Place place;
    std::string message;
  };

  std::string format_one(const Mistake& mistake, std::string_view line) const;

  std::string name_;
  std::string_view text_;
  std::vector<Mistake> mistakes_;
};

}  // namespace warpgrade
