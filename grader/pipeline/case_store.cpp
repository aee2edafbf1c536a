// SPDX-License-Identifier: MIT
#include "pipeline/case_store.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "check/array_folder.h"

namespace warpgrade {
namespace {

constexpr int kTries = 3;  // of what the machine failed to start

}  // namespace

CaseStore::CaseStore(const Sandbox& trusted, fs::path oracle, fs::path folder,
                     std::vector<RunStep> cases, uint64_t seed)
    : trusted_(trusted),
      oracle_(std::move(oracle)),
      folder_(std::move(folder)),
      cases_(std::move(cases)),
      seed_(seed) {
  for (const RunStep& step : cases_)
    futures_[step.case_id] = promises_[step.case_id].get_future().share();
  maker_ = std::thread([this] {
    for (const RunStep& step : cases_) promises_.at(step.case_id).set_value(make(step));
  });
}

CaseStore::~CaseStore() { maker_.join(); }

const Result<CaseData>& CaseStore::get(const std::string& case_id) const {
  return futures_.at(case_id).get();
}

Result<CaseData> CaseStore::make(const RunStep& step) const {
  const fs::path folder = folder_ / step.case_id;
  std::error_code failed;
  fs::create_directories(folder / "expected", failed);
  fs::permissions(folder / "expected", fs::perms::owner_all, failed);
  if (failed) return Error{fmt::format("cannot make {}: {}", folder.string(), failed.message())};
  for (const char* verb : {"inputs", "expected"}) {
    if (Status made = call(verb, step, folder); !made) return made.error();
  }
  Result<Arrays> expected = read_arrays(RealFiles(), folder / "expected");
  if (!expected) return expected.error();
  return CaseData{folder / "in", std::move(*expected)};
}

Status CaseStore::call(const char* verb, const RunStep& step, const fs::path& folder) const {
  Command command;
  command.argv = {oracle_.string(), verb, folder.string(), "--family", step.family};
  if (verb == std::string_view("inputs")) {
    const uint64_t seed = fnv1a_64(step.case_id, seed_);
    command.argv.insert(command.argv.end(), {"--seed", std::to_string(seed)});
  }
  for (const auto& [name, value] : step.values)
    command.argv.push_back(fmt::format("{}={}", name, value));
  command.environment = {{"LC_ALL", "C"}, {"OPENBLAS_NUM_THREADS", "1"}};
  command.limits.wall_ms = 60'000;
  command.limits.cpu_s = 60;
  ProcessOutcome outcome;
  for (int attempt = 0; attempt < kTries && outcome.ending == Ending::kSystemError; ++attempt)
    outcome = trusted_.run(command);
  if (outcome.succeeded()) return {};
  return Error{fmt::format("{} {} failed for case '{}': {}", oracle_.filename().string(), verb,
                           step.case_id,
                           trim(outcome.error.empty() ? outcome.err : outcome.error))};
}

}  // namespace warpgrade
