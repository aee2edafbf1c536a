// SPDX-License-Identifier: MIT
#include "build/diagnostics.h"

#include <fmt/format.h>

#include <optional>
#include <regex>

#include "base/text.h"

namespace warpgrade {
namespace {

/// A long line of a hostile program must not cost the regular expressions their time.
constexpr size_t kLongestLine = 1000;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Texts of tools that speak of themselves, wherever in a source they were at that moment.
bool is_of_tool(const std::string& text) {
  static const std::regex of_tool(
      R"(^(?:error while writing|out of memory$|[Mm]emory allocation fail|[Ii]nternal error|could not open|cannot open (?:output|temporary)|can't (?:write|close|create)).*)");
  return std::regex_match(text, of_tool);
}

std::optional<Diagnostic> parse_line(const std::string& line) {
  // a.cu(3): warning #177-D: text      a.cu:3:5: error: text      a.cu:3: Error: text
  static const std::regex compiler_line(
      R"(^([^:()]+)(?:\((\d+)\)|:(\d+)(?::\d+)?): (?:[Ff]atal |catastrophic )?([Ee]rror|[Ww]arning)[^:]*: (.*)$)");
  // ptxas a.ptx, line 5; error   : text      ptxas error   : text
  static const std::regex device_line(
      R"(^ptxas (?:[^,;]*, line \d+; *)?(?:fatal|error) *: *(.*)$)");
  // nvcc fatal   : text
  static const std::regex tool_line(R"(^nvcc (?:fatal|error) *: *(.*)$)");
  // /usr/bin/ld: a.cu:12: undefined reference to `f()'
  static const std::regex linker_line(
      R"(((?:undefined reference to|multiple definition of) [`'][^']*').*$)");
  // a.cu:(.text+0x5): relocation truncated to fit: text      ld: products/object.o: text
  static const std::regex object_line(
      R"((relocation truncated to fit: .*)$|^\S*\bld: (?:\S*/)?object\.o: (?!in function)(.*)$)");
  std::smatch match;
  if (std::regex_match(line, match, compiler_line)) {
    const std::string number = match[2].matched ? match[2] : match[3];
    const std::string word = match[4], text = match[5];
    const Severity severity = word.ends_with("arning") ? Severity::kWarning : Severity::kError;
    return Diagnostic{base_name(match[1]), std::atoi(number.c_str()), severity, text,
                      is_of_tool(text)};
  }
  if (std::regex_search(line, match, linker_line))
    return Diagnostic{"", 0, Severity::kError, match[1]};
  if (std::regex_search(line, match, object_line))
    return Diagnostic{"", 0, Severity::kError, match[1].matched ? match[1] : match[2]};
  if (std::regex_match(line, match, device_line))
    return Diagnostic{"", 0, Severity::kError, match[1], is_of_tool(match[1])};
  if (std::regex_match(line, match, tool_line))
    return Diagnostic{"", 0, Severity::kError, match[1], true};
  return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output) {
  std::vector<Diagnostic> found;
  for (const std::string& line : split(output, '\n')) {
    const std::optional<Diagnostic> diagnostic = parse_line(line.substr(0, kLongestLine));
    if (diagnostic && (found.empty() || !(found.back() == *diagnostic)))
      found.push_back(*diagnostic);
  }
  return found;
}

bool machine_error_in(std::string_view output) {
  // a.cu(3): catastrophic error: text: No space left on device      /usr/bin/ld: final link failed: ...
  static const std::regex system_line(
      R"(^(?:[^:()]+(?:\(\d+\)|(?::\d+){0,2}): (?:[Ff]atal|catastrophic) error: |(?:\S*/)?(?:as|ld|ld\.gold|collect2|cc1plus|nvcc|ptxas|cicc|cudafe\+\+|fatbinary)(?: +(?:fatal|error))? *: ).*'?(?:No space left on device|Disk quota exceeded|Input/output error|Read-only file system)'?$)");
  for (const std::string& line : split(output, '\n')) {
    if (std::regex_match(line.substr(0, kLongestLine), system_line)) return true;
  }
  return false;
}

std::string to_string(const Diagnostic& diagnostic) {
  const char* severity = diagnostic.severity == Severity::kError ? "error" : "warning";
  if (diagnostic.file.empty()) return fmt::format("{}: {}", severity, diagnostic.text);
  return fmt::format("{}:{}: {}: {}", diagnostic.file, diagnostic.line, severity, diagnostic.text);
}

}  // namespace warpgrade
