// SPDX-License-Identifier: MIT
#include "report/formats/github.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "report/repeated_findings.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

/// What follows the second "::" of a command.
std::string command_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\n':
        out += "%0A";
        break;
      case '\r':
        out += "%0D";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A value before it, such as a file's name.
std::string command_value(std::string_view text) {
  std::string out;
  for (const char c : command_text(text))
    out += c == ':' ? "%3A" : c == ',' ? "%2C" : std::string(1, c);
  return out;
}

/// Text for Markdown and the HTML within it: each sign that could mean something there becomes a reference, which never does.
std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '\n') {
      out += "<br>";
    } else if (std::ispunct(static_cast<unsigned char>(c)) != 0 && c != ',') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

bool is_loss(const ItemResult& item) {
  return item.status == Outcome::kFailed || item.status == Outcome::kPartial;
}

std::string points_of_most(const ItemResult& item) {
  return fmt::format("{}/{}", format_points(item.points), format_points(item.max_points));
}

std::string annotate(const SubmissionResult& result, bool is_one) {
  const std::string who = is_one ? "" : result.student + ": ";
  std::string out;
  for (const ItemResult& item : result.items) {
    if (!is_loss(item)) continue;
    out +=
        fmt::format("::error title={}::{}\n",
                    command_value(fmt::format("{}{} ({})", who, item.title, points_of_most(item))),
                    command_text(item.message));
  }
  for (const RepeatedFinding& repeated : repeated_findings(result)) {
    const Finding& finding = repeated.first->finding;
    const std::string file = is_one ? finding.file : result.student + '/' + finding.file;
    const std::string place =
        finding.file.empty()
            ? ""
            : fmt::format("file={},line={},", command_value(file), std::max(finding.line, 1));
    out += fmt::format("::warning {}title={}::{}\n", place, command_value(who + finding.checker),
                       command_text(finding.message));
  }
  if (result.has_system_error())
    return out + fmt::format("::error title={}::{}\n", command_value(who + "Autograding failed"),
                             command_text(score_words(result)));
  return out + fmt::format("::notice title={}::Points {}/{}{}\n",
                           command_value(who + "Autograding complete"), format_points(result.score),
                           format_points(result.max_score),
                           result.provisional ? ", provisional" : "");
}

std::string annotate_findings(const SubmissionResult& result) {
  std::string out;
  for (const RepeatedFinding& repeated : repeated_findings(result)) {
    const Finding& finding = repeated.first->finding;
    const std::string place =
        finding.file.empty() ? "" : fmt::format("{}:{}: ", finding.file, finding.line);
    out += fmt::format("- {}\n",
                       markdown(fmt::format("{}{}: {}", place, finding.checker, finding.message)));
  }
  return out.empty()
             ? out
             : fmt::format("\n{}\n\n{}", say_in(result.language, "report.findings").text, out);
}

std::string summarise(const SubmissionResult& result) {
  const Words words(result.language);
  std::string out = fmt::format("## {}, {}: {}\n\n", markdown(result.assignment),
                                markdown(result.student), markdown(score_words(result)));
  if (result.late) out += markdown(describe(*result.late, result.language)) + "\n\n";
  out += fmt::format("| {} | {} | {} | {} |\n|---|---:|---|---|\n", words("handout.item"),
                     words("handout.points"), words("page.status"), words("page.reason"));
  for (const ItemResult& item : result.items)
    out += fmt::format("| {} | {} | {} | {} |\n", markdown(item.title), points_of_most(item),
                       markdown(status_word(item.status, result.language)), markdown(item.message));
  return out + annotate_findings(result) + '\n';
}

}  // namespace

std::string format_github_annotations(const std::vector<SubmissionResult>& results) {
  std::string out;
  for (const SubmissionResult& result : results)
    out += annotate(for_student(result), results.size() == 1);
  return out;
}

std::string format_github_summary(const std::vector<SubmissionResult>& results) {
  std::string out;
  for (const SubmissionResult& result : results) out += summarise(for_student(result));
  return out;
}

}  // namespace warpgrade
