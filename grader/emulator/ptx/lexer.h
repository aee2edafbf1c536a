// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpgrade::emulator::ptx {

/// Thrown by the lexer and the parser; caught once, in parse().
struct SyntaxError {
  std::string message;
};

/// A number as written: `0f3F800000`, `0d...`, `0x1F`, `0b101`, `-12`, `7U`, `1.5e-3`.
struct Number {
  enum class Kind : uint8_t { integer, float32, float64 };
  Kind kind;
  uint64_t bits;
  bool is_unsigned = false;
};

/// Reads PTX text piece by piece; blanks and comments between pieces are skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  bool at_end();
  /// The next character that is not blank, without taking it; '\0' at the end.
  char peek();
  /// Takes `symbol` if it comes next.
  bool accept(char symbol);
  void expect(char symbol);
  /// Whether `text` comes next, of which take() then takes as much.
  bool comes(std::string_view text);
  void take(std::string_view text) { at_ += text.size(); }
  /// A name: letters, digits and `_ $ % .`; empty where none comes next.
  std::string_view word();
  /// A name without dots.
  std::string_view identifier();
  bool number_ahead();
  Number number();
  /// A whole number that fits 32 bits.
  uint32_t count();
  std::string_view quoted();
  void skip_past(char symbol);
  /// Takes `{ ... }` with nested braces.
  void skip_braces();
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void skip_blanks();
  std::string_view decimal_digits();
  template <class Accepts>
  std::string_view take_while(Accepts accepts);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace warpgrade::emulator::ptx
