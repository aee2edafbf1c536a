// SPDX-License-Identifier: MIT
#include "report/formats/problem_lines.h"

#include <fmt/format.h>

#include <algorithm>

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

bool is_lost(const ItemResult& item) {
  const bool lost = item.status == Outcome::kFailed || item.status == Outcome::kPartial;
  return lost && item.cause.empty();
}

}  // namespace

std::string format_problem_lines(const SubmissionResult& result, const std::string& path) {
  std::string out = compiler_lines(result, path);
  const bool compiler_speaks = !out.empty();
  for (const RepeatedFinding& repeated : repeated_findings(result)) {
    const Finding& finding = repeated.first->finding;
    const bool is_here = fs::path(finding.file).filename() == fs::path(path).filename();
    out += problem(path, is_here ? finding.line : 1, "warning", finding.message);
  }
  for (const ItemResult& item : result.items) {
    if (!is_lost(item) || (item.kind == ItemKind::kBuild && compiler_speaks)) continue;
    out += problem(path, 1, "error", item.title + ": " + item.message);
  }
  return out;
}

}  // namespace warpgrade
