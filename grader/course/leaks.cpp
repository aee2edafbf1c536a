// SPDX-License-Identifier: MIT
#include "course/leaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "course/mutant.h"

namespace warpgrade {
namespace {

constexpr size_t kTellingCharacters = 20;
constexpr size_t kPassageLines = 3;
constexpr const char* kTools = "grader";
constexpr size_t kForeignPassageLines = 2;  // where nothing of an answer has a reason to be

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

/// How many of `lines` from `first` on stand in `secret` from `start` on as they are here.
size_t common_run(const std::vector<TellingLine>& lines, size_t first,
                  const std::vector<TellingLine>& secret, size_t start) {
  size_t length = 0;
  while (first + length < lines.size() && start + length < secret.size() &&
         lines[first + length].text == secret[start + length].text)
    ++length;
  return length;
}

std::vector<TellingLine> without(std::vector<TellingLine> lines,
                                 const std::set<std::string>& known) {
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [&](const TellingLine& line) { return known.count(line.text) != 0; }),
              lines.end());
  return lines;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return path.string().starts_with(folder.string() + "/");
}

/// Adds every program below `course`/`folder` to `texts`; `model_answer` is the base of patches that name none.
Status read_answers(const Files& files, const fs::path& course, const fs::path& folder,
                    const fs::path& model_answer, Texts& texts) {
  const Result<std::vector<std::string>> names = files.list(course / folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const fs::path path = folder / name;
    // An exploit is no answer, and has much that any program around CUDA has.
    if (name == "exploits") continue;
    if (files.is_folder(course / path)) {
      if (Status read = read_answers(files, course, path, model_answer, texts); !read) return read;
    } else if (path.extension() == ".cu" || path.extension() == kPatchExtension) {
      Result<std::string> text = read_program(files, model_answer, course / path);
      if (!text) return text.error();
      texts[path.string()] = std::move(*text);
    }
  }
  return {};
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

  /// A plain word such as "large" says nothing by itself: it must stand as an id does in a rubric, and
  /// the tools have rubrics of their own.
  void hidden_case(const std::string& id) {
    const bool plain =
        std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    for (const Texts* texts : {&texts_.given, &texts_.shipped}) {
      for (const auto& [path, text] : *texts) {
        if (plain && is_below(path, kTools)) continue;
        if (const std::optional<size_t> line = line_with(text, plain ? "id: " + id : id))
          leaks_.push_back(fmt::format("{}:{}: names the hidden case {}", path, *line, id));
      }
    }
  }

  void read_secrets() {
    for (const auto& [path, text] : texts_.secret) {
      const std::vector<TellingLine>& lines = secrets_[path] =
          without(telling_lines(text), skeleton_lines_);
      for (size_t i = 0; i < lines.size(); ++i) places_.insert({lines[i].text, {&path, i}});
    }
  }

  std::vector<std::string> finish() { return std::move(leaks_); }

 private:
  struct Passage {
    size_t lines = 0;
    std::string from;
  };

  Passage longest_passage(const std::vector<TellingLine>& lines, size_t first) const {
    Passage longest;
    const auto [begin, end] = places_.equal_range(lines[first].text);
    for (auto place = begin; place != end; ++place) {
      const auto& [path, start] = place->second;
      const size_t run = common_run(lines, first, secrets_.at(*path), start);
      if (run > longest.lines) longest = {run, *path};
    }
    return longest;
  }

  /// The line that holds `wanted` as a word of its own.
  static std::optional<size_t> line_with(const std::string& text, const std::string& wanted) {
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
  std::unordered_multimap<std::string, std::pair<const std::string*, size_t>> places_;
  std::vector<std::string> leaks_;
};

}  // namespace

Result<HandoutTexts> handout_texts(const FileTree& handout, const Files& files,
                                   const fs::path& course, const std::string& slug,
                                   const std::string& submission) {
  HandoutTexts texts;
  for (const auto& [path, text] : handout) {
    const bool is_given = is_below(path, fs::path("assignments") / slug) ||
                          is_below(path, fs::path("skeletons") / slug);
    (is_given ? texts.given : texts.shipped)[path.string()] = text;
  }
  const fs::path reference = fs::path("reference") / slug;
  if (Status read =
          read_answers(files, course, reference, course / reference / submission, texts.secret);
      !read)
    return read.error();
  return texts;
}

std::string telling_line(std::string_view line) {
  std::string squeezed;
  for (const char c : trim(line)) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank) squeezed += c;
    if (blank && squeezed.back() != ' ') squeezed += ' ';
  }
  for (const std::string_view start : {"//", "#include", "#pragma", "using ", "namespace ", "*"}) {
    if (squeezed.starts_with(start)) return "";
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
