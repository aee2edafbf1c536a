// SPDX-License-Identifier: MIT
#include "intake/submitted.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "intake/moodle_time.h"

namespace warpgrade {
namespace {

TEST(SubmissionTimes, ComeFromTwoColumnsAmongOthers) {
  const Result<SubmissionTimes> times = parse_submission_times(
      "\xef\xbb\xbf"
      "name,submitted,student\r\n"
      "\"Berg, Anna\",2026-10-05 23:59 +02:00,anna\r\n"
      "\"B. \"\"Bo\"\" C\",2026-10-06T10:00Z,boris\r\n"
      "again,2026-10-04 23:59 +02:00,anna\r\n",
      "times.csv");
  ASSERT_TRUE(times.ok()) << times.error().message;
  EXPECT_EQ(times->source, "file");
  ASSERT_EQ(times->by_student.size(), 2u);
  EXPECT_EQ(times->by_student.at("anna").format(), "2026-10-05 23:59 +02:00") << "the last counts";
  EXPECT_EQ(times->by_student.at("boris").format(), "2026-10-06 10:00 +00:00");
}

TEST(SubmissionTimes, AreRefusedWithEveryLineThatIsWrong) {
  EXPECT_EQ(
      parse_submission_times("student,time\n", "t.csv").error().message,
      "t.csv:1: the first line must name the columns 'student' and 'submitted', or be that of "
      "Moodle's grading worksheet in English");
  EXPECT_EQ(
      parse_submission_times(
          "student,submitted\nanna,2026-10-05 23:59\nboris,2026-10-05 23:59 Z\ncarla\n", "t.csv")
          .error()
          .message,
      "t.csv:2: expected a student and a time such as 2026-10-05 23:59 +02:00, not "
      "'anna,2026-10-05 23:59'\n"
      "t.csv:4: expected a student and a time such as 2026-10-05 23:59 +02:00, not "
      "'carla'\n");
}

TEST(SubmissionTimes, NameEachLineWhoseStudentHandedNothingIn) {
  const Result<SubmissionTimes> times = parse_submission_times(
      "student,submitted\nanna,2026-10-05 23:59 Z\nbroris,2026-10-05 23:59 Z\n\n"
      "carla,2026-10-05 23:59 Z\nbroris,2026-10-06 23:59 Z\n",
      "t.csv");
  ASSERT_TRUE(times.ok());
  const StudentIndex nobody({});
  EXPECT_EQ(unknown_students(times->lines, nobody, {"anna", "boris"}),
            (std::vector<std::string>{
                "t.csv:3: no submission is called 'broris'; did you mean 'boris'?",
                "t.csv:5: no submission is called 'carla'",
                "t.csv:6: no submission is called 'broris'; did you mean 'boris'?"}));
  EXPECT_TRUE(unknown_students(times->lines, nobody, {"anna", "broris", "carla"}).empty());
}

TEST(SubmissionTimes, NameTheIdThatANameIsPartOf) {
  const StudentIndex nobody({});
  const std::vector<std::string> known = {"rossichiara_4004", "rossimario_4005", "doeann_4006"};
  EXPECT_EQ(
      unknown_students({{"t.csv:2", "Rossi, Chiara"}, {"t.csv:3", "Rossi, R"}}, nobody, known),
      (std::vector<std::string>{
          "t.csv:2: no submission is called 'Rossi, Chiara'; did you mean 'rossichiara_4004'?",
          "t.csv:3: no submission is called 'Rossi, R'"}));
}

/// As if the machine were in this time zone.
class TimeZone {
 public:
  explicit TimeZone(const char* name) {
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~TimeZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

constexpr const char* kWorksheet =
    "\xef\xbb\xbfIdentifier,\"Full name\",Status,Grade,\"Last modified (submission)\"\n"
    "\"Participant 70006\",\"Dmitrii Ivanov\",Submitted,,\"Monday, 5 October 2026, 11:59 PM\"\n"
    "\"Participant 70007\",\"Ana Anic\",\"No submission\",,-\n"
    "\"Participant 70008\",\"Bo C\",Submitted,,\"Tuesday, October 6, 2026, 12:05 AM\"\n";

TEST(SubmissionTimes, ComeFromMoodlesGradingWorksheet) {
  const TimeZone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  const Result<SubmissionTimes> times = parse_submission_times(kWorksheet, "w.csv");
  ASSERT_TRUE(times.ok()) << times.error().message;
  ASSERT_EQ(times->by_student.size(), 2u) << "who handed in nothing has no time";
  EXPECT_EQ(times->by_student.at("70006").format(), "2026-10-05 23:59 +02:00");
  EXPECT_EQ(times->by_student.at("70008").format(), "2026-10-06 00:05 +02:00");
  EXPECT_EQ(
      times->note,
      "w.csv names no time zone: its times count as this machine's, such as 2026-10-05 23:59 "
      "+02:00 for 'Monday, 5 October 2026, 11:59 PM' (TZ=Europe/Rome before the command takes "
      "another zone)");
}

TEST(SubmissionTimes, AreRefusedInAWorksheetOfAnotherLanguage) {
  EXPECT_EQ(parse_submission_times("Identifier,Last modified (submission)\n"
                                   "Participant 1,\"lunedi, 5 ottobre 2026, 23:59\"\n",
                                   "w.csv")
                .error()
                .message,
            "w.csv:2: expected a time in English such as 'Monday, 5 October 2026, 11:59 PM', not "
            "'lunedi, 5 ottobre 2026, 23:59': export the worksheet with Moodle set to English\n");
}

TEST(MoodleTime, IsTakenByBothClocksAndInBothOrders) {
  const TimeZone zone("UTC0");
  const auto told = [](const char* text) {
    const std::optional<Moment> moment = parse_moodle_time(text);
    return moment ? moment->format() : "none";
  };
  EXPECT_EQ(told("5 October 2026, 12:00 PM"), "2026-10-05 12:00 +00:00");
  EXPECT_EQ(told("Monday, October 5, 2026, 23:59"), "2026-10-05 23:59 +00:00");
  for (const char* wrong :
       {"", "-", "5 October 2026", "31 November 2026, 1:00 PM", "5 October 2026, 13:00 PM",
        "5 October 2026, 1:60 PM", "5 5 October 2026, 1:00 PM", "5 Oktober 2026, 1:00 PM"})
    EXPECT_EQ(told(wrong), "none") << wrong;
}

Submission submission_of(const std::string& student, Identity identity) {
  Submission each{student, "/x", "int x;", {}, ""};
  each.identity = std::move(identity);
  return each;
}

TEST(SubmissionTimes, AreFoundByWhateverTheFileCallsAStudent) {
  const std::vector<Submission> submissions = {
      submission_of("ann_1", {"Lee, Ann", {{"canvas", "1"}, {"email", "ann@x.edu"}}}),
      submission_of("bo_2", {"Bo Kay", {{"canvas", "2"}}}),
      submission_of("bo_3", {"Bo Kay", {{"canvas", "3"}}})};
  const StudentIndex index(submissions);
  const Result<SubmissionTimes> read = parse_submission_times(
      "student,submitted\nANN@x.edu,2026-10-05 10:00 Z\nAnn Lee,2026-10-05 12:00 Z\n"
      "1,2026-10-05 11:00 Z\nbo kay,2026-10-05 10:00 Z\n",
      "t.csv");
  ASSERT_TRUE(read.ok());
  const SubmissionTimes times = resolve_times(*read, index);
  EXPECT_EQ(times.by_student.at("ann_1").format(), "2026-10-05 12:00 +00:00");
  EXPECT_EQ(times.by_student.count("bo_2") + times.by_student.count("bo_3"), 0u);
  EXPECT_EQ(unknown_students(times.lines, index, {"ann_1", "bo_2", "bo_3"}),
            std::vector<std::string>{"t.csv:5: 'bo kay' may be bo_2 or bo_3; write one of these"});
}

TEST(SubmissionTimes, CanBeThoseOfTheDownloadOrOfItsArchive) {
  std::vector<Submission> submissions = {submission_of("ann", {}), submission_of("bob", {})};
  submissions[0].submitted = Moment{1791237540, 60};
  submissions[1].written = Moment{1791237000, 0};
  EXPECT_EQ(lms_times(submissions).source, "lms");
  EXPECT_EQ(lms_times(submissions).by_student,
            (std::map<std::string, Moment>{{"ann", {1791237540, 60}}}));
  EXPECT_EQ(file_times(submissions).by_student,
            (std::map<std::string, Moment>{{"bob", {1791237000, 0}}}));
}

TEST(SubmissionTimes, CanBeThoseOfTheFiles) {
  char name[] = "/tmp/warpgrade-times-XXXXXX";
  const int file = ::mkstemp(name);
  ASSERT_GE(file, 0);
  const timespec times[2] = {{1791237540, 0}, {1791237540, 0}};
  ASSERT_EQ(::futimens(file, times), 0);
  ::close(file);
  const SubmissionTimes read =
      file_times({{"anna", name, "", {}, ""}, {"boris", "/nowhere/a.cu", "", {}, ""}});
  ::unlink(name);
  EXPECT_EQ(read.source, "mtime");
  ASSERT_EQ(read.by_student.size(), 1u);
  EXPECT_EQ(read.by_student.at("anna").seconds, 1791237540);
}

}  // namespace
}  // namespace warpgrade
