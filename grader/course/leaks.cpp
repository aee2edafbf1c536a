// SPDX-License-Identifier: MIT
#include "course/leaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kTellingCharacters = 20;
constexpr size_t kPassageLines = 3;
constexpr size_t kForeignPassageLines = 2;  // where nothing of an answer has a reason to be

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// A line that tells something, and where it stands.
struct TellingLine {
  std::string text;
  size_t number;
};

std::vector<TellingLine> telling_lines(const std::string& text) {
  std::vector<TellingLine> lines;
  const std::vector<std::string> all = split(text, '\n');
  for (size_t i = 0; i < all.size(); ++i) {
    std::string line = telling_line(all[i]);
    if (!line.empty()) lines.push_back({std::move(line), i + 1});
  }
  return lines;
}

std::set<std::string> line_set(const Texts& texts) {
  std::set<std::string> lines;
  for (const auto& [path, text] : texts) {
    for (TellingLine& line : telling_lines(text)) lines.insert(std::move(line.text));
  }
  return lines;
}

/// The longest run of `lines` from `first` on that stands in `secret` as it is here.
size_t common_run(const std::vector<TellingLine>& lines, size_t first,
                  const std::vector<TellingLine>& secret) {
  size_t longest = 0;
  for (size_t start = 0; start < secret.size(); ++start) {
    size_t length = 0;
    while (first + length < lines.size() && start + length < secret.size() &&
           lines[first + length].text == secret[start + length].text)
      ++length;
    longest = std::max(longest, length);
  }
  return longest;
}

std::vector<TellingLine> without(std::vector<TellingLine> lines,
                                 const std::set<std::string>& known) {
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [&](const TellingLine& line) { return known.count(line.text) != 0; }),
              lines.end());
  return lines;
}

class Search {
 public:
  Search(const HandoutTexts& texts, const std::string& skeleton)
      : texts_(texts), skeleton_(skeleton) {
    const auto found = texts.given.find(skeleton);
    if (found != texts.given.end()) skeleton_lines_ = line_set({*found});
  }

  /// What the skeleton holds is given, and that it scores 0 is proved.
  void passages(const Texts& texts, size_t least) {
    for (const auto& [path, text] : texts) {
      if (path == skeleton_) continue;
      const std::vector<TellingLine> lines = without(telling_lines(text), skeleton_lines_);
      for (size_t i = 0; i < lines.size();) {
        const Passage passage = longest_passage(lines, i);
        if (passage.lines >= least)
          leaks_.push_back(fmt::format("{}:{}: {} lines from \"{}\" on are those of {}", path,
                                       lines[i].number, passage.lines, lines[i].text,
                                       passage.from));
        i += std::max<size_t>(1, passage.lines);
      }
    }
  }

  void hidden_case(const std::string& id) {
    for (const Texts* texts : {&texts_.given, &texts_.shipped}) {
      for (const auto& [path, text] : *texts) {
        if (const std::optional<size_t> line = line_with(text, id))
          leaks_.push_back(fmt::format("{}:{}: names the hidden case {}", path, *line, id));
      }
    }
  }

  void read_secrets() {
    for (const auto& [path, text] : texts_.secret)
      secrets_[path] = without(telling_lines(text), skeleton_lines_);
  }

  std::vector<std::string> finish() { return std::move(leaks_); }

 private:
  struct Passage {
    size_t lines = 0;
    std::string from;
  };

  Passage longest_passage(const std::vector<TellingLine>& lines, size_t first) const {
    Passage longest;
    for (const auto& [path, theirs] : secrets_) {
      const size_t run = common_run(lines, first, theirs);
      if (run > longest.lines) longest = {run, path};
    }
    return longest;
  }

  /// The line that holds `id` as a word of its own. A plain word such as "large" says nothing by
  /// itself, so it must stand as an id does in a rubric.
  static std::optional<size_t> line_with(const std::string& text, const std::string& id) {
    const bool plain =
        std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    const std::string wanted = plain ? "id: " + id : id;
    const auto in_id = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    };
    for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
      const size_t end = at + wanted.size();
      if ((at == 0 || !in_id(text[at - 1])) && (end == text.size() || !in_id(text[end])))
        return static_cast<size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
               1;
    }
    return std::nullopt;
  }

  const HandoutTexts& texts_;
  const std::string& skeleton_;
  std::set<std::string> skeleton_lines_;
  std::map<std::string, std::vector<TellingLine>> secrets_;
  std::vector<std::string> leaks_;
};

}  // namespace

std::string telling_line(std::string_view line) {
  std::string squeezed;
  for (const char c : trim(line)) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) squeezed += c;
    if (blank && squeezed.back() != ' ') squeezed += ' ';
  }
  for (const std::string_view start : {"//", "#include", "#pragma", "using ", "namespace ", "*"}) {
    if (starts_with(squeezed, start)) return "";
  }
  const auto letters = std::count_if(squeezed.begin(), squeezed.end(),
                                     [](unsigned char c) { return std::isalnum(c) != 0; });
  return squeezed.size() < kTellingCharacters || letters == 0 ? "" : squeezed;
}

std::vector<std::string> find_leaks(const HandoutTexts& texts, const std::string& skeleton,
                                    const Rubric& rubric) {
  Search search(texts, skeleton);
  search.read_secrets();
  search.passages(texts.given, kPassageLines);
  search.passages(texts.shipped, kForeignPassageLines);
  for (const Case& each : rubric.cases) {
    if (each.visibility == Visibility::kHidden) search.hidden_case(each.id);
  }
  return search.finish();
}

}  // namespace warpgrade
