// SPDX-License-Identifier: MIT
#include "pipeline/driver_ranges.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/npy_io.h"
#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

using CountsByCase = std::map<std::string, RangeCounts>;

// As a multiple of the time that a student has: a busy machine must not make the ranges unknown.
constexpr int kModelPatience = 10;
constexpr std::string_view kOwnRanges = "warpgrade.";

fs::path file_in(const fs::path& cache, const std::string& key) {
  return cache.empty() ? fs::path() : cache / "ranges" / (sha256_hex(key) + ".json");
}

/// Nothing where there is no such file, or a damaged one.
CountsByCase read_counts(const fs::path& file) {
  const Result<std::string> text = file.empty() ? Error{} : RealFiles().read(file);
  if (!text) return {};
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  try {
    return json.get<CountsByCase>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

void keep_counts(const fs::path& file, const CountsByCase& counts) {
  if (file.empty()) return;
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  // Without it the next run counts again.
  if (!failed) static_cast<void>(RealFiles().write(file, nlohmann::json(counts).dump()));
}

CountsByCase count_all(const std::string& source, const std::vector<RunStep>& steps,
                       const BaselineTools& tools) {
  const fs::path folder = tools.folder / std::to_string(tools.first_slot);
  std::error_code failed;
  fs::create_directories(folder, failed);
  const Result<fs::path> program = tools.build(source, {folder, tools.first_slot, tools.compile_s});
  CountsByCase counts;
  if (!program) return counts;
  const auto runs = tools.runner.open({*program, folder / "run", tools.first_slot});
  for (RunStep step : steps) {
    const Result<CaseData>& data = tools.cases.get(step.case_id);
    if (!data) continue;
    step.limits.wall_s *= kModelPatience;
    const RunResult run = run_patiently(*runs, step, data->inputs);
    const Result<Trace> trace = parse_trace(run.trace);
    if (trace && run.process.succeeded()) counts[step.case_id] = count_ranges(*trace);
  }
  return counts;
}

}  // namespace

DriverRanges::DriverRanges(const std::string& source, const std::string& key, const fs::path& cache,
                           const std::vector<RunStep>& steps, const BaselineTools& tools) {
  std::string whole_key = key + '\n' + source;
  for (const RunStep& step : steps)
    whole_key += fmt::format("\n{} {}", step.case_id, join(step.words, " "));
  counts_ =
      std::async(std::launch::async, [source, steps, tools, file = file_in(cache, whole_key)] {
        CountsByCase counts = read_counts(file);
        if (counts.size() == steps.size()) return counts;
        counts = count_all(source, steps, tools);
        if (counts.size() == steps.size()) keep_counts(file, counts);
        return counts;
      }).share();
}

DriverRanges::~DriverRanges() { counts_.wait(); }

const RangeCounts* DriverRanges::in_case(const std::string& case_id) const {
  const auto found = counts_.get().find(case_id);
  return found == counts_.get().end() ? nullptr : &found->second;
}

RangeCounts count_ranges(const Trace& trace) {
  RangeCounts counts;
  for (const RangeMark& mark : trace.ranges) {
    if (mark.begins && !mark.name.starts_with(kOwnRanges)) ++counts[mark.name];
  }
  for (const OutputNote& note : trace.outputs) ++counts[npy_io::kNoted + note.name];
  return counts;
}

Doubts doubts_of_ranges(const std::string& case_id, const Trace& trace, const RangeCounts& driver,
                        const std::set<std::string>& judged) {
  Doubts doubts;
  for (const auto& [name, times] : count_ranges(trace)) {
    const auto known = driver.find(name);
    const long wanted = known == driver.end() ? 0 : known->second;
    if (times <= wanted) continue;
    const Sentence why =
        say(kExtraRange, {{"range", printable(name)}, {"times", times}, {"wanted", wanted}});
    for (const std::string& range : judged) doubts.push_back({range, why, false, case_id});
  }
  return doubts;
}

}  // namespace warpgrade
