// SPDX-License-Identifier: MIT
// The form of these reports is that of compute-sanitizer 2024 and 2025 as its users quote it. On a
// machine of ours have not been seen yet: --log-file under a sandbox, the summary of each tool, and
// the exit codes.
#include "observe/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

#include "base/text.h"
#include "observe/tool_command.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr std::string_view kMark = "=========";
constexpr int kFoundErrors = 97;      // The exit code that we ask for.
constexpr int kSanitizerSlower = 10;  // How much longer a checked run may take.
constexpr size_t kSanitizerMemoryBytes = size_t{4} << 30;
constexpr int kSanitizerProcesses = 64;
constexpr size_t kSanitizerLogBytes = size_t{8} << 20;
constexpr size_t kLongestLine = 4096;  // std::regex goes one call deeper for each character.
constexpr const char* kLaunchTimeoutS = "120";
constexpr const char* kPrintLimit = "100";

/// A headline and the indented lines below it.
struct Report {
  std::string headline;
  std::vector<std::string> details;
};

std::vector<Report> reports_in(std::string_view log) {
  std::vector<Report> reports;
  for (const std::string& line : split(log, '\n')) {
    if (!line.starts_with(kMark)) continue;
    const std::string rest = line.substr(kMark.size(), kLongestLine);
    const std::string text(trim(rest));
    const bool indented = rest.starts_with("     ");
    if (text.empty()) continue;
    if (!indented) {
      reports.push_back({text, {}});
    } else if (!reports.empty()) {
      reports.back().details.push_back(text);
    }
  }
  return reports;
}

/// A place in code: "function+0x90 in /path/file.cu:12".
struct CodePlace {
  std::string function, file;
  int line = 0;
};

/// "void tile<(int)1>(float *, int)" is the kernel tile<(int)1>.
std::string bare_name(std::string function) {
  static const std::regex offset("(\\+0x[0-9a-f]+|:0x[0-9a-f]+)$");
  function = std::regex_replace(function, offset, "");
  if (function.starts_with("void ")) function.erase(0, 5);
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    depth += (function[i] == '<') - (function[i] == '>');
    if (function[i] == '(' && depth == 0) return function.substr(0, i);
  }
  return function;
}

CodePlace place_of(const std::string& text) {
  static const std::regex with_file("^(.*) in (.+):([0-9]{1,9})$");
  static const std::regex address("^0x[0-9a-f]+ in (.*)$");
  std::smatch match;
  std::string rest = text;
  if (std::regex_match(text, match, address)) rest = match[1];
  if (!std::regex_match(rest, match, with_file)) return {bare_name(rest), "", 0};
  return {bare_name(match[1]), fs::path(std::string(match[2])).filename().string(),
          std::stoi(match[3])};
}

std::string without_prefix(const std::string& text, std::string_view prefix) {
  return std::string(trim(std::string_view(text).substr(prefix.size())));
}

Extent3 extent(const std::smatch& match, size_t first) {
  return {std::stol(match[first]), std::stol(match[first + 1]), std::stol(match[first + 2])};
}

/// The places of a report from the instruction outwards to the kernel.
std::vector<CodePlace> places_in(const Report& report) {
  std::vector<CodePlace> places;
  for (const std::string& line : report.details) {
    for (const std::string_view prefix : {"at ", "Device Frame:"}) {
      if (line.starts_with(prefix)) places.push_back(place_of(without_prefix(line, prefix)));
    }
  }
  return places;
}

void set_place(const std::vector<CodePlace>& places, const std::string& source, Finding& finding) {
  if (places.empty()) return;
  finding.kernel = places.back().function;
  const auto own = std::find_if(places.begin(), places.end(),
                                [&](const CodePlace& place) { return place.file == source; });
  const CodePlace& shown = own == places.end() ? places.front() : *own;
  finding.file = shown.file;
  finding.line = shown.line;
}

/// What says more about an access: why the address is wrong, but not the address, which differs
/// from run to run.
std::string reason_in(const Report& report) {
  static const std::regex address("Address 0x[0-9a-f]+ is (out of bounds|misaligned)");
  static const std::regex distance("and is (.*) bytes (before|after) the nearest allocation.*");
  std::string reason;
  std::smatch match;
  for (const std::string& line : report.details) {
    if (std::regex_match(line, match, address)) reason = match[1];
    if (std::regex_match(line, match, distance))
      reason += fmt::format(", {} bytes {} the nearest allocation", std::string(match[1]),
                            std::string(match[2]));
  }
  return reason;
}

Finding finding_of(const Report& report, const std::string& checker, const std::string& source) {
  static const std::regex threads(
      "by thread \\(([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9})\\) in block "
      "\\(([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9})\\)");
  Finding finding;
  finding.checker = checker;
  const std::string reason = reason_in(report);
  finding.message = report.headline + (reason.empty() ? "" : ": " + reason);
  set_place(places_in(report), source, finding);
  std::smatch match;
  for (const std::string& line : report.details) {
    if (!std::regex_match(line, match, threads)) continue;
    finding.thread = extent(match, 1);
    finding.block = extent(match, 4);
  }
  return finding;
}

std::string at_line(const CodePlace& place) {
  return place.file.empty() ? "" : fmt::format(" at {}:{}", place.file, place.line);
}

/// "Error: Race reported between Write access at ...", and below it "and Read access at ...".
std::optional<Finding> race_of(const Report& report) {
  static const std::regex first("Error: Race reported between (Read|Write) access at (.*)");
  static const std::regex second(
      "and (Read|Write) access at (.*?)( \\[([0-9]{1,15}) hazards?\\])?");
  std::smatch match;
  if (!std::regex_match(report.headline, match, first)) return std::nullopt;
  const CodePlace place = place_of(match[2]);
  Finding finding;
  finding.checker = "race";
  finding.kernel = place.function;
  finding.file = place.file;
  finding.line = place.line;
  const std::string access = match[1] == "Read" ? "read" : "write";
  finding.message = fmt::format("race in shared memory between a {}{}", access, at_line(place));
  finding.count = 0;
  for (const std::string& line : report.details) {
    if (!std::regex_match(line, match, second)) continue;
    finding.message += fmt::format(" and a {}{}", match[1] == "Read" ? "read" : "write",
                                   at_line(place_of(match[2])));
    if (match[4].matched) finding.count += std::stol(match[4]);
  }
  finding.count = std::max(finding.count, 1L);
  return finding;
}

std::optional<long> summed_errors(const std::string& headline) {
  static const std::regex errors("ERROR SUMMARY: ([0-9]{1,15}) errors?");
  static const std::regex hazards(
      "RACECHECK SUMMARY: [0-9]+ hazards? displayed \\(([0-9]{1,15}) errors?, [0-9]+ warnings?\\)");
  std::smatch match;
  if (std::regex_match(headline, match, errors) || std::regex_match(headline, match, hazards))
    return std::stol(match[1]);
  return std::nullopt;
}

/// Whether the tool speaks of itself or of the program's end rather than of a kernel.
bool is_remark(const std::string& headline) {
  static constexpr std::string_view kBegins[] = {"COMPUTE-SANITIZER", "ERROR SUMMARY",
                                                 "LEAK SUMMARY",      "RACECHECK SUMMARY",
                                                 "Warning:",          "Target application returned",
                                                 "Program hit"};
  return std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](const std::string_view begin) { return headline.starts_with(begin); });
}

bool is_trouble(const std::string& headline) {
  return headline.starts_with("Internal Sanitizer Error") || headline.starts_with("Error:") ||
         headline.starts_with("Target application terminated before");
}

std::string checker_of(const std::string& tool) {
  static const std::map<std::string, std::string> checkers = {
      {"memcheck", "memory"}, {"racecheck", "race"}, {"initcheck", "init"}, {"synccheck", "sync"}};
  const auto found = checkers.find(tool);
  return found == checkers.end() ? tool : found->second;
}

/// Each place once.
void keep(Finding finding, std::vector<Finding>& findings) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& other) {
    return other.message == finding.message && other.kernel == finding.kernel &&
           other.file == finding.file && other.line == finding.line;
  });
  if (same == findings.end()) {
    findings.push_back(std::move(finding));
  } else {
    same->count += finding.count;
  }
}

std::string why_no_verdict(const ProcessOutcome& outcome, const std::string& tool) {
  switch (outcome.ending) {
    case Ending::kSystemError:
      return outcome.error;
    case Ending::kTimedOut:
      return fmt::format("{} was stopped after {} s", tool, outcome.wall_ms / 1000);
    case Ending::kMemoryExceeded:
      return fmt::format("{} took more memory than it may use", tool);
    case Ending::kOutputExceeded:
      return "the program wrote too much";
    case Ending::kSignalled:
      return fmt::format("{} ended with signal {}", tool, outcome.code);
    case Ending::kExited:
      break;
  }
  return "";
}

}  // namespace

SanitizerRun parse_sanitizer(const std::string& tool, std::string_view log,
                             const std::string& source) {
  SanitizerRun run;
  run.tool = tool;
  std::optional<long> errors;
  std::string trouble;
  for (const Report& report : reports_in(log)) {
    if (const auto sum = summed_errors(report.headline)) {
      errors = sum;
    } else if (const auto race = race_of(report)) {
      keep(*race, run.findings);
    } else if (is_trouble(report.headline)) {
      trouble = report.headline;
    } else if (!is_remark(report.headline)) {
      keep(finding_of(report, checker_of(tool), source), run.findings);
    }
  }
  run.errors = errors.value_or(0);
  if (!trouble.empty()) {
    run.why_not = fmt::format("{} said: {}", tool, printable(trouble.substr(0, 200)));
  } else if (!errors) {
    run.why_not = fmt::format("{} gave no summary", tool);
  }
  return run;
}

Command sanitizer_command(const fs::path& sanitizer, const std::string& tool, Command program,
                          const fs::path& log) {
  std::vector<std::string> argv = {sanitizer.string(),
                                   "--tool",
                                   tool,
                                   "--error-exitcode",
                                   std::to_string(kFoundErrors),
                                   "--launch-timeout",
                                   kLaunchTimeoutS,
                                   "--print-limit",
                                   kPrintLimit,
                                   "--show-backtrace",
                                   "device",
                                   "--log-file",
                                   log.string()};
  // A call that is refused is no error of the kind that is looked for: some tasks ask for one.
  if (tool == "memcheck") argv.insert(argv.end(), {"--report-api-errors", "no"});
  if (tool == "racecheck") argv.insert(argv.end(), {"--racecheck-detect-level", "error"});
  argv.insert(argv.end(), program.argv.begin(), program.argv.end());
  program.argv = std::move(argv);
  make_room_for_tool(sanitizer, log.parent_path(), program);
  program.limits.wall_ms *= kSanitizerSlower;
  program.limits.cpu_s *= kSanitizerSlower;
  program.limits.memory_bytes += kSanitizerMemoryBytes;
  program.limits.processes += kSanitizerProcesses;
  return program;
}

SanitizerRun run_sanitizer(const Sandbox& sandbox, const fs::path& sanitizer,
                           const std::string& tool, const Command& program, const fs::path& log,
                           const std::string& source, const std::function<std::string()>& proof) {
  std::error_code ignored;
  fs::remove(log, ignored);
  const ProcessOutcome outcome = sandbox.run(sanitizer_command(sanitizer, tool, program, log));
  SanitizerRun run;
  run.tool = tool;
  run.why_not = why_no_verdict(outcome, tool);
  if (!run.measured()) return run;
  const Result<std::string> text = read_untrusted(log, kSanitizerLogBytes);
  if (!text) {
    const std::string said = last_said(outcome.out + outcome.err);
    run.why_not = fmt::format("{} wrote no report: {}", tool,
                              said.empty() ? text.error().message : "it said: " + said);
    return run;
  }
  run = parse_sanitizer(tool, *text, source);
  if (!run.measured() || run.errors > 0) return run;
  if (outcome.code == kFoundErrors) {
    run.why_not = fmt::format("{} told of no error, but ended as if there were one", tool);
  } else if (outcome.code != 0) {
    run.why_not = fmt::format("the program ended with status {} under {}", outcome.code, tool);
  } else if (const std::string missing = proof(); !missing.empty()) {
    run.why_not = fmt::format("nothing proves that the program ran under {}: {}", tool, missing);
  }
  return run;
}

}  // namespace warpgrade
