// SPDX-License-Identifier: MIT
#include "pipeline/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/first_file.h"
#include "base/text.h"

namespace warpgrade {
namespace {

std::set<std::string> tools_for(const Rubric& rubric, const std::string& case_id) {
  std::set<std::string> tools;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(case_id)) continue;
    for (const Rule& rule : item.rules) {
      if (const auto* sanitizer = std::get_if<SanitizerRule>(&rule))
        tools.insert(sanitizer->tools.begin(), sanitizer->tools.end());
    }
  }
  return tools;
}

/// Counters by the range that they are of.
std::map<std::string, std::vector<std::string>> counters_for(const Rubric& rubric,
                                                             const std::string& case_id) {
  std::map<std::string, std::vector<std::string>> counters;
  for (const Item& item : rubric.items) {
    const bool counts = item.metric && item.metric->source == CounterSource::kHardware;
    if (counts && item.is_judged_by(case_id))
      counters[item.metric->range].push_back(item.metric->name);
  }
  return counters;
}

/// What of the outputs is not as in the plain run.
std::string difference(const RunResult& plain, const RunResult& other) {
  for (const auto& [name, array] : plain.outputs) {
    const auto found = other.outputs.find(name);
    if (found == other.outputs.end()) return fmt::format("it wrote no {}", name);
    if (found->second.shape != array.shape) return fmt::format("its {} has another shape", name);
  }
  return "";
}

SanitizerRun not_checked(const std::string& tool, const std::string& why) {
  SanitizerRun run;
  run.tool = tool;
  run.why_not = why;
  return run;
}

CounterValues not_counted(const std::vector<std::string>& counters, const std::string& why) {
  CounterValues values;
  for (const std::string& counter : counters) values[counter] = {std::nullopt, why};
  return values;
}

}  // namespace

Instruments find_instruments(const fs::path& toolkit, const std::string& search_path) {
  std::vector<fs::path> ncus = {toolkit / "bin" / "ncu"};
  for (const std::string& folder : split(search_path, ':'))
    ncus.push_back(fs::path(folder) / "ncu");
  return {first_file({toolkit / "compute-sanitizer" / "compute-sanitizer",
                      toolkit / "bin" / "compute-sanitizer"}),
          first_file(ncus)};
}

InstrumentReadings read_instruments(const Instruments& instruments, const Rubric& rubric,
                                    const RunStep& step, const RunResult& plain, ProgramRuns& runs,
                                    const fs::path& inputs, const Sandbox& sandbox, int major) {
  InstrumentReadings readings;
  for (const std::string& tool : tools_for(rubric, step.case_id)) {
    if (instruments.sanitizer.empty()) {
      readings.sanitizer[tool] = not_checked(tool, "this machine has no compute-sanitizer");
      continue;
    }
    const Result<ToolRun> run = runs.for_tool(step, inputs);
    readings.sanitizer[tool] =
        run ? run_sanitizer(sandbox, instruments.sanitizer, tool, run->command,
                            run->log / (tool + ".txt"), rubric.submission,
                            [&] { return difference(plain, runs.left_by_tool(step)); })
            : not_checked(tool, run.error().message);
  }
  for (const auto& [range, counters] : counters_for(rubric, step.case_id)) {
    if (instruments.ncu.empty()) {
      readings.hardware[range] = not_counted(counters, "this machine has no ncu");
      continue;
    }
    const Result<ToolRun> run = runs.for_tool(step, inputs);
    readings.hardware[range] = run ? run_counters(sandbox, instruments.ncu, counters, major, range,
                                                  run->command, run->log / "ncu.csv")
                                   : not_counted(counters, run.error().message);
  }
  return readings;
}

}  // namespace warpgrade
