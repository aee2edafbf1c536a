// SPDX-License-Identifier: MIT
#include "rubric/handout_passages.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr std::string_view kBegin = "<!-- items:", kEnd = "-->", kCodeIndent = "    ";

/// What stands between the signs of a marker; nothing for another line.
std::optional<std::string_view> listed(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) return std::nullopt;
  return line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
}

std::vector<PassageItem> items_of(std::string_view line, std::string_view ids, int number) {
  std::vector<PassageItem> items;
  for (const std::string& each : split(ids, ',')) {
    const std::string_view id = trim(each);
    if (id.empty()) continue;
    items.push_back({std::string(id), {number, static_cast<int>(line.find(id)) + 1}});
  }
  return items;
}

/// "- text", "12. text": past the sign and its blank; 0 where no list item begins.
size_t list_sign(std::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return 0;
  size_t at = line.find_first_not_of("0123456789", first);
  if (at == std::string_view::npos) return 0;
  const bool is_number = at > first && line[at] == '.';
  const bool is_bullet = at == first && (line[at] == '-' || line[at] == '*' || line[at] == '+');
  return (is_number || is_bullet) && line.substr(at + 1).starts_with(' ') ? at + 2 : 0;
}

bool ends_passage(std::string_view line) {
  return trim(line).empty() || line.starts_with("#") || line.starts_with("|") ||
         line.starts_with("<!--");
}

/// Where `*words*` that begin at `at` end; npos for a star that multiplies.
size_t end_of_emphasis(std::string_view text, size_t at) {
  const bool may_begin = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(';
  if (!may_begin || at + 1 >= text.size() || text[at + 1] == ' ') return std::string_view::npos;
  const size_t end = text.find('*', at + 1);
  return end == std::string_view::npos || text[end - 1] == ' ' ? std::string_view::npos : end;
}

/// Without emphasis, signs of quotations, and where links lead.
std::string without_markdown(std::string_view text) {
  std::string plain;
  bool is_code = false;
  size_t emphasis_end = std::string_view::npos;
  for (size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (text[at] == '`') is_code = !is_code;
    if (!is_code && rest.starts_with("**")) {
      ++at;
    } else if (at == emphasis_end) {
      emphasis_end = std::string_view::npos;
    } else if (const size_t end =
                   !is_code && text[at] == '*' ? end_of_emphasis(text, at) : std::string_view::npos;
               end != std::string_view::npos) {
      emphasis_end = end;
    } else if (!is_code && rest.starts_with("](")) {
      at += std::min(rest.find(')'), rest.size() - 1);
    } else if (!is_code && text[at] == '[' && rest.find("](") != std::string_view::npos) {
      continue;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

/// Reads a handout line by line.
class Reader {
 public:
  std::vector<HandoutPassage> read(std::string_view markdown) {
    int number = 0;
    for (const std::string& line : split(markdown, '\n')) {
      ++number;
      const bool is_fence = line.starts_with("```");
      if (is_fence) is_fenced_ = !is_fenced_;
      const auto ids = is_fenced_ ? std::nullopt : listed(line);
      if (ids) {
        name(items_of(line, *ids, number));
      } else if (part_ == Part::kWords) {
        take(line, is_fence);
      } else if (part_ == Part::kCode) {
        take_code(line, is_fence);
      }
    }
    return std::move(passages_);
  }

 private:
  /// What the next line may add to the last passage.
  enum class Part { kNothing, kWords, kCode };

  void name(std::vector<PassageItem> items) {
    if (part_ != Part::kWords || !passages_.back().text.empty()) passages_.emplace_back();
    part_ = Part::kWords;
    auto& all = passages_.back().items;
    all.insert(all.end(), items.begin(), items.end());
  }

  void take(std::string_view line, bool is_fence) {
    std::string& text = passages_.back().text;
    size_t sign = list_sign(line);
    if (text.empty()) is_list_item_ = sign > 0;
    // "8. " at the beginning of a line is a list item only where a list has begun.
    if (!is_list_item_ && !line.starts_with("1. ") && !line.starts_with("- ")) sign = 0;
    if (is_fence || ends_passage(line) || (sign > 0 && !text.empty())) {
      part_ = text.ends_with(':') ? Part::kCode : Part::kNothing;
      return;
    }
    std::string_view words = line.substr(sign);
    if (words.starts_with("> ")) words.remove_prefix(2);
    text += (text.empty() ? "" : " ") + without_markdown(trim(words));
  }

  /// A block of code that the words announce by a colon.
  void take_code(std::string_view line, bool is_fence) {
    const bool is_code = is_fenced_ || line.starts_with(kCodeIndent);
    if (is_fence && is_fenced_) return;
    if (is_code && !trim(line).empty()) {
      passages_.back().text +=
          fmt::format("\n{}", line.substr(is_fenced_ ? 0 : kCodeIndent.size()));
      has_code_ = true;
    } else if (has_code_ || !trim(line).empty()) {
      part_ = Part::kNothing;
      has_code_ = false;
    }
  }

  std::vector<HandoutPassage> passages_;
  Part part_ = Part::kNothing;
  bool is_list_item_ = false;  ///< The last passage's words are.
  bool is_fenced_ = false, has_code_ = false;
};

}  // namespace

std::vector<HandoutPassage> handout_passages(std::string_view markdown) {
  return Reader().read(markdown);
}

std::string passage_for(const std::vector<HandoutPassage>& passages, const std::string& item) {
  for (const HandoutPassage& passage : passages) {
    for (const PassageItem& each : passage.items) {
      if (each.id == item) return passage.text;
    }
  }
  return "";
}

void check_passages(const std::vector<HandoutPassage>& passages,
                    const std::vector<std::string>& known, Diagnostics& errors) {
  const std::set<std::string> ids(known.begin(), known.end());
  std::set<std::string> named;
  for (const HandoutPassage& passage : passages) {
    if (passage.text.empty() && !passage.items.empty())
      errors.add(passage.items.front().place,
                 "no paragraph follows; write the line directly above the text that tells what "
                 "these items ask");
    for (const auto& [id, place] : passage.items) {
      if (ids.count(id) == 0) {
        const std::string near = nearest(id, known);
        errors.add(place, fmt::format("the rubric has no item '{}'{}", id,
                                      near.empty() ? "" : "; did you mean '" + near + "'?"));
      } else if (!named.insert(id).second) {
        errors.add(place, fmt::format("another passage is item '{}''s already; name it once", id));
      }
    }
  }
}

}  // namespace warpgrade
