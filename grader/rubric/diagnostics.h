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

/// One mistake as an editor needs it: 1-based line, 1-based column in characters.
struct Mistake {
  std::string file;
  int line = 1;
  int column = 1;
  std::string message;
  std::string source;  ///< The line, made printable and cut; empty where there is none.
};

/// The mistakes found in one text.
class Diagnostics {
 public:
  /// `name` is what messages call the text.
  Diagnostics(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  /// What comes after the first hundred is counted, not kept.
  void add(Place place, std::string message);
  /// What messages call the text.
  const std::string& name() const { return name_; }
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  /// Looking for more is of no use.
  bool full() const { return count_ >= kMost; }

  /// In the order of the text.
  std::vector<Mistake> mistakes() const;

  /// All mistakes in the order of the text, each as `name:line:column: error: message`, the line
  /// and a caret under the place.
  std::string format() const;

 private:
  static constexpr size_t kMost = 100;

  struct Found {
    Place place;
    std::string message;
  };

  std::string name_;
  std::string text_;
  std::vector<Found> found_;
  size_t count_ = 0;
};

/// Each as `file:line:column: error: message`, the line and a caret under the place.
std::string format_text(const std::vector<Mistake>& mistakes);

/// A JSON list of the mistakes for editors: file, line, column, severity, message, source.
std::string format_json(const std::vector<Mistake>& mistakes);

}  // namespace warpgrade
