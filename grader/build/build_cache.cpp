// SPDX-License-Identifier: MIT
#include "build/build_cache.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

using nlohmann::json;

json to_json(const BuildResult& result) {
  json diagnostics = json::array();
  for (const Diagnostic& d : result.diagnostics)
    diagnostics.push_back({d.file, d.line, d.severity == Severity::kError, d.text});
  return {{"built", result.status == BuildStatus::kBuilt},
          {"reason", result.reason},
          {"diagnostics", diagnostics}};
}

BuildResult from_json(const json& stored) {
  BuildResult result;
  result.status = stored.at("built").get<bool>() ? BuildStatus::kBuilt : BuildStatus::kRejected;
  result.reason = stored.at("reason");
  for (const json& d : stored.at("diagnostics")) {
    result.diagnostics.push_back(
        {d.at(0), d.at(1), d.at(2).get<bool>() ? Severity::kError : Severity::kWarning, d.at(3)});
  }
  return result;
}

/// Names no other writer uses, in any process.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<int> count = 0;
  return path.string() + "." + std::to_string(::getpid()) + "." + std::to_string(count++);
}

}  // namespace

long BuildResult::warnings() const {
  long count = 0;
  for (const Diagnostic& diagnostic : diagnostics)
    count += diagnostic.severity == Severity::kWarning;
  return count;
}

std::optional<BuildResult> BuildCache::find(const std::string& key, const fs::path& program) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(folder_ / (key + ".json"));
  const json stored = json::parse(file, nullptr, false);
  if (stored.is_discarded()) return std::nullopt;
  BuildResult result = from_json(stored);
  if (result.status != BuildStatus::kBuilt) return result;
  std::error_code failed;
  fs::copy_file(folder_ / key, program, failed);
  result.program = program;
  return failed ? std::nullopt : std::optional(result);
}

void BuildCache::keep(const std::string& key, const BuildResult& result) const {
  if (folder_.empty() || result.status == BuildStatus::kSystemError) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  // The program first: whoever sees the .json may rely on it.
  if (result.status == BuildStatus::kBuilt) {
    const fs::path temporary = temporary_beside(folder_ / key);
    fs::copy_file(result.program, temporary, failed);
    if (!failed) fs::rename(temporary, folder_ / key, failed);
    if (failed) return;
  }
  const fs::path temporary = temporary_beside(folder_ / (key + ".json"));
  std::ofstream(temporary) << to_json(result).dump();
  fs::rename(temporary, folder_ / (key + ".json"), failed);
}

}  // namespace warpgrade
