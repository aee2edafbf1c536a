// SPDX-License-Identifier: MIT
#include "pipeline/case_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "check/array_folder.h"
#include "pipeline/other_inputs.h"

namespace warpgrade {
namespace {

constexpr size_t kLargestInputBytes = size_t{1} << 30;  // cases for a GPU have arrays of 128 MiB
/// Where the inputs of another seed lie.
constexpr const char* kOthers = "others";
/// As emulator/runtime/swapped_inputs.h takes it: smaller inputs are not uploaded as arrays.
constexpr size_t kLeastUploadBytes = 64;
constexpr int kTries = 3;  // where the machine stops the oracle, which is our own program

/// A hash of the names and bytes of a folder's files; empty where one cannot be read.
std::string fingerprint_of(const fs::path& folder) {
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(folder);
  std::string hashes;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const Result<std::string> bytes = files.read(folder / name);
    if (!bytes) return "";
    hashes += name + ' ' + sha256_hex(*bytes) + '\n';
  }
  return sha256_hex(hashes);
}

/// Programs pass small inputs to kernels as parameters: those are the same whatever the device holds.
Status keep_small_inputs(const Arrays& given, const fs::path& others) {
  Arrays small = given;
  std::erase_if(small,
                [](const auto& input) { return input.second.bytes.size() >= kLeastUploadBytes; });
  return write_arrays(others, small);
}

/// Why a program ended before it could say anything.
std::string why_silent(const fs::path& program, int code) {
  if (::access(program.c_str(), X_OK) != 0)
    return fmt::format("{} cannot be started: {}", program.string(), std::strerror(errno));
  return fmt::format("it ended with status {} and said nothing", code);
}

std::string why_failed(const fs::path& program, const ProcessOutcome& outcome) {
  switch (outcome.ending) {
    case Ending::kSystemError:
      return std::string(trim(outcome.error));
    case Ending::kSignalled:
      return fmt::format("signal {} ended it", outcome.code);
    case Ending::kTimedOut:
      return fmt::format("it was stopped after {} ms", outcome.wall_ms);
    case Ending::kMemoryExceeded:
      return fmt::format("it was stopped when it held {} bytes", outcome.max_rss_bytes);
    case Ending::kOutputExceeded:
      return "it wrote too much";
    case Ending::kExited:
      break;
  }
  const std::string said(trim(outcome.err));
  return said.empty() ? why_silent(program, outcome.code) : said;
}

}  // namespace

uint64_t seed_of_inputs(uint64_t secret, std::string_view name) {
  constexpr size_t kDigits = 16;
  const std::string hash = sha256_hex(fmt::format("inputs\n{:016x}\n{}", secret, name));
  return std::stoull(hash.substr(0, kDigits), nullptr, 16);
}

InputReader reader_of(const CaseData& data) {
  return [folder = data.inputs] { return read_arrays(RealFiles(), folder); };
}

CaseStore::CaseStore(const Sandbox& trusted, fs::path oracle, fs::path folder,
                     std::vector<RunStep> cases, uint64_t seed, std::vector<TimeStep> timed,
                     std::vector<RunStep> others)
    : trusted_(trusted),
      oracle_(std::move(oracle)),
      folder_(std::move(folder)),
      cases_(std::move(cases)),
      timed_(std::move(timed)),
      others_(std::move(others)),
      seed_(seed) {
  for (const RunStep& step : cases_) {
    made_[step.case_id];
  }
  for (const RunStep& step : others_) made_others_[step.case_id];
  for (const TimeStep& step : timed_) made_timed_[step.run.case_id];
  maker_ = std::thread([this] { make_all(); });
}

CaseStore::~CaseStore() { maker_.join(); }

const Result<CaseData>& CaseStore::get(const std::string& case_id) const {
  return made_.at(case_id).future.get();
}

const Result<TimedCaseData>& CaseStore::get_timed(const std::string& case_id) const {
  return made_timed_.at(case_id).future.get();
}

const Result<CaseData>& CaseStore::get_other(const std::string& case_id) const {
  return made_others_.at(case_id).future.get();
}

/// In the order of the rubric, in which submissions ask for them.
void CaseStore::make_all() {
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  const size_t plain = cases_.size() + others_.size();
  in_parallel(plain + timed_.size(), threads, [this, plain](size_t index, int) {
    if (index < cases_.size()) {
      const RunStep& step = cases_[index];
      made_.at(step.case_id).promise.set_value(make(step, folder_ / step.case_id, step.case_id));
    } else if (index < plain) {
      const RunStep& step = others_[index - cases_.size()];
      made_others_.at(step.case_id)
          .promise.set_value(make(step, folder_ / kOthers / step.case_id, step.case_id + " other"));
    } else {
      const TimeStep& step = timed_[index - plain];
      made_timed_.at(step.run.case_id).promise.set_value(make_timed(step));
    }
  });
}

Result<CaseData> CaseStore::make(const RunStep& step, const fs::path& folder,
                                 const std::string& seed_name) const {
  std::error_code failed;
  fs::create_directories(folder / "expected", failed);
  fs::permissions(folder / "expected", fs::perms::owner_all, failed);
  if (failed) return Error{fmt::format("cannot make {}: {}", folder.string(), failed.message())};
  if (Status made = call("inputs", step, folder, seed_name); !made) return made.error();
  bool has_new_elements = false;
  if (folder.parent_path() == folder_ / kOthers) {
    const Result<CaseData>& data = get(step.case_id);
    if (!data) return data.error();
    const Result<Arrays> given = read_arrays(RealFiles(), data->inputs);
    if (!given) return given.error();
    if (Status kept = keep_small_inputs(*given, folder / "in"); !kept) return kept.error();
    has_new_elements = computes_new_elements(*given, data->expected);
  }
  if (Status made = call("expected", step, folder, seed_name); !made) return made.error();
  Result<Arrays> expected = read_arrays(RealFiles(), folder / "expected");
  if (!expected) return expected.error();
  return CaseData{folder / "in", std::move(*expected), fingerprint_of(folder / "in"),
                  has_new_elements};
}

Result<TimedCaseData> CaseStore::make_timed(const TimeStep& step) const {
  const std::string& id = step.run.case_id;
  TimedCaseData data{folder_ / "timed" / id / "in", {}};
  std::error_code failed;
  fs::create_directories(data.inputs, failed);
  for (int i = 0; i < step.inputs; ++i) {
    const std::string number = std::to_string(i);
    Result<CaseData> made =
        make(step.run, data.inputs.parent_path() / number, fmt::format("{} {}", id, number));
    if (!made) return made.error();
    fs::rename(made->inputs, data.inputs / number, failed);
    if (failed) return Error{fmt::format("cannot keep {}: {}", id, failed.message())};
    data.expected.push_back(std::move(made->expected));
  }
  return data;
}

Status CaseStore::call(const char* verb, const RunStep& step, const fs::path& folder,
                       const std::string& seed_name) const {
  Command command;
  command.argv = {oracle_.string(), verb, folder.string(), "--family", step.family};
  if (verb == std::string_view("inputs")) {
    command.argv.insert(command.argv.end(),
                        {"--seed", std::to_string(seed_of_inputs(seed_, seed_name))});
  }
  for (const auto& [name, value] : step.values)
    command.argv.push_back(fmt::format("{}={}", name, value));
  command.environment = {{"LC_ALL", "C"}, {"OPENBLAS_NUM_THREADS", "1"}};
  command.limits.wall_ms = 60'000;
  command.limits.cpu_s = 60;
  command.limits.file_bytes = kLargestInputBytes;
  ProcessOutcome outcome;
  for (int attempt = 0; attempt < kTries && outcome.ending != Ending::kExited; ++attempt)
    outcome = trusted_.run(command);
  if (outcome.succeeded()) return {};
  return Error{fmt::format("{} {} failed for case '{}': {}", oracle_.filename().string(), verb,
                           step.case_id, why_failed(oracle_, outcome))};
}

}  // namespace warpgrade
