// SPDX-License-Identifier: MIT
#include "intake/submitted.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "intake/moodle_time.h"
#include "intake/people/name_key.h"
#include "intake/people/table.h"

namespace warpgrade {
namespace {

void keep_later(std::map<std::string, Moment>& times, const std::string& student,
                const Moment& moment) {
  const auto [known, is_new] = times.emplace(student, moment);
  if (!is_new && moment.seconds > known->second.seconds) known->second = moment;
}

constexpr std::string_view kWorksheetTime = "Last modified (submission)";

bool is_moodle_worksheet(const Table& table) {
  return table.column({"Identifier"}) && table.column({kWorksheetTime}) &&
         !table.column({"student"});
}

/// Moodle's grading worksheet: "Participant 70006" and when that one handed in, or "-".
Result<SubmissionTimes> read_worksheet(const Table& table, std::string_view name) {
  const std::optional<size_t> identifier = table.column({"Identifier"}),
                              submitted = table.column({kWorksheetTime});
  SubmissionTimes times{"file", {}, {}};
  std::string mistakes;
  for (const Table::Row& row : table.rows) {
    const std::string who = Table::cell(row, identifier), when = Table::cell(row, submitted);
    if (when.empty() || when == "-") continue;
    const std::optional<Moment> moment = parse_moodle_time(when);
    if (!moment || who.empty()) {
      mistakes += fmt::format(
          "{}:{}: expected a time in English such as 'Monday, 5 October 2026, 11:59 PM', not "
          "'{}': export the worksheet with Moodle set to English\n",
          name, row.line, printable(when));
      continue;
    }
    const std::string participant = who.substr(who.rfind(' ') + 1);
    times.lines.push_back({fmt::format("{}:{}", name, row.line), participant});
    keep_later(times.by_student, participant, *moment);
    if (times.note.empty())
      times.note = fmt::format(
          "{} names no time zone: its times count as this machine's, such as {} for '{}' "
          "(TZ=Europe/Rome before the command takes another zone)",
          name, moment->format(), printable(when));
  }
  if (!mistakes.empty()) return Error{mistakes};
  return times;
}

/// Whether each word of a name is part of the id, as those of 'Rossi, Chiara' are of rossichiara_4004.
bool may_be(const std::string& name, const std::string& id) {
  std::string plain = name_key(name);
  std::replace(plain.begin(), plain.end(), ',', ' ');
  const std::vector<std::string> words = split(plain, ' ');
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return name_key(id).find(name_key(ascii_name(word))) != std::string::npos;
  });
}

/// The one of `known` that a name with a blank may mean; empty where none or several may be meant.
std::string named_in(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> found;
  for (const std::string& id : known) {
    if (name.find(' ') != std::string::npos && may_be(name, id)) found.push_back(id);
  }
  return found.size() == 1 ? found[0] : "";
}

}  // namespace

Result<SubmissionTimes> parse_submission_times(std::string_view csv, std::string_view name) {
  const Table table = parse_table(csv);
  const std::optional<size_t> student = table.column({"student"}),
                              submitted = table.column({"submitted"});
  if (is_moodle_worksheet(table)) return read_worksheet(table, name);
  if (!student || !submitted)
    return Error{
        fmt::format("{}:1: the first line must name the columns 'student' and 'submitted', or be "
                    "that of Moodle's grading worksheet in English",
                    name)};
  SubmissionTimes times{"file", {}, {}};
  std::string mistakes;
  for (const Table::Row& row : table.rows) {
    const std::string who = Table::cell(row, student);
    const std::optional<Moment> moment = Moment::parse(Table::cell(row, submitted));
    if (!moment || who.empty()) {
      mistakes += fmt::format(
          "{}:{}: expected a student and a time such as 2026-10-05 23:59 "
          "+02:00, not '{}'\n",
          name, row.line, printable(join(row.cells, ",")));
      continue;
    }
    times.lines.push_back({fmt::format("{}:{}", name, row.line), who});
    keep_later(times.by_student, who, *moment);
  }
  if (!mistakes.empty()) return Error{mistakes};
  return times;
}

std::vector<std::string> unknown_students(const std::vector<StudentLine>& lines,
                                          const StudentIndex& index,
                                          const std::vector<std::string>& known) {
  std::vector<std::string> unknown;
  for (const auto& [place, student] : lines) {
    const std::vector<std::string> found = index.find(student);
    if (found.size() > 1)
      unknown.push_back(fmt::format("{}: '{}' may be {}; write one of these", place,
                                    printable(student), join(found, " or ")));
    if (!found.empty() || std::find(known.begin(), known.end(), student) != known.end()) continue;
    std::string meant = nearest(student, known);
    if (meant.empty()) meant = named_in(student, known);
    unknown.push_back(fmt::format("{}: no submission is called '{}'{}", place, printable(student),
                                  meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
  }
  return unknown;
}

SubmissionTimes resolve_times(SubmissionTimes times, const StudentIndex& index) {
  std::map<std::string, Moment> by_student;
  for (const auto& [student, moment] : times.by_student) {
    const std::vector<std::string> found = index.find(student);
    keep_later(by_student, found.size() == 1 ? found[0] : student, moment);
  }
  times.by_student = std::move(by_student);
  return times;
}

SubmissionTimes lms_times(const std::vector<Submission>& submissions) {
  SubmissionTimes times{"lms", {}, {}};
  for (const Submission& submission : submissions) {
    if (submission.submitted) times.by_student[submission.student] = *submission.submitted;
  }
  return times;
}

SubmissionTimes file_times(const std::vector<Submission>& submissions) {
  SubmissionTimes times{"mtime", {}, {}};
  for (const Submission& submission : submissions) {
    if (submission.written) times.by_student[submission.student] = *submission.written;
    if (submission.written) continue;
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
