// SPDX-License-Identifier: MIT
#include "report/similarity/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string>
#include <utility>

namespace warpgrade {
namespace {

/// Words that the language or CUDA fixes; CUDA's functions are known by how they begin.
constexpr std::array<std::string_view, 48> kFixed = {
    "auto",     "blockDim",  "blockIdx", "bool",     "break",     "case",       "char",
    "class",    "continue",  "default",  "delete",   "dim3",      "do",         "double",
    "else",     "enum",      "false",    "float",    "float4",    "for",        "gridDim",
    "if",       "int",       "long",     "new",      "nullptr",   "operator",   "return",
    "short",    "signed",    "size_t",   "sizeof",   "struct",    "switch",     "template",
    "this",     "threadIdx", "true",     "typename", "unsigned",  "using",      "void",
    "volatile", "while",     "warpSize", "goto",     "namespace", "static_cast"};
/// What anybody adds or drops without a change of meaning.
constexpr std::array<std::string_view, 6> kIdle = {"const",  "constexpr",    "static",
                                                   "inline", "__restrict__", "noexcept"};
constexpr std::array<std::string_view, 3> kFixedBeginnings = {"cuda", "__", "atomic"};

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return begins_word(c) || is_digit(c); }

class Reader {
 public:
  explicit Reader(std::string_view source) : rest_(source) {}

  std::vector<Token> read() {
    while (!rest_.empty()) read_one();
    return std::move(tokens_);
  }

 private:
  void read_one() {
    const char c = rest_[0];
    if (rest_.starts_with("//")) return take(end_of_line());
    if (rest_.starts_with("/*")) return take(past("*/", 2));
    if (c == '#') return read_directive();
    if (rest_.starts_with("R\"")) return read_raw_string();
    if (c == '"' || c == '\'') return add("string", quoted(c));
    if (is_digit(c))
      return add("number", length_of([](char d) { return is_word(d) || d == '.' || d == '\''; }));
    if (begins_word(c)) return read_word();
    const bool is_layout = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (is_layout || c == '{' || c == '}' || c == '\\') return take(1);
    add(rest_.substr(0, 1), 1);
  }

  /// An include says nothing about who wrote what follows.
  void read_directive() {
    size_t word = 1;
    while (word < rest_.size() && (rest_[word] == ' ' || rest_[word] == '\t')) ++word;
    if (rest_.substr(word).starts_with("include")) return take(end_of_line());
    add("#", word);
  }

  void read_raw_string() {
    const size_t open = rest_.find('(');
    if (open == std::string_view::npos) return take(2);
    const std::string end = ")" + std::string(rest_.substr(2, open - 2)) + "\"";
    add("string", past(end, open));
  }

  void read_word() {
    const std::string_view word = rest_.substr(0, length_of(is_word));
    if (std::find(kIdle.begin(), kIdle.end(), word) != kIdle.end()) return take(word.size());
    const bool is_fixed =
        std::find(kFixed.begin(), kFixed.end(), word) != kFixed.end() ||
        std::any_of(kFixedBeginnings.begin(), kFixedBeginnings.end(),
                    [&](std::string_view beginning) { return word.starts_with(beginning); });
    add(is_fixed ? word : "name", word.size());
  }

  template <class Belongs>
  size_t length_of(Belongs belongs) const {
    return static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), belongs) -
                               rest_.begin());
  }

  /// A backslash at its end joins a line with the next one.
  size_t end_of_line() const {
    size_t end = rest_.find('\n');
    while (end != std::string_view::npos && end > 0 && rest_[end - 1] == '\\')
      end = rest_.find('\n', end + 1);
    return std::min(end, rest_.size());
  }

  size_t past(std::string_view end, size_t from) const {
    const size_t at = rest_.find(end, from);
    return at == std::string_view::npos ? rest_.size() : at + end.size();
  }

  size_t quoted(char quote) const {
    size_t at = 1;
    while (at < rest_.size() && rest_[at] != quote && rest_[at] != '\n')
      at += rest_[at] == '\\' ? 2 : 1;
    return std::min(at + 1, rest_.size());
  }

  void add(std::string_view kind, size_t length) {
    tokens_.push_back({std::hash<std::string_view>()(kind), line_});
    take(length);
  }

  void take(size_t length) {
    line_ += static_cast<size_t>(
        std::count(rest_.begin(), rest_.begin() + static_cast<long>(length), '\n'));
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  size_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> read_tokens(std::string_view source) { return Reader(source).read(); }

}  // namespace warpgrade
