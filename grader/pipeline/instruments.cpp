// SPDX-License-Identifier: MIT
#include "pipeline/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>

#include "base/first_file.h"
#include "base/text.h"
#include "observe/tool_command.h"

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

/// "2025.10.1" is newer than "2025.9.2".
bool is_older(const fs::path& one, const fs::path& other) {
  return ::strverscmp(one.c_str(), other.c_str()) < 0;
}

/// Folders below `parents` that hold a version of Nsight Compute, the newest last.
std::vector<fs::path> installations(const std::vector<fs::path>& parents) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const fs::path& parent : parents) {
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, missing)) {
      const fs::path tool = entry.path() / "ncu";
      if (fs::is_regular_file(tool, missing) && tool_folder(tool) != parent / "bin")
        found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end(), is_older);
  return found;
}

/// What the toolkit has on its path may be a script that starts the ncu of an installation elsewhere, of
/// which nothing shows in its own folder: then that one, the one that the script names or the newest.
fs::path installed_ncu(const fs::path& ncu, const std::vector<fs::path>& parents) {
  constexpr size_t kScriptBytes = 64 << 10;
  std::ifstream file(ncu);
  std::string script(kScriptBytes, '\0');
  file.read(script.data(), kScriptBytes);
  script.resize(static_cast<size_t>(file.gcount()));
  if (!ncu.empty() && (!script.starts_with("#!") || tool_folder(ncu) != ncu.parent_path()))
    return ncu;
  fs::path chosen;
  for (const fs::path& folder : installations(parents)) {
    const std::string name = folder.filename().string();
    if (chosen.empty() || script.find(name) != std::string::npos ||
        script.find(chosen.filename().string()) == std::string::npos)
      chosen = folder;
  }
  return chosen.empty() ? ncu : first_file({chosen / "ncu"});
}

}  // namespace

Instruments find_instruments(const fs::path& toolkit, const std::string& search_path,
                             const fs::path& nsight) {
  std::vector<fs::path> sanitizers = {toolkit / "compute-sanitizer" / "compute-sanitizer",
                                      toolkit / "bin" / "compute-sanitizer"};
  std::vector<fs::path> ncus = {toolkit / "bin" / "ncu"};
  for (const std::string& folder : split(search_path, ':')) {
    if (folder.empty()) continue;
    sanitizers.push_back(fs::path(folder) / "compute-sanitizer");
    ncus.push_back(fs::path(folder) / "ncu");
  }
  return {first_file(sanitizers), installed_ncu(first_file(ncus), {toolkit, nsight})};
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
