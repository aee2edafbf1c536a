// SPDX-License-Identifier: MIT
#include "report/formats/problem_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "base/text.h"
#include "report/repeated_findings.h"

namespace warpgrade {
namespace {

std::string problem(const std::string& path, int line, const char* severity,
                    const std::string& message) {
  const std::string words = printable(message.substr(0, message.find('\n')));
  return fmt::format("{}:{}: {}: {}\n", path, std::max(line, 1), severity, words);
}

/// The compiler names the file without its folder.
std::string compiler_lines(const SubmissionResult& result, const std::string& path) {
  const std::string name = fs::path(path).filename().string() + ':';
  std::string out;
  for (const std::string& line : split(result.diagnostics, '\n')) {
    if (line.starts_with(name)) out += path + ':' + printable(line.substr(name.size())) + '\n';
  }
  return out;
}

/// The line after `mark` in `place`; 0 where there is none.
int line_after(const std::string& place, const std::string& mark) {
  const size_t found = place.find(mark);
  int line = 0;
  if (found != std::string::npos)
    std::from_chars(place.data() + found + mark.size(), place.data() + place.size(), line);
  return line;
}

/// The line of the file that the item's reason, or the finding that explains it, names; 0 where neither names one.
int line_of(const ItemResult& item, const std::string& name) {
  for (const Sentence* const sentence : {&item.because, &item.reason}) {
    const auto place = sentence->args.find("place");
    if (place == sentence->args.end()) continue;
    // In words, or as the sentence place.at.
    for (const std::string& mark : {name + ":", "file=" + name + ", line="}) {
      if (const int line = line_after(place->second, mark); line > 0) return line;
    }
  }
  return 0;
}

bool is_lost(const ItemResult& item) {
  const bool lost = item.status == Outcome::kFailed || item.status == Outcome::kPartial;
  return lost && item.cause.empty();
}

}  // namespace

std::string format_problem_lines(const SubmissionResult& result, const std::string& path) {
  std::string out = compiler_lines(result, path);
  const bool compiler_speaks = !out.empty();
  const std::string name = fs::path(path).filename().string();
  for (const RepeatedFinding& repeated : repeated_findings(result)) {
    const Finding& finding = repeated.first->finding;
    const bool is_here = fs::path(finding.file).filename() == name;
    out += problem(path, is_here ? finding.line : 1, "warning", finding.message);
  }
  for (const ItemResult& item : result.items) {
    if (!is_lost(item) || (item.kind == ItemKind::kBuild && compiler_speaks)) continue;
    out += problem(path, line_of(item, name), "error", item.title + ": " + item.message);
  }
  return out;
}

}  // namespace warpgrade
