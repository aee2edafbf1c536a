// SPDX-License-Identifier: MIT
#include "report/formats/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "report/repeated_findings.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const std::map<std::string, std::string>& rules() {
  static const std::map<std::string, std::string> all = {
      {"api", "Calls of the CUDA Runtime that were refused, or whose errors nobody asked about"},
      {"init", "Reads of memory that nothing has written"},
      {"memory", "Accesses out of bounds, misaligned, or to freed memory"},
      {"padding", "Accesses to the padding behind the rows of pitched memory"},
      {"race", "Accesses to the same memory that nothing orders"},
      {"sync", "Barriers in divergent code, wrong masks, deadlocks"},
      {"time", "Where host code was after more than half of its time"}};
  return all;
}

/// A relative path as a URI reference.
std::string uri_of(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// The file that findings without a place are shown in. GitHub refuses a whole log in which a result has no physical
/// location.
std::string main_file(const SubmissionResult& result) {
  for (const CaseFinding& each : result.findings) {
    if (!each.finding.file.empty()) return each.finding.file;
  }
  return result.assignment + ".cu";
}

Json location_of(const Finding& finding, const std::string& folder, const std::string& otherwise) {
  const std::string& file = finding.file.empty() ? otherwise : finding.file;
  Json location = {{"physicalLocation",
                    {{"artifactLocation", {{"uri", uri_of(folder + file)}}},
                     {"region", {{"startLine", std::max(finding.line, 1)}}}}}};
  if (!finding.kernel.empty())
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", printable(finding.kernel)}, {"kind", "function"}}});
  return location;
}

Json result_of(const SubmissionResult& result, const RepeatedFinding& repeated,
               const std::string& folder) {
  const Finding& finding = repeated.first->finding;
  const std::string identity = fmt::format("{}\n{}\n{}\n{}\n{}", result.student, finding.checker,
                                           finding.kernel, finding.file, finding.line);
  Json json = {{"ruleId", printable(finding.checker)},
               {"level", may_end_a_run(finding) ? "error" : "warning"},
               {"message", {{"text", printable(finding.message)}}}};
  json["locations"] = Json::array({location_of(finding, folder, main_file(result))});
  json["occurrenceCount"] = std::max(repeated.count, 1L);
  json["partialFingerprints"] = {{"place/v1", sha256_hex(identity)}};
  json["properties"] = {{"assignment", result.assignment},
                        {"student", result.student},
                        {"cases", repeated.cases},
                        {"block", finding.block},
                        {"thread", finding.thread}};
  return json;
}

}  // namespace

std::string format_sarif(const std::vector<SubmissionResult>& results, const std::string& version) {
  std::map<std::string, std::string> used;
  Json found = Json::array();
  for (const SubmissionResult& result : results) {
    const std::string folder = results.size() == 1 ? "" : result.student + '/';
    for (const RepeatedFinding& repeated : repeated_findings(result)) {
      const std::string checker = printable(repeated.first->finding.checker);
      const auto known = rules().find(checker);
      used[checker] = known == rules().end() ? checker : known->second;
      found.push_back(result_of(result, repeated, folder));
    }
  }
  Json listed = Json::array();
  for (const auto& [id, what] : used)
    listed.push_back({{"id", id}, {"shortDescription", {{"text", what}}}});
  const Json whole = {
      {"$schema", kSarifSchema},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver",
                {{"name", "Warpgrade"}, {"version", version}, {"rules", std::move(listed)}}}}},
             {"columnKind", "utf16CodeUnits"},
             {"results", std::move(found)}}})}};
  return printable_json(whole.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

}  // namespace warpgrade
