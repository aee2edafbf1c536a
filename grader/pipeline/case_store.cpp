// SPDX-License-Identifier: MIT
#include "pipeline/case_store.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "check/array_folder.h"
#include "pipeline/held_inputs.h"

namespace warpgrade {
namespace {

/// Where the inputs of another seed lie.
constexpr const char* kOthers = "others";
/// As emulator/runtime/swapped_inputs.h takes it: smaller inputs are not uploaded as arrays.
constexpr size_t kLeastUploadBytes = 64;

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
    : oracle_(trusted, std::move(oracle)),
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
  if (Status made = oracle_.call("inputs", step, folder, seed_of_inputs(seed_, seed_name)); !made)
    return made.error();
  bool has_new_elements = false;
  if (folder.parent_path() == folder_ / kOthers) {
    const Result<CaseData>& data = get(step.case_id);
    if (!data) return data.error();
    const Result<Arrays> given = read_arrays(RealFiles(), data->inputs);
    if (!given) return given.error();
    if (Status kept = keep_small_inputs(*given, folder / "in"); !kept) return kept.error();
    has_new_elements = computes_new_elements(*given, data->expected);
  }
  if (Status made = oracle_.call("expected", step, folder); !made) return made.error();
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

}  // namespace warpgrade
