// SPDX-License-Identifier: MIT
#include "run/program_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/remove_tree.h"
#include "base/text.h"
#include "run/outputs.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kEndlessTraceBytes = size_t{256} << 10;

constexpr std::chrono::minutes kCopyPatience{1};  // with a folder of ours

std::string words_of(const std::vector<int>& numbers) {
  std::vector<std::string> words;
  for (const int number : numbers) words.push_back(std::to_string(number));
  return join(words, ",");
}

}  // namespace

ProcessLimits process_limits(const Limits& limits, const FileLimits& files) {
  ProcessLimits found;
  found.wall_ms = limits.wall_s * 1000L;
  found.cpu_s = 2 * limits.wall_s;
  found.memory_bytes = static_cast<size_t>(limits.memory_mb) << 20;
  found.file_bytes = files.file_bytes;
  found.output_bytes = static_cast<size_t>(limits.output_kb) << 10;
  found.folder_bytes = files.total_bytes + files.trace_bytes;
  found.processes = limits.processes;
  return found;
}

Command ProgramFiles::view() const {
  Command command;
  command.readable = {place_.program, place_.folder};
  command.writable = {out(), log()};
  command.slot = place_.slot;
  return command;
}

Command ProgramFiles::command(Command view, const RunStep& step) const {
  Command command = std::move(view);
  command.argv = {place_.program.string()};
  command.argv.insert(command.argv.end(), step.words.begin(), step.words.end());
  command.environment = {{"WARPGRADE_CASE", place_.folder.string()},
                         {"WARPGRADE_TRACE", trace().string()},
                         {"LC_ALL", "C"}};
  if (!step.repetitions.empty())
    command.environment["WARPGRADE_REPETITIONS"] = words_of(step.repetitions);
  if (!step.left_out.empty())
    command.environment["WARPGRADE_LEAVE_OUT"] =
        join(std::vector<std::string>(step.left_out.begin(), step.left_out.end()), ",");
  command.folder = out();
  command.limits = process_limits(step.limits, limits_of(step));
  return command;
}

Command ProgramFiles::command(Command view, const std::vector<CaseToRun>& cases) const {
  RunStep step = cases.front().step;
  std::vector<std::string> lines;
  for (const CaseToRun& each : cases) {
    lines.push_back(join(each.step.words, "\t"));
    const Limits &mine = each.step.limits, most = step.limits;
    step.limits = {std::max(mine.wall_s, most.wall_s), std::max(mine.memory_mb, most.memory_mb),
                   std::max(mine.output_kb, most.output_kb),
                   std::max(mine.processes, most.processes)};
  }
  step.words.clear();
  Command together = command(std::move(view), step);
  together.environment["WARPGRADE_CASES"] = join(lines, "\n");
  return together;
}

Status ProgramFiles::make_folders(bool keep_inputs) {
  if (!keep_inputs && !remove_tree(in(), kCopyPatience))
    return Error{fmt::format("cannot empty {}", in().string())};
  std::error_code failed;
  fs::create_directories(in(), failed);
  if (failed) return Error{fmt::format("cannot make {}: {}", in().string(), failed.message())};
  const auto hand_over = [this](const fs::path& folder) {
    return sandbox_.hand_over(folder, place_.slot);
  };
  renewed_ = false;
  for (RunFolder* const folder : {&out_, &log_}) {
    const Result<bool> renewed = folder->renew(hand_over);
    if (!renewed) return renewed.error();
    renewed_ = renewed_ || *renewed;
  }
  return {};
}

/// Inputs are copied, so that the view holds no other case's.
Status ProgramFiles::lay_out(const RunStep& step, const fs::path& inputs) {
  const bool plain = step.repetitions.empty();
  // Rounds of one case read the same inputs, of which there may be hundreds of MiB, and cannot change them.
  const bool there = !plain && laid_out_ == inputs;
  laid_out_.clear();
  if (Status made = make_folders(there); !made) return made;
  std::error_code failed;
  if (!there)
    fs::copy(inputs, in(), plain ? fs::copy_options::none : fs::copy_options::recursive, failed);
  if (failed) return Error{fmt::format("cannot copy {}: {}", inputs.string(), failed.message())};
  if (!plain) laid_out_ = inputs;
  return {};
}

Status ProgramFiles::lay_out(const std::vector<CaseToRun>& cases) {
  laid_out_.clear();
  if (Status made = make_folders(false); !made) return made;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::error_code failed;
    const fs::path folder = in() / std::to_string(i);
    fs::create_directory(folder, failed);
    if (!failed) fs::copy(cases[i].inputs, folder, failed);
    if (failed)
      return Error{fmt::format("cannot copy {}: {}", cases[i].inputs.string(), failed.message())};
  }
  return {};
}

void ProgramFiles::collect(const RunStep& step, RunResult& result) const {
  const FileLimits& limits = limits_of(step);
  ArrayReader reader(limits.file_bytes, limits.total_bytes);
  result.outputs = reader.read(out(), "", step.outputs);
  for (size_t i = 0; i < step.repetitions.size(); ++i)
    result.repetitions.push_back(
        reader.read(out() / std::to_string(i), fmt::format("{}/", i), step.repeated_outputs));
  result.unreadable = reader.unreadable();
  collect_trace(limits, result);
}

void ProgramFiles::collect(const std::vector<CaseToRun>& cases, RunResult& result) const {
  ArrayReader reader(limits_.file_bytes, limits_.total_bytes);
  for (size_t i = 0; i < cases.size(); ++i)
    result.repetitions.push_back(reader.read(out() / std::to_string(i), "", cases[i].step.outputs));
  result.unreadable = reader.unreadable();
  collect_trace(limits_, result);
}

void ProgramFiles::collect_trace(const FileLimits& limits, RunResult& result) const {
  // No trace is the trace of a program that never came to the device.
  std::error_code missing;
  result.endless_calls = fs::file_size(trace(), missing) > limits.trace_bytes && !missing;
  // The head of an endless trace still shows in which range the calls were made.
  const Result<std::string> text = result.endless_calls
                                       ? read_untrusted_head(trace(), kEndlessTraceBytes)
                                       : read_untrusted(trace(), limits.trace_bytes);
  if (!text) return;
  result.trace = result.endless_calls ? text->substr(0, text->rfind('\n') + 1) : *text;
}

}  // namespace warpgrade
