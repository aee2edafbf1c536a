// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// Slurm's accounting need not be there, and its queue forgets a job soon. So each task leaves its exit status
// in a file, and a task that is in the queue no more and has left none was lost: with its node, or killed. It is
// submitted again. What it had graded by then is up to date and is not graded again.
#include "commands/slurm.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "base/text.h"
#include "commands/stop.h"

namespace warpgrade {
namespace {

constexpr int kTries = 3;
constexpr int kSignalExit = 128;
constexpr std::chrono::seconds kBetweenLooks{2};

struct Answer {
  int status = -1;
  std::string text;  ///< Standard output and error.
};

Answer ask(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  Answer answer;
  std::FILE* pipe = ::popen((join(quoted, " ") + " 2>&1").c_str(), "re");
  if (pipe == nullptr) return answer;
  std::array<char, 4096> buffer{};
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    answer.text.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

fs::path status_file(const fs::path& folder, int task) {
  return folder / fmt::format("shard-{}.status", task);
}

/// The task's exit status; none where it left none, or a signal ended it.
std::optional<int> read_status(const fs::path& folder, int task) {
  const Result<std::string> text = RealFiles().read(status_file(folder, task));
  if (!text || trim(*text).empty()) return std::nullopt;
  const int status = std::atoi(text->c_str());
  return status < kSignalExit ? std::optional(status) : std::nullopt;
}

std::vector<int> unfinished(const fs::path& folder, int tasks) {
  std::vector<int> found;
  for (int task = 1; task <= tasks; ++task) {
    if (!read_status(folder, task)) found.push_back(task);
  }
  return found;
}

/// Submits these tasks and gives the job's id.
Result<std::string> submit(const std::string& script, const fs::path& folder,
                           const std::vector<int>& tasks, const SlurmOptions& slurm) {
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=warpgrade",
                                    fmt::format("--array={}", fmt::join(tasks, ",")),
                                    fmt::format("--output={}", (folder / "%A-%a.log").string())};
  words.insert(words.end(), slurm.sbatch.begin(), slurm.sbatch.end());
  words.push_back("--wrap=" + script);
  const Answer answer = ask(words);
  if (answer.status != 0)
    return Error{fmt::format("sbatch refused the job: {}", printable(trim(answer.text)))};
  // Federated clusters append ";cluster", and site plugins may print lines before it.
  const std::string last = split(trim(answer.text), '\n').back();
  return std::string(trim(split(last, ';').front()));
}

/// Whether the job has left the queue. A controller that does not answer says nothing about it.
bool is_gone(const std::string& job) {
  const Answer answer = ask({"squeue", "--noheader", "--jobs=" + job});
  if (answer.status == 0) return trim(answer.text).empty();
  return answer.text.find("Invalid job id") != std::string::npos;
}

/// Until all tasks have left a status, or the job the queue. After a restart a controller may keep a job for minutes
/// that has ended.
Status follow(const std::string& job, const fs::path& folder, int tasks) {
  RealClock clock;
  size_t told = 0;
  for (size_t left = 1; left > 0 && !is_gone(job); clock.sleep(kBetweenLooks)) {
    left = unfinished(folder, tasks).size();
    const size_t done = static_cast<size_t>(tasks) - left;
    if (done != told) fmt::print(stderr, "job {}: {} of {} tasks are done\n", job, done, tasks);
    told = done;
    if (is_stopped())
      return Error{
          fmt::format("stopped, and job {} goes on: scancel {} ends it; the same command "
                      "grades what is missing",
                      job, job)};
  }
  return {};
}

}  // namespace

void add_slurm_options(CLI::App& command, SlurmOptions& slurm) {
  command
      .add_option_function<std::string>(
          "--executor", [&slurm](const std::string& name) { slurm.is_asked = name == "slurm"; },
          "Where grading runs: local, here; slurm, as a job array on nodes that share DIR [local]")
      ->check(CLI::IsMember({"local", "slurm"}));
  command.add_option("--tasks", slurm.tasks, "Tasks of the job array, each a shard of the class")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--sbatch", slurm.sbatch,
                  "One more option for sbatch, such as --sbatch=--gres=gpu:1; may be repeated")
      ->allow_extra_args(false);
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string task_script(const std::vector<std::string>& words, const fs::path& folder, int tasks) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto is = [&](const char* option) { return words[i] == option; };
    const auto is_joined = [&](const char* option) { return words[i].starts_with(option); };
    if (is("--executor") || is("--tasks") || is("--sbatch")) {
      ++i;
    } else if (!is_joined("--executor=") && !is_joined("--tasks=") && !is_joined("--sbatch=")) {
      kept.push_back(shell_word(words[i]));
    }
  }
  const std::string file = shell_word((folder / "shard-").string()) + "$SLURM_ARRAY_TASK_ID";
  return fmt::format(
      "{} --shard $SLURM_ARRAY_TASK_ID/{}; s=$?; echo $s > {}.new && mv {}.new {}.status; exit $s",
      join(kept, " "), tasks, file, file, file);
}

Result<SlurmRun> run_on_slurm(const std::string& script, const fs::path& folder,
                              const SlurmOptions& slurm) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{fmt::format("cannot make {}: {}", folder.string(), failed.message())};
  for (int task = 1; task <= slurm.tasks; ++task) fs::remove(status_file(folder, task), failed);
  SlurmRun run;
  run.lost = unfinished(folder, slurm.tasks);
  for (int attempt = 0; attempt < kTries && !run.lost.empty(); ++attempt) {
    if (attempt > 0)
      fmt::print(stderr, "tasks {} were lost and are submitted again\n", fmt::join(run.lost, ", "));
    const Result<std::string> job = submit(script, folder, run.lost, slurm);
    if (!job) return job.error();
    if (Status followed = follow(*job, folder, slurm.tasks); !followed) return followed.error();
    run.lost = unfinished(folder, slurm.tasks);
  }
  for (int task = 1; task <= slurm.tasks; ++task) {
    if (const std::optional<int> status = read_status(folder, task)) run.statuses[task] = *status;
  }
  return run;
}

}  // namespace warpgrade
