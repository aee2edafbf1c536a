// SPDX-License-Identifier: MIT
#include "rubric/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxValues = 20000;

/// Leaves the parser at the first mistake after which going on makes no sense. It has been
/// reported.
struct Abandoned {};

Place place_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

/// Past the quote that closes the one at the beginning of `text`; npos where none does.
size_t after_quote(std::string_view text) {
  const char quote = text[0];
  for (size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
      if (!doubled) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

/// The byte column (0-based) of a quote that opens a value of this line and is not closed on it.
std::optional<size_t> unclosed_quote(std::string_view line) {
  char before =
      ':';  // The last character that was no blank: a quote opens a value only after one of these.
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '#' && (i == 0 || line[i - 1] == ' ')) return std::nullopt;
    if ((c == '"' || c == '\'') &&
        std::string_view(":-[{,").find(before) != std::string_view::npos) {
      const size_t length = after_quote(line.substr(i));
      if (length == std::string_view::npos) return i;
      i += length - 1;
    }
    if (c != ' ') before = c;
  }
  return std::nullopt;
}

/// Turns yaml-cpp's events into one Yaml. Events carry places; its Node tree loses those of missing
/// values, and expands aliases.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::vector<std::string>& lines, Diagnostics& errors)
      : lines_(lines), errors_(errors) {}

  Yaml root;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      abandon(mark, "a second document begins; a rubric is one document, so remove '---'");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    attach(make(Yaml::Kind::kNull, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    abandon(mark, "aliases are not allowed; write the value out again");
  }

  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    errors_.add(place_of(mark), "anchors are not allowed; write each value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    Yaml scalar = make(Yaml::Kind::kScalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";
    if (!scalar.quoted) refuse_tag(mark, tag);
    if (scalar.quoted) refuse_unclosed(scalar.place);
    attach(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(Yaml::Kind::kList, mark, tag);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(Yaml::Kind::kMap, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void abandon(const YAML::Mark& mark, std::string message) {
    errors_.add(place_of(mark), std::move(message));
    throw Abandoned{};
  }

  Yaml make(Yaml::Kind kind, const YAML::Mark& mark) {
    if (++values_ > kMaxValues)
      abandon(mark, fmt::format("more than {} values; split the rubric", kMaxValues));
    Yaml value;
    value.kind = kind;
    value.place = place_of(mark);
    return value;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?")
      errors_.add(place_of(mark), fmt::format("remove the tag '{}'", tag));
  }

  // yaml-cpp takes a quote that is never closed and swallows the rest of the file with it.
  void refuse_unclosed(Place place) {
    const auto row = static_cast<size_t>(place.line - 1),
               column = static_cast<size_t>(place.column - 1);
    if (row >= lines_.size() || column >= lines_[row].size()) return;
    const std::string_view rest = std::string_view(lines_[row]).substr(column);
    const bool is_quote = rest[0] == '"' || rest[0] == '\'';
    if (is_quote && after_quote(rest) == std::string_view::npos) {
      errors_.add(place,
                  fmt::format("the text is not closed on its line; end it with {}", rest[0]));
      throw Abandoned{};
    }
  }

  void open(Yaml::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (open_.size() == kMaxDepth)
      abandon(mark, fmt::format("nested deeper than {} levels", kMaxDepth));
    refuse_tag(mark, tag);
    open_.push_back(make(kind, mark));
  }

  void close() {
    Yaml done = std::move(open_.back());
    open_.pop_back();
    attach(std::move(done));
  }

  void attach(Yaml value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (Yaml& parent = open_.back(); parent.kind == Yaml::Kind::kList) {
      parent.elements.push_back(std::move(value));
    } else if (parent.keys.size() == parent.elements.size()) {
      check_key(parent, value);
      parent.keys.push_back(std::move(value));
    } else {
      // yaml-cpp puts a missing value where the next token stands.
      if (value.kind == Yaml::Kind::kNull) value.place = parent.keys.back().place;
      parent.elements.push_back(std::move(value));
    }
  }

  void check_key(const Yaml& map, const Yaml& key) {
    if (key.kind != Yaml::Kind::kScalar) {
      errors_.add(key.place, "a key must be a word");
    } else if (key.text == "<<") {
      errors_.add(key.place, "merge keys are not allowed; write each key out");
    }
    for (const Yaml& other : map.keys) {
      if (other.text != key.text) continue;
      errors_.add(key.place,
                  fmt::format("the key '{}' stands on line {} already; remove one of them",
                              key.text, other.place.line));
    }
  }

  const std::vector<std::string>& lines_;
  Diagnostics& errors_;
  std::vector<Yaml> open_;
  size_t values_ = 0;
  int documents_ = 0;
};

/// Reports bytes that no rubric holds. Tabs are the mistake that YAML itself explains worst.
void check_lines(const std::vector<std::string>& lines, Diagnostics& errors) {
  for (size_t row = 0; row < lines.size(); ++row) {
    const std::string& line = lines[row];
    const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    const size_t tab = line.substr(0, indent).find('\t');
    const bool carriage_return = !line.empty() && line.back() == '\r';
    const Place start{static_cast<int>(row) + 1, 1};
    if (tab != std::string::npos) {
      errors.add({start.line, static_cast<int>(tab) + 1}, "a tab indents this line; use spaces");
    }
    const std::string_view text = std::string_view(line).substr(0, line.size() - carriage_return);
    if (printable(text) != text)
      errors.add(start, "the line is not plain UTF-8 text; remove what is shown as \\x..");
  }
}

void report(const YAML::Exception& exception, const std::vector<std::string>& lines,
            Diagnostics& errors) {
  for (size_t row = 0; row < lines.size(); ++row) {
    if (const std::optional<size_t> column = unclosed_quote(lines[row])) {
      errors.add(
          {static_cast<int>(row) + 1, static_cast<int>(*column) + 1},
          fmt::format("the text is not closed on its line; end it with {}", lines[row][*column]));
      return;
    }
  }
  // DeepRecursion has no place and calls itself "bad file".
  const bool too_deep = exception.msg == "bad file";
  errors.add(
      place_of(exception.mark),
      too_deep
          ? fmt::format("nested deeper than {} levels", kMaxDepth)
          : fmt::format(
                "not YAML ({}); look for a missing colon, bracket or quote here or just before",
                exception.msg));
}

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &elements[i];
  }
  return nullptr;
}

Yaml parse_yaml(std::string_view text, Diagnostics& errors) {
  const std::vector<std::string> lines = split(text, '\n');
  check_lines(lines, errors);
  if (!errors.empty()) return {};
  TreeBuilder tree(lines, errors);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(tree)) {
    }
  } catch (const Abandoned&) {
    return {};
  } catch (const YAML::Exception& exception) {
    report(exception, lines, errors);
  }
  return std::move(tree.root);
}

}  // namespace warpgrade
