// SPDX-License-Identifier: MIT
#include "emulator/ptx/expression.h"

#include <algorithm>
#include <string_view>

namespace warpgrade::emulator::ptx {
namespace {

constexpr uint64_t kWarpSize = 32;
constexpr int kMaxDepth = 64;

struct Operator {
  std::string_view text;
  int precedence;
};
// Longer ones first: "<" begins "<<" and "<=".
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7},
                                   {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
                                   {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                   {"*", 10}, {"/", 10}, {"%", 10}};

Number signed_number(uint64_t bits) { return {Number::Kind::integer, bits, false}; }

uint64_t quotient(const Number& a, const Number& b, bool is_unsigned) {
  if (is_unsigned) return a.bits / b.bits;
  // The least number has no opposite: C leaves its quotient by -1 open, this one wraps.
  if (b.bits == ~uint64_t{0}) return 0 - a.bits;
  return static_cast<uint64_t>(static_cast<int64_t>(a.bits) / static_cast<int64_t>(b.bits));
}

uint64_t shifted_right(const Number& a, uint64_t count) {
  if (a.is_unsigned) return count < 64 ? a.bits >> count : 0;
  return static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> std::min<uint64_t>(count, 63));
}

class Expression {
 public:
  explicit Expression(Lexer& lexer) : lexer_(lexer) {}

  Number conditional() {
    const Number condition = binary(1);
    if (condition.kind != Number::Kind::integer || !lexer_.accept('?')) return condition;
    if (++depth_ > kMaxDepth) lexer_.fail("too deep an expression");
    const Number yes = conditional();
    lexer_.expect(':');
    const Number no = conditional();
    --depth_;
    return condition.bits != 0 ? yes : no;
  }

 private:
  Number binary(int least) {
    Number left = unary();
    while (left.kind == Number::Kind::integer) {
      const auto* const found =
          std::find_if(std::begin(kOperators), std::end(kOperators), [&](const Operator& each) {
            return each.precedence >= least && lexer_.comes(each.text);
          });
      if (found == std::end(kOperators)) break;
      lexer_.take(found->text);
      left = applied(found->text, left, binary(found->precedence + 1));
    }
    return left;
  }

  Number unary() {
    if (++depth_ > kMaxDepth) lexer_.fail("too deep an expression");
    const Number value = prefixed();
    --depth_;
    return value;
  }

  Number prefixed() {
    if (lexer_.number_ahead()) return lexer_.number();
    if (lexer_.accept('+')) return unary();
    if (lexer_.accept('-')) {
      const Number value = integer();
      return {value.kind, 0 - value.bits, value.is_unsigned};
    }
    if (lexer_.accept('~')) {
      const Number value = integer();
      return {value.kind, ~value.bits, true};  // a .u64, as an H200's driver has it
    }
    if (lexer_.accept('!')) return signed_number(integer().bits == 0);
    if (lexer_.accept('(')) return parenthesised();
    if (lexer_.identifier() != "WARP_SZ") lexer_.fail("expected a constant");
    return signed_number(kWarpSize);
  }

  /// What follows a '(': an expression, or a cast.
  Number parenthesised() {
    if (lexer_.peek() != '.') {
      const Number value = conditional();
      lexer_.expect(')');
      return value;
    }
    const std::string_view type = lexer_.word();
    if (type != ".s64" && type != ".u64") lexer_.fail("a cast other than to .s64 or .u64");
    lexer_.expect(')');
    const Number value = integer();
    return {value.kind, value.bits, type == ".u64"};
  }

  Number integer() {
    const Number value = unary();
    if (value.kind != Number::Kind::integer) lexer_.fail("expected an integer");
    return value;
  }

  Number applied(std::string_view op, const Number& a, const Number& b) {
    if (b.kind != Number::Kind::integer) lexer_.fail("expected an integer");
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    const auto arithmetic = [&](uint64_t bits) {
      return Number{Number::Kind::integer, bits, is_unsigned};
    };
    if (op == "+") return arithmetic(a.bits + b.bits);
    if (op == "-") return arithmetic(a.bits - b.bits);
    if (op == "*") return arithmetic(a.bits * b.bits);
    if (op == "&") return arithmetic(a.bits & b.bits);
    if (op == "|") return arithmetic(a.bits | b.bits);
    if (op == "^") return arithmetic(a.bits ^ b.bits);
    if (op == "/" || op == "%") {
      if (b.bits == 0) lexer_.fail("a division by zero");
      const uint64_t whole = quotient(a, b, is_unsigned);
      return arithmetic(op == "/" ? whole : a.bits - whole * b.bits);
    }
    if (op == "<<") return {a.kind, b.bits < 64 ? a.bits << b.bits : 0, a.is_unsigned};
    if (op == ">>") return {a.kind, shifted_right(a, b.bits), a.is_unsigned};
    return signed_number(holds(op, a, b, is_unsigned));
  }

  static bool holds(std::string_view op, const Number& a, const Number& b, bool is_unsigned) {
    const bool less =
        is_unsigned ? a.bits < b.bits : static_cast<int64_t>(a.bits) < static_cast<int64_t>(b.bits);
    if (op == "<") return less;
    if (op == ">=") return !less;
    if (op == "<=") return less || a.bits == b.bits;
    if (op == ">") return !less && a.bits != b.bits;
    if (op == "==") return a.bits == b.bits;
    if (op == "!=") return a.bits != b.bits;
    return op == "&&" ? a.bits != 0 && b.bits != 0 : a.bits != 0 || b.bits != 0;
  }

  Lexer& lexer_;
  int depth_ = 0;
};

}  // namespace

bool expression_ahead(Lexer& lexer) {
  const char c = lexer.peek();
  return lexer.number_ahead() || c == '~' || c == '+' || c == '-';
}

Number constant_expression(Lexer& lexer) { return Expression(lexer).conditional(); }

}  // namespace warpgrade::emulator::ptx
