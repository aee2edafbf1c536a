// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {

std::string status_word(Outcome status, const std::string& language) {
  const Words words(language);
  switch (status) {
    case Outcome::kPassed:
      return words("status.passed");
    case Outcome::kPartial:
      return words("status.partial");
    case Outcome::kPending:
      return words("status.pending");
    case Outcome::kFailed:
      return words("status.failed");
    case Outcome::kSystemError:
      return words("status.not_judged");
  }
  return {};
}

std::string score_words(const SubmissionResult& result) {
  const Words words(result.language);
  if (result.has_system_error()) return words("report.not_graded");
  return words(result.provisional ? "test.provisional" : "test.score",
               {{"score", format_points(result.score)}, {"most", format_points(result.max_score)}});
}

std::string device_words(const SubmissionResult& result) {
  if (result.devices.empty()) return {};
  return say_in(result.language,
                result.device_kind == "gpu" ? "report.on_gpu" : "report.on_emulated",
                {{"devices", join(result.devices, ", ")}})
      .text;
}

const std::string& language_of(const std::vector<SubmissionResult>& results) {
  return results.empty() ? spoken_language() : results.front().language;
}

}  // namespace warpgrade
