// SPDX-License-Identifier: MIT
#include "rubric/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "rubric/source_text.h"

namespace warpgrade {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxValues = 10000;

/// Leaves the parser at the first mistake after which going on makes no sense. It has been
/// reported.
struct Abandoned {};

Place place_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
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
      abandon(mark, "a second document begins; the file is one document, so remove '---' or '...'");
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
    // "!" is what yaml-cpp calls quoted and block texts, and also what a lone '!' says of any.
    scalar.quoted = tag == "!" &&
                    std::string_view("\"'|>").find(byte_at(scalar.place)) != std::string_view::npos;
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
      abandon(mark,
              fmt::format("more than {} values; a file of settings has far fewer", kMaxValues));
    Yaml value;
    value.kind = kind;
    value.place = place_of(mark);
    return value;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?")
      errors_.add(place_of(mark), fmt::format("remove the tag '{}'", tag));
  }

  /// The line from `place` on; empty past its end.
  std::string_view rest_of_line(Place place) const {
    const auto row = static_cast<size_t>(place.line - 1),
               column = static_cast<size_t>(place.column - 1);
    if (row >= lines_.size() || column >= lines_[row].size()) return {};
    return std::string_view(lines_[row]).substr(column);
  }

  char byte_at(Place place) const {
    const std::string_view rest = rest_of_line(place);
    return rest.empty() ? '\n' : rest[0];
  }

  // yaml-cpp takes a quote that is never closed and swallows the rest of the file with it.
  void refuse_unclosed(Place place) {
    const std::string_view rest = rest_of_line(place);
    const bool is_quote = !rest.empty() && (rest[0] == '"' || rest[0] == '\'');
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
    key_lines_.emplace_back();
  }

  void close() {
    Yaml done = std::move(open_.back());
    open_.pop_back();
    key_lines_.pop_back();
    attach(std::move(done));
  }

  void attach(Yaml value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (Yaml& parent = open_.back(); parent.kind == Yaml::Kind::kList) {
      parent.elements.push_back(std::move(value));
    } else if (parent.keys.size() == parent.elements.size()) {
      check_key(value);
      parent.keys.push_back(std::move(value));
    } else {
      // yaml-cpp puts a missing value where the next token stands.
      if (value.kind == Yaml::Kind::kNull) {
        value.place = parent.keys.back().place;
        check_colon(parent.keys.back());
      }
      parent.elements.push_back(std::move(value));
    }
  }

  // yaml-cpp takes "N:1", and a line without any ':', for a key without a value.
  void check_colon(const Yaml& key) {
    const std::string_view line = trim(rest_of_line(key.place));
    const bool stands_there = line.starts_with(key.text);
    const std::string_view after = stands_there ? trim(line.substr(key.text.size())) : "";
    if (key.quoted || key.kind != Yaml::Kind::kScalar || after.starts_with(':')) return;
    const std::string_view word = stands_there ? std::string_view(key.text) : line;
    errors_.add(
        key.place,
        word.find(':') == std::string::npos
            ? fmt::format("there is no ':' after '{}'; write 'key: value'", word)
            : fmt::format("there is no space after the ':' of '{}'; write 'key: value'", word));
  }

  void check_key(const Yaml& key) {
    if (key.kind != Yaml::Kind::kScalar) {
      errors_.add(key.place, "a key must be a word");
    } else if (key.text == "<<") {
      errors_.add(key.place, "merge keys are not allowed; write each key out");
    }
    const auto [first, is_new] = key_lines_.back().emplace(key.text, key.place.line);
    if (!is_new) {
      errors_.add(key.place,
                  fmt::format("the key '{}' stands on line {} already; remove one of them",
                              key.text, first->second));
    }
  }

  const std::vector<std::string>& lines_;
  Diagnostics& errors_;
  std::vector<Yaml> open_;
  std::vector<std::map<std::string, int>> key_lines_;  ///< The keys of each open map.
  size_t values_ = 0;
  int documents_ = 0;
};

/// Parses the lines, and returns what yaml-cpp cannot read.
std::optional<YAML::Exception> parse_lines(const std::vector<std::string>& lines,
                                           TreeBuilder& tree) {
  try {
    std::istringstream stream(join(lines, "\n"));
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(tree)) {
    }
  } catch (const YAML::Exception& exception) {
    return exception;
  }
  return std::nullopt;
}

bool is_document(const std::vector<std::string>& lines) {
  Diagnostics errors("", "");
  TreeBuilder tree(lines, errors);
  try {
    return !parse_lines(lines, tree) && errors.empty();
  } catch (const Abandoned&) {
    return false;
  }
}

/// A line with a key or an element of a list, which its indentation gives its place.
bool has_a_place(std::string_view line) {
  const std::string_view text = trim(line);
  return !text.starts_with('#') && (text.starts_with("- ") || text.ends_with(':') ||
                                    text.find(": ") != std::string_view::npos);
}

/// Reports a line near `row` that is indented by a space or two too many or too few: with the right
/// number, the whole text is a document.
bool explain_indentation(size_t row, const std::vector<std::string>& lines, Diagnostics& errors) {
  for (const size_t at : {row, row - 1, row + 1}) {
    if (at >= lines.size() || !has_a_place(lines[at])) continue;
    const size_t indent = lines[at].find_first_not_of(' ');
    for (const int more : {1, -1, 2, -2}) {
      if (static_cast<int>(indent) + more < 0) continue;
      const size_t wanted = indent + static_cast<size_t>(more);
      std::vector<std::string> mended = lines;
      mended[at] = std::string(wanted, ' ') + lines[at].substr(indent);
      if (!is_document(mended)) continue;
      errors.add({static_cast<int>(at) + 1, static_cast<int>(indent) + 1},
                 fmt::format("this line is indented by {}; indent it by {}, like its neighbours",
                             counted(static_cast<long>(indent), "space"), wanted));
      return true;
    }
  }
  return false;
}

void report(const YAML::Exception& exception, const std::vector<std::string>& lines,
            Diagnostics& errors) {
  const Place place = place_of(exception.mark);
  // DeepRecursion has no place and calls itself "bad file".
  if (exception.msg == "bad file") {
    errors.add({}, fmt::format("nested deeper than {} levels", kMaxDepth));
  } else if (!explain_indentation(static_cast<size_t>(place.line - 1), lines, errors)) {
    explain(exception.msg, place, lines, errors);
  }
}

}  // namespace

const Yaml* Yaml::find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &elements[i];
  }
  return nullptr;
}

Yaml* Yaml::find(std::string_view key) { return const_cast<Yaml*>(std::as_const(*this).find(key)); }

Yaml parse_yaml(std::string_view text, Diagnostics& errors) {
  if (text.size() > kMaxYamlBytes) {
    errors.add({}, fmt::format("the file is larger than {} bytes", kMaxYamlBytes));
    return {};
  }
  const std::vector<std::string> lines = split(text, '\n');
  check_source(lines, errors);
  if (!errors.empty()) return {};
  TreeBuilder tree(lines, errors);
  try {
    if (const std::optional<YAML::Exception> wrong = parse_lines(lines, tree))
      report(*wrong, lines, errors);
  } catch (const Abandoned&) {
    return {};
  }
  return std::move(tree.root);
}

}  // namespace warpgrade
