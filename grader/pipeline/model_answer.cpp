// SPDX-License-Identifier: MIT
#include "pipeline/model_answer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "pipeline/derived_outputs.h"
#include "pipeline/repeated_runs.h"
#include "pipeline/swapped_cases.h"

namespace warpgrade {
namespace {

using ModelRuns = std::map<std::string, ModelRun>;
using nlohmann::json;

// As a multiple of the time that a student has: a busy machine must not make the runs unknown.
constexpr int kModelPatience = 10;
// Counts the changes after which runs that were kept might show something else.
constexpr int kKeptRuns = 1;

fs::path file_in(const fs::path& cache, const std::string& key) {
  return cache.empty() ? fs::path() : cache / "model" / (sha256_hex(key) + ".json");
}

/// Nothing where there is no such file, or a damaged one.
ModelRuns read_runs(const fs::path& file) {
  const Result<std::string> text = file.empty() ? Error{} : RealFiles().read(file);
  if (!text) return {};
  ModelRuns runs;
  try {
    const json cases = json::parse(*text);
    for (const auto& [id, run] : cases.items())
      runs[id] = {run.at("ranges").get<RangeCounts>(), run.at("is_swappable").get<bool>()};
  } catch (const json::exception&) {
    return {};
  }
  return runs;
}

void keep_runs(const fs::path& file, const ModelRuns& runs) {
  if (file.empty()) return;
  json cases = json::object();
  for (const auto& [id, run] : runs)
    cases[id] = {{"ranges", run.ranges}, {"is_swappable", run.is_swappable}};
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  // Without it the next grading runs the answer again.
  if (!failed) static_cast<void>(RealFiles().write(file, cases.dump()));
}

/// Runs the cases of one program.
class ModelRunner {
 public:
  ModelRunner(const Rubric& rubric, const EmulatedRunner& runner, const CaseStore& cases,
              ProgramPlace place)
      : rubric_(rubric), runner_(runner), cases_(cases), place_(std::move(place)) {}

  ModelRuns run_all(const std::vector<RunStep>& steps) const {
    std::map<std::string, CaseRuns> ran;
    {
      const auto runs =
          with_derived_outputs(runner_.open(place_), cases_.oracle(), derived_folder(place_));
      for (const RunStep& step : steps) run(*runs, step, ran);
    }
    ModelRuns found;
    const RepeatedRuns repeated(rubric_, runner_, cases_, place_);
    const std::set<std::string> may_be_swapped = all_that_may_be_swapped(rubric_);
    for (const auto& [id, runs] : ran) {
      found[id] = {count_ranges(*runs.last_trace),
                   may_be_swapped.contains(id) && repeated.on_other_inputs(runs, {}).empty()};
    }
    return found;
  }

 private:
  void run(ProgramRuns& runs, RunStep step, std::map<std::string, CaseRuns>& ran) const {
    const Result<CaseData>& data = cases_.get(step.case_id);
    if (!data) return;
    step.limits.wall_s *= kModelPatience;
    CaseRuns own;
    own.last = run_patiently(runs, step, data->inputs);
    own.last_trace = parse_trace(own.last.trace);
    own.last_step = step;
    if (own.last_trace && own.last.process.succeeded()) ran[step.case_id] = std::move(own);
  }

  const Rubric& rubric_;
  const EmulatedRunner& runner_;
  const CaseStore& cases_;
  const ProgramPlace place_;
};

}  // namespace

ModelAnswer::ModelAnswer(const Rubric& rubric, const std::string& source, const std::string& key,
                         const fs::path& cache, const std::vector<RunStep>& steps,
                         const EmulatedRunner& runner, const BaselineTools& tools) {
  std::string whole_key = fmt::format("{}\n{}\n{}", kKeptRuns, key, source);
  for (const RunStep& step : steps)
    whole_key += fmt::format("\n{} {}", step.case_id, join(step.words, " "));
  for (const std::string& id : all_that_may_be_swapped(rubric)) whole_key += "\nswapped " + id;
  runs_ = std::async(std::launch::async, [=, &rubric, &runner, file = file_in(cache, whole_key)] {
            ModelRuns runs = read_runs(file);
            if (runs.size() == steps.size()) return runs;
            const fs::path folder = tools.folder / std::to_string(tools.first_slot);
            std::error_code failed;
            fs::create_directories(folder, failed);
            const Result<fs::path> program =
                tools.build(source, {folder, tools.first_slot, tools.compile_s});
            if (!program) return ModelRuns();
            runs = ModelRunner(rubric, runner, tools.cases,
                               {*program, folder / "run", tools.first_slot})
                       .run_all(steps);
            if (runs.size() == steps.size()) keep_runs(file, runs);
            return runs;
          }).share();
}

ModelAnswer::~ModelAnswer() { runs_.wait(); }

const ModelRun* ModelAnswer::in_case(const std::string& case_id) const {
  const auto found = runs_.get().find(case_id);
  return found == runs_.get().end() ? nullptr : &found->second;
}

}  // namespace warpgrade
