// SPDX-License-Identifier: MIT
#include "report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/charts/roofline.h"
#include "report/html.h"
#include "report/repeated_findings.h"
#include "report/source_view.h"
#include "report/speed_view.h"
#include "report/web_assets.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kMostFindings = 200;

/// The run as the sections of a student's page read it: one case without a name.
SubmissionResult as_result(const ProgramRun& run, const std::string& source_name) {
  const Trace& trace = run.trace;
  SubmissionResult result;
  result.language = run.language;
  for (const Finding& finding : trace.findings) {
    if (result.findings.size() < kMostFindings) result.findings.push_back({"", finding});
  }
  std::map<std::pair<std::string, int>, LineCounts> lines;
  for (const KernelLaunch& launch : trace.launches) {
    result.kernels.push_back(
        {"", launch.kernel, launch.grid, launch.block, launch.metrics, launch.time_ms});
    for (const LineCounts& counts : launch.lines) {
      if (counts.file != source_name) continue;
      LineCounts& sum = lines[{launch.kernel, counts.line}];
      sum.file = counts.file;
      sum.line = counts.line;
      sum.add(counts);
    }
  }
  for (const auto& [key, counts] : lines) result.lines.push_back({"", key.first, counts});
  for (const DeviceInfo& device : trace.devices) result.devices.push_back(device.name);
  if (!result.devices.empty()) result.modelled_device = result.devices.front();
  return result;
}

std::string heading(const ProgramRun& run, const SubmissionResult& result) {
  const Words words(run.language);
  const std::string devices = join(result.devices, ", ");
  const std::string end =
      run.signal == 0 ? words("run.ended", {{"status", run.status}, {"devices", devices}})
                      : words("run.signalled", {{"signal", run.signal}, {"devices", devices}});
  return fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"score\"><strong>{}</strong></p>\n<p>{}</p>\n</header>\n",
      html_text(run.command),
      html_text(words("run.findings", {{"count", grouped_findings(result).size()}})),
      html_text(end));
}

std::string source_or_why(const SubmissionResult& result, const std::string& source_name,
                          const std::string& source) {
  if (!source.empty()) return source_section(result, source, source_name);
  const Words words(result.language);
  const std::string why =
      source_name.empty() ? words("run.no_lines") : words("run.no_source", {{"file", source_name}});
  return html_section(words("page.source")) + fmt::format("<p>{}</p></section>\n", html_text(why));
}

}  // namespace

std::vector<std::string> files_of(const Trace& trace) {
  std::map<std::string, uint64_t> warps;
  for (const KernelLaunch& launch : trace.launches) {
    for (const LineCounts& counts : launch.lines) warps[counts.file] += counts.warps;
  }
  std::vector<std::string> files;
  for (const auto& [file, count] : warps) {
    if (!file.empty()) files.push_back(file);
  }
  std::stable_sort(files.begin(), files.end(),
                   [&](const std::string& a, const std::string& b) { return warps[a] > warps[b]; });
  return files;
}

std::string format_run_page(const ProgramRun& run, const std::string& source_name,
                            const std::string& source) {
  const SubmissionResult result = as_result(run, source_name);
  HtmlPage page;
  page.language = run.language;
  page.title = "warpgrade run " + run.command;
  page.body = heading(run, result) + "<main>\n" + findings_section(result, source, source_name) +
              kernels_section(result) + roofline_section(result) +
              timeline_section(run.timeline, run.language) +
              source_or_why(result, source_name, source) + "</main>\n";
  page.data = speed_model(result).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  page.script = kStudentScript;
  return format_page(page);
}

}  // namespace warpgrade
