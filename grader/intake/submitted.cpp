// SPDX-License-Identifier: MIT
#include "intake/submitted.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "base/text.h"

namespace warpgrade {
namespace {

/// The cells of a line, RFC 4180, none of which breaks it.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (doubled) {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = trim(cell);
  return cells;
}

size_t column(const std::vector<std::string>& header, const std::string& name) {
  return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

}  // namespace

Result<SubmissionTimes> parse_submission_times(std::string_view csv, std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  const std::vector<std::string> lines = split(csv, '\n');
  const std::vector<std::string> header = cells_of(lines[0]);
  const size_t student = column(header, "student"), submitted = column(header, "submitted");
  if (std::max(student, submitted) == header.size())
    return Error{
        fmt::format("{}:1: the first line must name the columns 'student' and 'submitted'", name)};
  SubmissionTimes times{"file", {}, {}};
  std::string mistakes;
  for (size_t row = 1; row < lines.size(); ++row) {
    if (trim(lines[row]).empty()) continue;
    const std::vector<std::string> cells = cells_of(lines[row]);
    const bool is_whole = cells.size() > std::max(student, submitted);
    const std::optional<Moment> moment = Moment::parse(is_whole ? cells[submitted] : "");
    if (!moment || cells[student].empty()) {
      mistakes += fmt::format(
          "{}:{}: expected a student and a time such as 2026-10-05 23:59 "
          "+02:00, not '{}'\n",
          name, row + 1, printable(trim(lines[row])));
      continue;
    }
    times.lines.push_back({fmt::format("{}:{}", name, row + 1), cells[student]});
    const auto [known, is_new] = times.by_student.emplace(cells[student], *moment);
    if (!is_new && moment->seconds > known->second.seconds) known->second = *moment;
  }
  if (!mistakes.empty()) return Error{mistakes};
  return times;
}

std::vector<std::string> unknown_students(const std::vector<StudentLine>& lines,
                                          const std::vector<std::string>& known) {
  std::vector<std::string> unknown;
  for (const auto& [place, student] : lines) {
    if (std::find(known.begin(), known.end(), student) != known.end()) continue;
    const std::string meant = nearest(student, known);
    unknown.push_back(fmt::format("{}: no submission is called '{}'{}", place, printable(student),
                                  meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
  }
  return unknown;
}

SubmissionTimes file_times(const std::vector<Submission>& submissions) {
  SubmissionTimes times{"mtime", {}, {}};
  for (const Submission& submission : submissions) {
    struct stat status {};
    if (::lstat(submission.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    tm local{};
    ::localtime_r(&status.st_mtime, &local);
    times.by_student[submission.student] =
        Moment{status.st_mtime, static_cast<int>(local.tm_gmtoff / 60)};
  }
  return times;
}

}  // namespace warpgrade
