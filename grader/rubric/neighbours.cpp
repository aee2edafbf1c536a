// SPDX-License-Identifier: MIT
#include "rubric/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kLeastPart = 2;  // one letter would spell any name
constexpr std::string_view kListed = "names:";
constexpr const char* kTimes = "times";  // where timed_by_events finds times by default

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads C++ as far as its literals and comments go.
class Literals {
 public:
  explicit Literals(std::string_view source) : source_(source) {}

  std::set<std::string> read() {
    while (at_ < source_.size()) {
      if (starts("//")) {
        take_line_comment();
      } else if (starts("/*")) {
        at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
      } else if (starts("R\"") && (at_ == 0 || !is_word(source_[at_ - 1]))) {
        take_raw();
      } else if (source_[at_] == '"') {
        take_text();
      } else if (source_[at_] == '\'' && (at_ == 0 || !is_word(source_[at_ - 1]))) {
        skip_letter();
      } else {
        if (std::isspace(static_cast<unsigned char>(source_[at_])) == 0) end_text();
        ++at_;
      }
    }
    end_text();
    return std::move(words_);
  }

 private:
  bool starts(std::string_view with) const { return source_.substr(at_).starts_with(with); }

  void take_line_comment() {
    const size_t end = std::min(source_.find('\n', at_), source_.size());
    const std::string_view text = trim(source_.substr(at_ + 2, end - at_ - 2));
    if (text.starts_with(kListed)) {
      for (const std::string& name : split(text.substr(kListed.size()), ','))
        words_.emplace(trim(name));
    }
    at_ = end;
  }

  void take_raw() {
    const size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return void(at_ = source_.size());
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const size_t end = std::min(source_.find(close, open), source_.size());
    add(source_.substr(open + 1, end - open - 1));
    at_ = std::min(end + close.size(), source_.size());
  }

  void take_text() {
    for (++at_; at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
      if (at_ < source_.size()) add(source_.substr(at_, 1));
    }
    at_ = std::min(at_ + 1, source_.size());
    text_ = text_.value_or("");
  }

  void skip_letter() {
    for (++at_; at_ < source_.size() && source_[at_] != '\'' && source_[at_] != '\n'; ++at_)
      at_ += source_[at_] == '\\';
    at_ = std::min(at_ + 1, source_.size());
  }

  /// Literals side by side are one.
  void add(std::string_view part) { text_ = text_.value_or("") + std::string(part); }
  void end_text() {
    if (text_) words_.insert(*text_);
    text_.reset();
  }

  std::string_view source_;
  size_t at_ = 0;
  std::optional<std::string> text_;
  std::set<std::string> words_;
};

/// Walks a rubric and holds its names against the neighbours.
class Names {
 public:
  Names(const Neighbours& neighbours, Diagnostics& errors)
      : neighbours_(neighbours), errors_(errors) {}

  void check_case(const Yaml& one) {
    const Yaml* family = one.find("family");
    if (family == nullptr || !neighbours_.oracle) return;
    const CodeWords& words = *neighbours_.oracle;
    if (words.can_say(family->text) || words.say_part_of(family->text)) return;
    refuse(*family, "the oracle knows no family", "oracle", words.names());
  }

  /// All maps below an item: every key of these names means the same wherever it stands.
  void check_item(const Yaml& value) {
    for (size_t i = 0; i < value.elements.size(); ++i) {
      const Yaml& element = value.elements[i];
      const std::string key = i < value.keys.size() ? value.keys[i].text : "";
      if (key == "range" || key == "computed_in") check_range(element);
      if (key == "time_array") check_written(element, element.text);
      if (key == "array" && value.find("made_from") == nullptr)
        check_written(element, element.text);
      if (key == "made_from") check_sources(element);
      if (key == "over") check_baseline(element);
      if (key == "outputs") check_expected(element);
      if (key == "timed_by_events" && element.find("time_array") == nullptr)
        check_written(value.keys[i], kTimes);
      check_item(element);
    }
  }

 private:
  void check_range(const Yaml& range) {
    if (!neighbours_.driver || neighbours_.driver->can_say(range.text)) return;
    refuse(range, "the driver opens no range", "driver", neighbours_.driver->names());
  }

  void check_written(const Yaml& place, const std::string& array) {
    if (!neighbours_.driver || neighbours_.driver->can_say(array)) return;
    Yaml named = place;
    named.text = array;
    refuse(named, "the driver writes no array", "driver", neighbours_.driver->names());
  }

  void check_sources(const Yaml& arrays) {
    for (const Yaml& array : arrays.elements) check_written(array, array.text);
  }

  void check_expected(const Yaml& outputs) {
    for (const Yaml& output : outputs.elements) {
      const Yaml* array = output.find("array");
      if (array == nullptr || !neighbours_.oracle || neighbours_.oracle->can_say(array->text))
        continue;
      // The driver does not know it either, which is said there.
      const bool is_drivers = output.find("made_from") == nullptr;
      if (is_drivers && neighbours_.driver && !neighbours_.driver->can_say(array->text)) continue;
      refuse(*array, "the oracle expects no array", "oracle", neighbours_.oracle->names());
    }
  }

  void check_baseline(const Yaml& over) {
    if (!neighbours_.baselines) return;
    const std::vector<std::string>& all = *neighbours_.baselines;
    if (std::find(all.begin(), all.end(), over.text) != all.end()) return;
    const std::string meant = nearest(over.text, all);
    errors_.add(over.place,
                fmt::format("there is no baseline '{}'; {}", over.text,
                            meant.empty() ? fmt::format("write baselines/{}.cu, or name one of {}",
                                                        over.text, join(all, ", "))
                                          : fmt::format("did you mean '{}'?", meant)));
  }

  void refuse(const Yaml& name, std::string_view complaint, std::string_view file,
              const std::vector<std::string>& words) {
    const std::string meant = nearest(name.text, words);
    errors_.add(name.place,
                meant.empty()
                    ? fmt::format("{0} '{1}'; where it puts that name together, list it in the "
                                  "{2}'s source: '// names: {1}'",
                                  complaint, name.text, file)
                    : fmt::format("{} '{}'; did you mean '{}'?", complaint, name.text, meant));
  }

  const Neighbours& neighbours_;
  Diagnostics& errors_;
};

/// What one source file and all headers beside it hold.
std::optional<CodeWords> read_words(const Files& files, const fs::path& folder,
                                    const std::string& file) {
  const Result<std::string> source = files.read(folder / file);
  if (!source) return std::nullopt;
  CodeWords words(*source);
  const Result<std::vector<std::string>> names = files.list(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const bool is_header = fs::path(name).extension() == ".h";
    const Result<std::string> header = is_header ? files.read(folder / name) : Error{};
    if (header) words.add(CodeWords(*header));
  }
  return words;
}

}  // namespace

CodeWords::CodeWords(std::string_view source) : words_(Literals(source).read()) {}

void CodeWords::add(const CodeWords& other) {
  words_.insert(other.words_.begin(), other.words_.end());
}

bool CodeWords::can_say(const std::string& name) const {
  if (words_.count(name) != 0) return true;
  for (size_t at = kLeastPart; at + kLeastPart <= name.size(); ++at) {
    if (words_.count(name.substr(0, at)) != 0 && words_.count(name.substr(at)) != 0) return true;
  }
  return false;
}

bool CodeWords::say_part_of(const std::string& name) const {
  const std::vector<std::string> parts = split(name, '_');
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return part.size() >= kLeastPart && words_.count(part) != 0;
  });
}

std::vector<std::string> CodeWords::names() const {
  std::vector<std::string> names;
  for (const std::string& word : words_) {
    const bool is_name = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return is_word(c) || c == '-' || c == '.';
    });
    if (is_name) names.push_back(word);
  }
  return names;
}

Neighbours read_neighbours(const Files& files, const fs::path& course, const std::string& slug) {
  const fs::path assignment = course / "assignments" / slug,
                 reference = course / "reference" / slug;
  Neighbours neighbours{read_words(files, assignment, "driver.cu"),
                        read_words(files, assignment, "oracle.cpp"), std::nullopt};
  if (!files.is_folder(reference)) return neighbours;
  std::vector<std::string> baselines = {"reference"};
  const Result<std::vector<std::string>> names = files.list(reference / "baselines");
  for (const fs::path name : names ? *names : std::vector<std::string>()) {
    if (name.extension() == ".cu") baselines.push_back(name.stem());
  }
  neighbours.baselines = std::move(baselines);
  return neighbours;
}

void check_neighbours(const Yaml& root, const Neighbours& neighbours, Diagnostics& errors) {
  Names names(neighbours, errors);
  if (const Yaml* cases = root.find("cases")) {
    for (const Yaml& one : cases->elements) names.check_case(one);
  }
  if (const Yaml* items = root.find("items")) names.check_item(*items);
}

}  // namespace warpgrade
