// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/layout.h"
#include "report/result.h"

namespace warpgrade {

enum class Colour { kNever, kAlways };

/// How a report is shown.
struct ReportView {
  Colour colour = Colour::kNever;
  size_t columns = kReportColumns;
  std::string_view source =
      {};  ///< The submission's, whose lines findings quote; empty where it is not known.
};

/// One student's full report: each item with its reason, findings, kernels, compiler messages. For the staff, where there
/// are hidden cases.
std::string format_report(const SubmissionResult& result, const ReportView& view = {});

/// What of a result a student may read: of hidden cases neither names nor findings, nor a word or a
/// number that the program chose, since a program can put its inputs in each of these.
SubmissionResult for_student(SubmissionResult result);

/// What the staff should look at: flags, items whose points the measurement could not tell, and
/// where a GPU and the emulated device disagree. Empty where there is nothing.
std::string format_staff_notes(const SubmissionResult& result);

/// The same where many notes of one kind are one line, with their number and where to read them.
std::string format_brief_staff_notes(const SubmissionResult& result);

/// The class: students with their scores, one line per lost item and per note for
/// the staff. In the order given.
std::string format_class(const std::vector<SubmissionResult>& results,
                         Colour colour = Colour::kNever);

/// What a person reads for a status, in the language: "passed".
std::string status_word(Outcome status, const std::string& language);

/// "30 of 100, provisional", or that there is no score, in the result's language.
std::string score_words(const SubmissionResult& result);

/// The devices that the submission was graded on, in a sentence without its full stop; empty where there were none.
std::string device_words(const SubmissionResult& result);

/// The language of a class's results; the spoken one where there are none.
const std::string& language_of(const std::vector<SubmissionResult>& results);

/// "87.5" and "100": points without needless digits.
std::string format_points(double points);

}  // namespace warpgrade
