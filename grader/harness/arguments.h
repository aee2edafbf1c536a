// SPDX-License-Identifier: MIT
#pragma once

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpgrade::harness {

/// The words of a command line, taken in order. What does not fit prints the usage text, which is
/// that behind "usage: PROGRAM ", and ends the program with status 2.
class Arguments {
 public:
  Arguments(int argc, char** argv, const char* usage)
      : program_(argc > 0 ? argv[0] : "program"), usage_(usage) {
    for (int i = 1; i < argc; ++i) words_.emplace_back(argv[i]);
  }

  /// The next word, a whole number from `least` up.
  int number(const char* name, int least) {
    if (words_.empty()) refuse(std::string(name) + " is missing");
    const std::string word = take();
    char* end = nullptr;
    const long value = std::strtol(word.c_str(), &end, 10);
    if (end == word.c_str() || *end != '\0' || value < least || value > INT_MAX)
      refuse(std::string(name) + " must be a whole number from " + std::to_string(least) +
             " up, not '" + word + "'");
    return static_cast<int>(value);
  }

  int optional_number(const char* name, int least, int otherwise) {
    return words_.empty() ? otherwise : number(name, least);
  }

  /// The next word as it is.
  std::string word(const char* name) {
    if (words_.empty()) refuse(std::string(name) + " is missing");
    return take();
  }

  /// Whether `word` stands anywhere among the words that are left; it is taken out. Ask for flags
  /// before numbers.
  bool flag(const std::string& word) {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != word) continue;
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }

  /// Nothing may be left.
  void done() const {
    if (!words_.empty()) refuse("'" + words_.front() + "' is one word too many");
  }

 private:
  std::string take() {
    std::string word = words_.front();
    words_.erase(words_.begin());
    return word;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    std::fprintf(stderr, "%s\nusage: %s %s\n", why.c_str(), program_.c_str(), usage_);
    std::exit(2);
  }

  std::string program_;
  const char* usage_;
  std::vector<std::string> words_;
};

}  // namespace warpgrade::harness
