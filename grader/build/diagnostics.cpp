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

std::optional<Diagnostic> parse_line(const std::string& line) {
  // a.cu(3): warning #177-D: text      a.cu:3:5: error: text
  static const std::regex compiler_line(
      R"(^([^:()]+)(?:\((\d+)\)|:(\d+)(?::\d+)?): (?:fatal )?(error|warning)[^:]*: (.*)$)");
  // nvcc fatal   : text
  static const std::regex tool_line(R"(^nvcc (?:fatal|error) *: *(.*)$)");
  // /usr/bin/ld: a.cu:12: undefined reference to `f()'
  static const std::regex linker_line(
      R"(((?:undefined reference to|multiple definition of) [`'][^']*').*$)");
  std::smatch match;
  if (std::regex_match(line, match, compiler_line)) {
    const std::string number = match[2].matched ? match[2] : match[3];
    const Severity severity = match[4] == "warning" ? Severity::kWarning : Severity::kError;
    return Diagnostic{base_name(match[1]), std::atoi(number.c_str()), severity, match[5]};
  }
  if (std::regex_search(line, match, linker_line))
    return Diagnostic{"", 0, Severity::kError, match[1]};
  if (std::regex_match(line, match, tool_line))
    return Diagnostic{"", 0, Severity::kError, match[1]};
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

std::string to_string(const Diagnostic& diagnostic) {
  const char* severity = diagnostic.severity == Severity::kError ? "error" : "warning";
  if (diagnostic.file.empty()) return fmt::format("{}: {}", severity, diagnostic.text);
  return fmt::format("{}:{}: {}: {}", diagnostic.file, diagnostic.line, severity, diagnostic.text);
}

}  // namespace warpgrade
