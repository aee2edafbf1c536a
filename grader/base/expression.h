// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// An integer formula over named values: `+ - * /` (division truncates), parentheses, unary minus,
/// `ceil_div(a, b)`, `min(a, b)` and `max(a, b)`. Parsed once, evaluated for many sets of values.
class Expression {
 public:
  using Values = std::map<std::string, long>;

  /// A constant.
  explicit Expression(long constant = 0);

  /// The Error names the 1-based column within `text`.
  static Result<Expression> parse(std::string_view text);

  /// As it was written.
  const std::string& text() const { return text_; }

  /// Whether both are written alike.
  bool operator==(const Expression& other) const { return text_ == other.text_; }

  /// The names it needs, each once, in the order of their first use.
  std::vector<std::string> names() const;

  /// An Error where a name has no value, a division is by zero, or a step leaves the range of
  /// `long`.
  Result<long> value(const Values& values) const;

 private:
  enum class Op {
    kConstant,
    kName,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kCeilDiv,
    kMin,
    kMax
  };
  /// One step of the formula in postfix order.
  struct Step {
    Op op;
    size_t column;
    long constant;
    std::string name;
  };
  class Parser;

  Result<long> apply(const Step& step, long left, long right) const;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace warpgrade
