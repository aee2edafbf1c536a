// SPDX-License-Identifier: MIT
#include "report/formats/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

/// As text of XML 1.0, within an attribute too. What XML has no character for becomes visible.
std::string xml(std::string_view text) {
  std::string out;
  const std::string safe = printable(text);
  for (size_t i = 0; i < safe.size(); ++i) {
    const std::string_view here = std::string_view(safe).substr(i);
    if (here.starts_with("\xef\xbf\xbe") || here.starts_with("\xef\xbf\xbf")) {
      out += here[2] == '\xbe' ? "\\u{fffe}" : "\\u{ffff}";
      i += 2;
      continue;
    }
    switch (safe[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += safe[i];
    }
  }
  return out;
}

using Properties = std::vector<std::pair<std::string, std::string>>;

std::string format_properties(const Properties& properties, const std::string& indent) {
  std::string out = indent + "<properties>\n";
  for (const auto& [name, value] : properties)
    out += fmt::format("{}  <property name=\"{}\" value=\"{}\"/>\n", indent, xml(name), xml(value));
  return out + indent + "</properties>\n";
}

std::string_view to_word(Visibility visibility) {
  return visibility == Visibility::kHidden ? "hidden" : "public";
}

/// The child that says how the case ended; none where it passed.
std::string format_ending(const ItemResult& item) {
  const std::string message = xml(item.message.substr(0, item.message.find('\n')));
  switch (item.status) {
    case Outcome::kPassed:
      return "";
    case Outcome::kPending:
      return fmt::format("      <skipped message=\"{}\"/>\n", message);
    case Outcome::kSystemError:
      return fmt::format("      <error message=\"{}\" type=\"system_error\">{}</error>\n", message,
                         xml(item.message));
    case Outcome::kPartial:
    case Outcome::kFailed:
      return fmt::format("      <failure message=\"{}\" type=\"{}\">{}</failure>\n", message,
                         to_string(item.status), xml(item.message));
  }
  return "";
}

std::string format_case(const SubmissionResult& result, const ItemResult& item) {
  Properties properties = {{"id", item.id}, {"kind", std::string(to_string(item.kind))}};
  if (item.status != Outcome::kSystemError && item.status != Outcome::kPending)
    properties.emplace_back("score", format_points(item.points));
  properties.emplace_back("max_score", format_points(item.max_points));
  properties.emplace_back("visibility", std::string(to_word(item.visibility)));
  return fmt::format("    <testcase name=\"{}\" classname=\"{}.{}\">\n", xml(item.title),
                     xml(result.assignment), xml(result.student)) +
         format_properties(properties, "      ") + format_ending(item) + "    </testcase>\n";
}

/// tests, failures, errors and skipped.
struct Counts {
  long tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const SubmissionResult& result) {
    for (const ItemResult& item : result.items) {
      ++tests;
      failures += item.status == Outcome::kFailed || item.status == Outcome::kPartial ? 1 : 0;
      errors += item.status == Outcome::kSystemError ? 1 : 0;
      skipped += item.status == Outcome::kPending ? 1 : 0;
    }
  }
  std::string format() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures,
                       errors, skipped);
  }
};

std::string format_suite(const SubmissionResult& result) {
  Counts counts;
  counts.add(result);
  Properties properties = {{"assignment", result.assignment}, {"student", result.student}};
  if (!result.identity.name.empty()) properties.emplace_back("name", result.identity.name);
  if (!result.has_system_error()) properties.emplace_back("score", format_points(result.score));
  properties.emplace_back("max_score", format_points(result.max_score));
  properties.emplace_back("provisional", result.provisional ? "true" : "false");
  std::string out =
      fmt::format("  <testsuite name=\"{}\" {}>\n", xml(result.student), counts.format()) +
      format_properties(properties, "    ");
  for (const ItemResult& item : result.items) out += format_case(result, item);
  return out + "  </testsuite>\n";
}

}  // namespace

std::string format_junit(const std::vector<SubmissionResult>& results) {
  Counts counts;
  for (const SubmissionResult& result : results) counts.add(result);
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
                  results.empty() ? "" : xml(results.front().assignment), counts.format());
  for (const SubmissionResult& result : results) out += format_suite(result);
  return out + "</testsuites>\n";
}

}  // namespace warpgrade
