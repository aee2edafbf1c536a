// SPDX-License-Identifier: MIT
#include "report/repeated_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sentences/words.h"

namespace warpgrade {
namespace {

/// What a finding says but for the bytes that it is about, which differ from case to case.
std::string key_without_object(Finding finding) {
  finding.arguments.erase("object");
  return finding.key();
}

}  // namespace

std::vector<RepeatedFinding> repeated_findings(const SubmissionResult& result) {
  std::vector<RepeatedFinding> found;
  const auto same_place = [](const Finding& a, const Finding& b) {
    return a.checker == b.checker && a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
           (a.line != 0 || key_without_object(a) == key_without_object(b));
  };
  for (const CaseFinding& each : result.findings) {
    auto known = std::find_if(found.begin(), found.end(), [&](const RepeatedFinding& repeated) {
      return same_place(repeated.first->finding, each.finding);
    });
    if (known == found.end()) known = found.insert(known, RepeatedFinding{&each, 0, {}});
    known->count += each.finding.count;
    known->cases.insert(each.case_id);
  }
  return found;
}

std::vector<std::string> finding_places(const CaseFinding& each, const std::string& language) {
  const Words words(language);
  const Finding& finding = each.finding;
  const auto triple = [](const Extent3& at) {
    return fmt::format("({}, {}, {})", at[0], at[1], at[2]);
  };
  std::vector<std::string> places;
  if (!finding.file.empty()) places.push_back(fmt::format("{}:{}", finding.file, finding.line));
  if (!each.case_id.empty()) places.push_back(words("place.case", {{"case", each.case_id}}));
  if (finding.kernel.empty()) return places;
  places.push_back(words("place.kernel", {{"kernel", finding.kernel}}));
  places.push_back(words("place.block", {{"block", triple(finding.block)}}));
  places.push_back(words("place.thread", {{"thread", triple(finding.thread)}}));
  return places;
}

bool is_in_submission(const Finding& finding) {
  const std::filesystem::path file = finding.file;
  return file.extension() == ".cu" && file.filename() != "driver.cu";
}

}  // namespace warpgrade
