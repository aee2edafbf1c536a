// SPDX-License-Identifier: MIT
#include "rubric/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Characters that look like a blank, like nothing, or turn the text around them.
struct Unseen {
  std::string_view bytes;
  std::string_view name;
  std::string_view remedy = "remove it";
};

constexpr Unseen kUnseen[] = {
    {"\u00a0", "a no-break space (U+00A0)", "write an ordinary space"},
    {"\u202f", "a narrow no-break space (U+202F)", "write an ordinary space"},
    {"\u3000", "an ideographic space (U+3000)", "write an ordinary space"},
    {"\u0085", "a next-line character (U+0085)", "break the line"},
    {"\u2028", "a line separator (U+2028)", "break the line"},
    {"\u2029", "a paragraph separator (U+2029)", "break the line"},
    {"\ufeff", "a byte order mark (U+FEFF)", "remove it, or save the file as UTF-8 without one"},
    {"\u00ad", "a soft hyphen (U+00AD)"},
    {"\u200b", "a zero-width space (U+200B)"},
    {"\u200c", "a zero-width non-joiner (U+200C)"},
    {"\u200d", "a zero-width joiner (U+200D)"},
    {"\u200e", "a left-to-right mark (U+200E)"},
    {"\u200f", "a right-to-left mark (U+200F)"},
    {"\u202a", "a left-to-right embedding (U+202A)"},
    {"\u202b", "a right-to-left embedding (U+202B)"},
    {"\u202c", "the end of an embedding (U+202C)"},
    {"\u202d", "a left-to-right override (U+202D)"},
    {"\u202e", "a right-to-left override (U+202E)"},
    {"\u2060", "a word joiner (U+2060)"},
    {"\u2066", "a left-to-right isolate (U+2066)"},
    {"\u2067", "a right-to-left isolate (U+2067)"},
    {"\u2068", "a first strong isolate (U+2068)"},
    {"\u2069", "the end of an isolate (U+2069)"},
};

Place place_at(size_t row, size_t column) {
  return {static_cast<int>(row) + 1, static_cast<int>(column) + 1};
}

/// True where it found some.
bool check_unseen(const std::string& line, size_t row, Diagnostics& errors) {
  bool found = false;
  // All of them begin with one of these bytes, which plain English text holds none of.
  for (size_t at = line.find_first_of("\xc2\xe2\xe3\xef"); at != std::string::npos;
       at = line.find_first_of("\xc2\xe2\xe3\xef", at + 1)) {
    for (const Unseen& unseen : kUnseen) {
      if (line.compare(at, unseen.bytes.size(), unseen.bytes) != 0) continue;
      errors.add(place_at(row, at),
                 fmt::format("{} stands here, which nobody sees; {}", unseen.name, unseen.remedy));
      found = true;
    }
  }
  return found;
}

void check_line(const std::string& line, size_t row, Diagnostics& errors) {
  const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t tab = line.substr(0, indent).find('\t');
  if (tab != std::string::npos)
    errors.add(place_at(row, tab), "a tab indents this line; use spaces");
  const bool carriage_return = !line.empty() && line.back() == '\r';
  const std::string_view text = std::string_view(line).substr(0, line.size() - carriage_return);
  const bool has_unseen = check_unseen(line, row, errors);
  if (printable(text) != text) {
    // What has a name has been named.
    if (has_unseen) return;
    errors.add(place_at(row, 0), "the line is not plain UTF-8 text; remove what is shown as \\x..");
    return;
  }
  if (text.starts_with('%'))
    errors.add(place_at(row, 0), "directives are not allowed; remove the line");
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

/// Brackets and braces of flow lists and maps, as one line after the other opens and closes them.
class OpenBrackets {
 public:
  struct Bracket {
    char byte;
    size_t row, column;
  };

  void read(std::string_view line, size_t row) {
    char before = ':';  // As in unclosed_quote.
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const bool begins_value =
          !open_.empty() || std::string_view(":-").find(before) != std::string_view::npos;
      if (c == '#' && (i == 0 || line[i - 1] == ' ')) return;
      if ((c == '"' || c == '\'') &&
          std::string_view(":-[{,").find(before) != std::string_view::npos)
        i += std::min(after_quote(line.substr(i)), line.size() - i) - 1;
      if ((c == '[' || c == '{') && begins_value) open_.push_back({c, row, i});
      if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
      if (c != ' ') before = c;
    }
  }

  /// The innermost that is still open; nullptr where none is.
  const Bracket* innermost() const { return open_.empty() ? nullptr : &open_.back(); }

 private:
  std::vector<Bracket> open_;
};

/// Reports the bracket that is open where the line of `place` begins and should have been closed.
bool explain_open_bracket(Place place, const std::vector<std::string>& lines, Diagnostics& errors) {
  OpenBrackets brackets;
  for (size_t row = 0; row + 1 < static_cast<size_t>(place.line) && row < lines.size(); ++row)
    brackets.read(lines[row], row);
  const OpenBrackets::Bracket* open = brackets.innermost();
  if (open == nullptr) return false;
  errors.add(place_at(open->row, open->column),
             fmt::format("this '{}' is not closed before line {}; add the '{}'", open->byte,
                         place.line, open->byte == '[' ? ']' : '}'));
  return true;
}

/// The last line before `row` that holds more than blanks and a comment.
std::string_view line_before(const std::vector<std::string>& lines, size_t row) {
  while (row-- > 0) {
    const std::string_view line = trim(lines[row]);
    if (!line.empty() && line[0] != '#') return line;
  }
  return {};
}

/// What to do about a ':' that yaml-cpp did not expect at `place`.
std::string explain_colon(Place place, const std::vector<std::string>& lines) {
  const auto row = static_cast<size_t>(place.line - 1);
  const std::string_view line = row < lines.size() ? std::string_view(lines[row]) : "";
  const std::string_view before = line.substr(0, static_cast<size_t>(place.column - 1));
  if (before.find(": ") != std::string_view::npos)
    return "a second ':' on this line; a text with ': ' in it needs quotes around it";
  const std::string_view above = line_before(lines, row);
  if (above.size() > 1 && above[0] == '-' && above[1] != ' ')
    return fmt::format("this line goes on with '{}' of a line above; write a space after its '-'",
                       above.substr(0, 40));
  const size_t colon = above.find(':');
  if (colon == std::string_view::npos) {
    const std::string_view text = above.starts_with("- ") ? trim(above.substr(2)) : above;
    const std::string_view key = text.substr(0, text.find(' '));
    return fmt::format("this line goes on with '{}' of a line above; {}", above.substr(0, 40),
                       key == text ? std::string("end that one with ':'")
                                   : fmt::format("write '{}:' there", key.substr(0, 40)));
  }
  if (colon + 1 < above.size() && above[colon + 1] != ' ')
    return fmt::format("this line goes on with '{}' of a line above; write a space after its ':'",
                       above.substr(0, 40));
  return "this line does not fit the ones above; give it the indentation of its neighbours";
}

/// For something that stands where a key should.
std::string explain_misfit(Place place, const std::vector<std::string>& lines) {
  const auto row = static_cast<size_t>(place.line - 1);
  const std::string_view line = row < lines.size() ? std::string_view(lines[row]) : "";
  const std::string_view before = trim(line.substr(0, static_cast<size_t>(place.column - 1)));
  if (before.ends_with('\'') || before.ends_with('"'))
    return fmt::format("the text in quotes ends before this; write {} for a {} inside it",
                       before.back() == '"' ? "\\\"" : "''", before.back());
  return "this does not fit the keys above; write 'key: value', indented as they are";
}

/// For a bracket that closes nothing, or another one than is open.
std::string explain_bracket(Place place, const std::vector<std::string>& lines) {
  const auto row = static_cast<size_t>(place.line - 1),
             column = static_cast<size_t>(place.column - 1);
  const char found = row < lines.size() && column < lines[row].size() ? lines[row][column] : '\0';
  if (found != ']' && found != '}') return "a bracket is missing here or just before";
  return fmt::format(
      "'{}' closes what was not opened with '{}'; add the missing '{}' before it, or "
      "remove one too many",
      found, found == ']' ? '[' : '{', found == ']' ? '}' : ']');
}

/// Words for what yaml-cpp says without a remedy; empty where this knows no better.
std::string remedy_of(std::string_view message, Place place,
                      const std::vector<std::string>& lines) {
  constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
      {"end of map flow not found", "a '{' is not closed; add the '}'"},
      {"end of sequence flow not found", "a '[' is not closed; add the ']'"},
      {"end of sequence not found",
       "this does not fit the list above; begin it with '- ', indented as its elements are"},
      {"illegal block entry", "no list can begin here; put each '- ' on a line of its own"},
      {"unknown token", "no text begins with this character; put the text into quotes"},
      {"illegal map key", "'?' begins a key that is no word; put the text into quotes"},
      {"the referenced anchor is not defined",
       "'*' begins an alias, and aliases are not allowed; put a text that begins so into quotes"},
      {"alias not found after *", "no text begins with '*'; put it into quotes"},
      {"illegal character found while scanning alias",
       "no text begins with '*'; put it into quotes"},
      {"anchor not found after &", "no text begins with '&'; put it into quotes"},
      {"illegal character found while scanning anchor",
       "no text begins with '&'; put it into quotes"},
      {"illegal tab when looking for indentation", "a tab indents this line; use spaces"},
      {"illegal document indicator in scalar", "'---' or '...' stands inside a text; remove it"},
  };
  if (message == "illegal map value") return explain_colon(place, lines);
  if (message == "end of map not found") return explain_misfit(place, lines);
  if (message == "illegal flow end") return explain_bracket(place, lines);
  if (message.starts_with("unknown escape character") ||
      message.starts_with("bad character found while scanning hex") ||
      message.starts_with("invalid unicode"))
    return "'\\' begins an escape in double quotes, and this is none; use single quotes";
  for (const auto& [said, remedy] : kRemedies) {
    if (message == said) return std::string(remedy);
  }
  return {};
}

}  // namespace

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

void check_source(const std::vector<std::string>& lines, Diagnostics& errors) {
  for (size_t row = 0; row < lines.size() && !errors.full(); ++row)
    check_line(lines[row], row, errors);
}

void explain(std::string_view message, Place place, const std::vector<std::string>& lines,
             Diagnostics& errors) {
  for (size_t row = 0; row < lines.size(); ++row) {
    if (const std::optional<size_t> column = unclosed_quote(lines[row])) {
      errors.add(
          place_at(row, *column),
          fmt::format("the text is not closed on its line; end it with {}", lines[row][*column]));
      return;
    }
  }
  const bool may_be_bracket = message == "illegal block entry" || message == "illegal map value" ||
                              message.ends_with("flow not found");
  if (may_be_bracket && explain_open_bracket(place, lines, errors)) return;
  const std::string remedy = remedy_of(message, place, lines);
  errors.add(
      place,
      !remedy.empty()
          ? remedy
          : fmt::format(
                "not YAML ({}); look for a missing colon, bracket or quote here or just before",
                message));
}

}  // namespace warpgrade
