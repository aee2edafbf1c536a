// SPDX-License-Identifier: MIT
#include "pipeline/derived_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/remove_tree.h"
#include "check/array_folder.h"

namespace warpgrade {
namespace {

constexpr std::chrono::seconds kFolderPatience{10};  // with a folder of ours

/// The arrays of the program that derived ones are made of; those that it left unwritten or unreadable are not among
/// them.
Arrays sources_of(const RunStep& step, const Arrays& outputs) {
  Arrays sources;
  for (const auto& [name, made_from] : step.derived) {
    for (const std::string& source : made_from) {
      const auto found = outputs.find(source);
      if (found != outputs.end()) sources.insert(*found);
    }
  }
  return sources;
}

class DerivedOutputs final : public ProgramRuns {
 public:
  DerivedOutputs(std::unique_ptr<ProgramRuns> runs, const OracleProgram& oracle, fs::path folder)
      : runs_(std::move(runs)), oracle_(oracle), folder_(std::move(folder)) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override {
    RunResult result = runs_->run(step, inputs);
    derive(step, inputs, result.outputs, result);
    return result;
  }

  std::optional<RunResult> run_together(const std::vector<CaseToRun>& cases) override {
    std::optional<RunResult> result = runs_->run_together(cases);
    for (size_t i = 0; result && i < std::min(cases.size(), result->repetitions.size()); ++i)
      derive(cases[i].step, cases[i].inputs, result->repetitions[i], *result);
    return result;
  }

  Result<ToolRun> for_tool(const RunStep& step, const fs::path& inputs) override {
    inputs_of_tool_ = inputs;
    return runs_->for_tool(step, inputs);
  }

  RunResult left_by_tool(const RunStep& step) override {
    RunResult result = runs_->left_by_tool(step);
    derive(step, inputs_of_tool_, result.outputs, result);
    return result;
  }

 private:
  /// Adds to `outputs`, which are some of the result's, what can be made of them.
  void derive(const RunStep& step, const fs::path& inputs, Arrays& outputs,
              RunResult& result) const {
    std::map<std::string, std::vector<std::string>> wanted = step.derived;
    std::erase_if(wanted, [&](const auto& derived) {
      const auto& [name, made_from] = derived;
      for (const std::string& source : made_from) {
        const auto unreadable = result.unreadable.find(source);
        if (unreadable != result.unreadable.end()) result.unreadable[name] = unreadable->second;
      }
      return !std::all_of(made_from.begin(), made_from.end(),
                          [&](const std::string& source) { return outputs.count(source) != 0; });
    });
    if (wanted.empty() || result.process.ending == Ending::kSystemError) return;
    const Result<Arrays> derived = ask(step, inputs, sources_of(step, outputs));
    remove_tree(folder_, kFolderPatience);
    for (const auto& [name, made_from] : wanted) {
      const auto made = derived ? derived->find(name) : Arrays::const_iterator();
      if (derived && made != derived->end()) {
        outputs[name] = made->second;
        continue;
      }
      result.process.ending = Ending::kSystemError;
      result.process.error = derived
                                 ? fmt::format("the oracle's derived_outputs makes no '{}'", name)
                                 : derived.error().message;
    }
  }

  Result<Arrays> ask(const RunStep& step, const fs::path& inputs, const Arrays& sources) const {
    std::error_code failed;
    fs::create_directories(folder_ / "derived", failed);
    if (!failed) fs::create_directory_symlink(inputs, folder_ / "in", failed);
    if (failed) return Error{fmt::format("cannot make {}: {}", folder_.string(), failed.message())};
    if (Status written = write_arrays(folder_ / "out", sources); !written) return written.error();
    if (Status made = oracle_.call("derived", step, folder_); !made) return made.error();
    return read_arrays(RealFiles(), folder_ / "derived");
  }

  std::unique_ptr<ProgramRuns> runs_;
  const OracleProgram& oracle_;
  fs::path folder_;
  fs::path inputs_of_tool_;
};

}  // namespace

std::unique_ptr<ProgramRuns> with_derived_outputs(std::unique_ptr<ProgramRuns> runs,
                                                  const OracleProgram& oracle, fs::path folder) {
  return std::make_unique<DerivedOutputs>(std::move(runs), oracle, std::move(folder));
}

}  // namespace warpgrade
