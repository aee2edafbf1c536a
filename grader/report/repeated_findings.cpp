// SPDX-License-Identifier: MIT
#include "report/repeated_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sentences/words.h"

namespace warpgrade {
namespace {

/// What a finding says but for the bytes that it is about, which differ from case to case.
std::string key_without_object(Finding finding) {
  finding.arguments.erase("object");
  return finding.key();
}

bool is_same_place(const Finding& a, const Finding& b) {
  if (a.checker != b.checker || a.file != b.file || a.line != b.line) return false;
  return a.line != 0 || (a.kernel == b.kernel && key_without_object(a) == key_without_object(b));
}

/// "b" of "object.element(array=b, index=34)", or of what names no array all of it.
std::string array_of(const std::string& object) {
  constexpr std::string_view kArray = "array=";
  const size_t begin = object.find(kArray);
  if (begin == std::string::npos) return object;
  const size_t end = object.find_first_of(",)", begin);
  return object.substr(begin + kArray.size(), end - begin - kArray.size());
}

/// Where a race's accesses are, and of which arrays.
struct RaceScope {
  std::set<std::pair<std::string, int>> lines;
  std::set<std::string> arrays;

  void add(const Finding& race) {
    if (race.line != 0) lines.emplace(race.file, race.line);
    if (race.race->second_line != 0) lines.emplace(race.race->second_file, race.race->second_line);
    arrays.insert(object_of(race));
  }
  bool explains(const Finding& other) const {
    if (other.race)
      return holds(other.file, other.line) ||
             holds(other.race->second_file, other.race->second_line);
    return other.checker == "init" && holds(other.file, other.line) &&
           arrays.count(object_of(other)) != 0;
  }

 private:
  static std::string object_of(const Finding& finding) {
    const auto object = finding.arguments.find("object");
    return object == finding.arguments.end() ? "" : array_of(object->second);
  }
  bool holds(const std::string& file, int line) const { return lines.count({file, line}) != 0; }
};

}  // namespace

std::vector<RepeatedFinding> repeated_findings(const SubmissionResult& result) {
  std::vector<RepeatedFinding> found;
  for (const CaseFinding& each : result.findings) {
    auto known = std::find_if(found.begin(), found.end(), [&](const RepeatedFinding& repeated) {
      return is_same_place(repeated.first->finding, each.finding);
    });
    if (known == found.end()) known = found.insert(known, RepeatedFinding{&each, 0, {}});
    known->count += each.finding.count;
    known->cases.insert(each.case_id);
  }
  return found;
}

std::vector<FindingGroup> grouped_findings(const SubmissionResult& result) {
  std::vector<FindingGroup> mistakes;
  std::vector<RaceScope> scopes;  // One for each mistake, empty where it is no race.
  for (RepeatedFinding& each : repeated_findings(result)) {
    const Finding& finding = each.first->finding;
    const auto scope = std::find_if(scopes.begin(), scopes.end(), [&](const RaceScope& known) {
      return known.explains(finding);
    });
    const bool is_new = scope == scopes.end();
    RaceScope& its = is_new ? scopes.emplace_back() : *scope;
    if (finding.race) its.add(finding);
    if (is_new) {
      mistakes.push_back({std::move(each), {}});
    } else {
      const auto at = static_cast<size_t>(&its - scopes.data());
      mistakes[at].consequences.push_back(std::move(each));
    }
  }
  return mistakes;
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
