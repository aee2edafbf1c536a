// SPDX-License-Identifier: MIT
#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

namespace warpgrade {

/// Recursive descent: sum > product > factor. Appends steps in postfix order.
class Expression::Parser {
 public:
  Parser(std::string_view text, std::vector<Step>& steps) : text_(text), steps_(steps) {}

  Status parse() {
    if (Status status = sum(); !status) return status;
    if (peek() != '\0') return unexpected();
    return {};
  }

 private:
  // Bounds the recursion, and with it the stack, for any text.
  static constexpr int kMaxDepth = 64;

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  Error error_at(size_t at, std::string_view what) const {
    return {fmt::format("{} at column {} of '{}'", what, at + 1, text_)};
  }

  Error unexpected() {
    if (peek() == '\0' && at_ == text_.size()) return error_at(at_, "a value is missing");
    return error_at(at_, fmt::format("unexpected '{}'", text_[at_]));
  }

  Status expect(char wanted) {
    if (peek() != wanted) return error_at(at_, fmt::format("'{}' is missing", wanted));
    ++at_;
    return {};
  }

  void emit(Op op, size_t at, long constant = 0, std::string name = {}) {
    steps_.push_back({op, at + 1, constant, std::move(name)});
  }

  Status sum() {
    if (Status status = product(); !status) return status;
    for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
      const size_t at = at_++;
      if (Status status = product(); !status) return status;
      emit(sign == '+' ? Op::kAdd : Op::kSubtract, at);
    }
    return {};
  }

  Status product() {
    if (Status status = factor(); !status) return status;
    for (char sign = peek(); sign == '*' || sign == '/'; sign = peek()) {
      const size_t at = at_++;
      if (Status status = factor(); !status) return status;
      emit(sign == '*' ? Op::kMultiply : Op::kDivide, at);
    }
    return {};
  }

  Status factor() {
    const char next = peek();
    if (depth_ == kMaxDepth) return error_at(at_, "nesting is too deep");
    ++depth_;
    Status status = next == '-' ? negation() : next == '(' ? group() : operand();
    --depth_;
    return status;
  }

  Status negation() {
    const size_t at = at_++;
    if (Status status = factor(); !status) return status;
    emit(Op::kNegate, at);
    return {};
  }

  Status group() {
    ++at_;
    if (Status status = sum(); !status) return status;
    return expect(')');
  }

  Status operand() {
    if (std::isdigit(static_cast<unsigned char>(peek()))) return number();
    const size_t at = at_;
    while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
    if (at_ == at) return unexpected();
    const std::string_view name = text_.substr(at, at_ - at);
    if (peek() == '(') return call(name, at);
    emit(Op::kName, at, 0, std::string(name));
    return {};
  }

  static bool is_name_byte(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  Status number() {
    long value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return error_at(at_, "the number is too large");
    if (end != text_.data() + text_.size() && is_name_byte(*end)) {
      return error_at(at_, "a name cannot begin with a digit");
    }
    emit(Op::kConstant, at_, value);
    at_ += static_cast<size_t>(end - begin);
    return {};
  }

  Status call(std::string_view name, size_t at) {
    const std::optional<Op> op = function(name);
    if (!op) {
      return error_at(at, fmt::format("unknown function '{}' (known: ceil_div, min, max)", name));
    }
    ++at_;
    if (Status status = sum(); !status) return status;
    if (Status status = expect(','); !status) return status;
    if (Status status = sum(); !status) return status;
    emit(*op, at);
    return expect(')');
  }

  static std::optional<Op> function(std::string_view name) {
    if (name == "ceil_div") return Op::kCeilDiv;
    if (name == "min") return Op::kMin;
    if (name == "max") return Op::kMax;
    return std::nullopt;
  }

  std::string_view text_;
  std::vector<Step>& steps_;
  size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(long constant)
    : text_(std::to_string(constant)), steps_{{Op::kConstant, 1, constant, {}}} {}

Result<Expression> Expression::parse(std::string_view text) {
  Expression expression;
  expression.text_ = text;
  expression.steps_.clear();
  if (const Status status = Parser(expression.text_, expression.steps_).parse(); !status) {
    return status.error();
  }
  return expression;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) {
    const bool known = std::find(names.begin(), names.end(), step.name) != names.end();
    if (step.op == Op::kName && !known) names.push_back(step.name);
  }
  return names;
}

Result<long> Expression::apply(const Step& step, long left, long right) const {
  const auto error = [&](std::string_view what) {
    return Error{fmt::format("{} at column {} of '{}'", what, step.column, text_)};
  };
  const bool divides = step.op == Op::kDivide || step.op == Op::kCeilDiv;
  if (divides && right == 0) return error("division by zero");
  if (divides && left == std::numeric_limits<long>::min() && right == -1) return error("overflow");
  long result = 0;
  bool overflow = false;
  switch (step.op) {
    case Op::kNegate:
      overflow = __builtin_sub_overflow(0L, right, &result);
      break;
    case Op::kAdd:
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case Op::kSubtract:
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case Op::kMultiply:
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    case Op::kDivide:
      result = left / right;
      break;
    case Op::kCeilDiv:
      result = left / right + (left % right != 0 && (left < 0) == (right < 0));
      break;
    case Op::kMin:
      result = std::min(left, right);
      break;
    case Op::kMax:
      result = std::max(left, right);
      break;
    case Op::kConstant:
    case Op::kName:
      break;  // Operands are pushed by value().
  }
  if (overflow) return error("overflow");
  return result;
}

Result<long> Expression::value(const Values& values) const {
  std::vector<long> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::kConstant) {
      stack.push_back(step.constant);
    } else if (step.op == Op::kName) {
      const auto found = values.find(step.name);
      if (found == values.end()) {
        return Error{
            fmt::format("unknown name '{}' at column {} of '{}'", step.name, step.column, text_)};
      }
      stack.push_back(found->second);
    } else {
      const long right = stack.back();
      if (step.op != Op::kNegate) stack.pop_back();
      const Result<long> result = apply(step, stack.back(), right);
      if (!result) return result;
      stack.back() = *result;
    }
  }
  return stack.back();
}

}  // namespace warpgrade
