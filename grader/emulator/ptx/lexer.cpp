// SPDX-License-Identifier: MIT
#include "emulator/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace warpgrade::emulator::ptx {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         c == '%';
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

bool Lexer::at_end() {
  skip_blanks();
  return at_ >= text_.size();
}

char Lexer::peek() { return at_end() ? '\0' : text_[at_]; }

bool Lexer::accept(char symbol) {
  if (peek() != symbol) return false;
  ++at_;
  return true;
}

bool Lexer::comes(std::string_view text) {
  return !at_end() && text_.substr(at_, text.size()) == text;
}

void Lexer::expect(char symbol) {
  if (!accept(symbol)) fail(fmt::format("expected '{}'", symbol));
}

template <class Accepts>
std::string_view Lexer::take_while(Accepts accepts) {
  skip_blanks();
  const size_t begin = at_;
  while (at_ < text_.size() && accepts(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Lexer::word() {
  // "::" is part of a modifier, as in `.shared::cta`.
  skip_blanks();
  const size_t begin = at_;
  while (at_ < text_.size()) {
    if (is_identifier(text_[at_]) || text_[at_] == '.') {
      ++at_;
    } else if (text_.substr(at_, 2) == "::") {
      at_ += 2;
    } else {
      break;
    }
  }
  return text_.substr(begin, at_ - begin);
}

std::string_view Lexer::identifier() { return take_while(is_identifier); }

bool Lexer::number_ahead() {
  const auto at = [&](size_t index) { return index < text_.size() ? text_[index] : '\0'; };
  peek();
  const size_t begin = at_ + (at(at_) == '-' ? 1 : 0);
  return is_digit(at(begin)) || (at(begin) == '.' && is_digit(at(begin + 1)));
}

Number Lexer::number() {
  const bool negative = accept('-');
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  const auto parsed = [&](std::string_view digits, int base) {
    uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size()) fail("a number out of range");
    return value;
  };
  const auto prefixed = [&](std::string_view lower, std::string_view upper) {
    return rest.substr(0, 2) == lower || rest.substr(0, 2) == upper;
  };
  const auto hex_digits = [&] {
    at_ += 2;
    return take_while(is_hex);
  };
  const auto integer = [&](uint64_t value) {
    const bool marked = at_ < text_.size() && (text_[at_] == 'U' || text_[at_] == 'u');
    at_ += marked;
    return Number{Number::Kind::integer, negative ? 0 - value : value, marked || value >> 63 != 0};
  };
  if (prefixed("0f", "0F"))
    return {Number::Kind::float32, parsed(hex_digits(), 16) ^ (negative ? 0x8000'0000u : 0)};
  if (prefixed("0d", "0D"))
    return {Number::Kind::float64, parsed(hex_digits(), 16) ^ (negative ? 1ull << 63 : 0)};
  if (prefixed("0x", "0X")) return integer(parsed(hex_digits(), 16));
  if (prefixed("0b", "0B")) {
    at_ += 2;
    return integer(parsed(take_while(is_digit), 2));
  }
  const std::string_view digits = decimal_digits();
  if (digits.find_first_of(".eE") != std::string_view::npos) {
    const std::string whole = fmt::format("{}{}", negative ? "-" : "", digits);
    return {Number::Kind::float64, std::bit_cast<uint64_t>(std::strtod(whole.c_str(), nullptr))};
  }
  return integer(parsed(digits, digits.size() > 1 && digits[0] == '0' ? 8 : 10));
}

/// Digits with a fraction and an exponent, where they have such.
std::string_view Lexer::decimal_digits() {
  const auto digit_at = [&](size_t at) { return at < text_.size() && is_digit(text_[at]); };
  const auto character_at = [&](size_t at) { return at < text_.size() ? text_[at] : '\0'; };
  const size_t begin = at_;
  take_while(is_digit);
  if (character_at(at_) == '.' && digit_at(at_ + 1)) {
    ++at_;
    take_while(is_digit);
  }
  const bool exponent = character_at(at_) == 'e' || character_at(at_) == 'E';
  const bool has_sign = character_at(at_ + 1) == '+' || character_at(at_ + 1) == '-';
  if (exponent && digit_at(at_ + 1 + has_sign)) {
    at_ += 1 + has_sign;
    take_while(is_digit);
  }
  return text_.substr(begin, at_ - begin);
}

uint32_t Lexer::count() {
  const Number value = number();
  if (value.kind != Number::Kind::integer || value.bits > std::numeric_limits<uint32_t>::max()) {
    fail("expected a whole number");
  }
  return static_cast<uint32_t>(value.bits);
}

std::string_view Lexer::quoted() {
  expect('"');
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) fail("a string without its closing quote");
  return text_.substr(begin, at_++ - begin);
}

void Lexer::skip_past(char symbol) {
  const size_t found = text_.find(symbol, at_);
  if (found == std::string_view::npos) fail(fmt::format("expected '{}' before the end", symbol));
  at_ = found + 1;
}

void Lexer::skip_braces() {
  expect('{');
  for (int depth = 1; depth > 0;) {
    const char c = peek();
    if (c == '\0') fail("a '{' without its '}'");
    if (c == '"') {
      quoted();
      continue;
    }
    depth += (c == '{') - (c == '}');
    ++at_;
  }
}

void Lexer::fail(const std::string& what) const {
  const size_t at = std::min(at_, text_.size());
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<long>(at), '\n');
  throw SyntaxError{fmt::format("PTX line {}: {} near \"{}\"", line, what, text_.substr(at, 24))};
}

}  // namespace warpgrade::emulator::ptx
