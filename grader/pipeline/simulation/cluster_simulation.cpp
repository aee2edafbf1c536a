// SPDX-License-Identifier: MIT
// Grades a class on a cluster whose nodes fail: each node is a process with a folder of its own that grades its shard by
// the code that grades any class; only the judging of one submission is made up. A failing node ends itself by SIGKILL in
// the middle of a submission. Half of the lost shards are started again in their folders. Each of the others is cut into two,
// which other nodes grade into folders of their own, so that what the lost node had done is done twice. At last all folders
// are merged.
//
// usage: cluster_simulation STUDENTS NODES FAILING_PERCENT WORK_FOLDER
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "base/hash.h"
#include "base/text.h"
#include "pipeline/grade.h"
#include "pipeline/merge.h"
#include "pipeline/shard.h"

using namespace warpgrade;

namespace {

constexpr const char* kAssignment = "simulated";
constexpr int kMostRounds = 50;

double score_of(const std::string& student) {
  return static_cast<double>(fnv1a_64(student + "'s work") % 101);
}

Rubric simulated_rubric() {
  Rubric rubric;
  rubric.assignment = kAssignment;
  rubric.submission = "simulated.cu";
  return rubric;
}

/// Judges by a hash; ends its process at the `fatal`-th submission, halfway.
class SimulatedGrader final : public SubmissionGrader {
 public:
  explicit SimulatedGrader(size_t fatal) : rubric_(simulated_rubric()), left_(fatal) {}

  const Rubric& rubric() const override { return rubric_; }
  bool is_on_gpu() const override { return false; }
  Versions input_hashes(const Submission& submission) const override {
    Versions all = versions();
    all["submission"] = sha256_hex(submission.source);
    return all;
  }
  Versions versions() const override { return {{"grader", "simulation"}, {"seed", "1"}}; }
  SubmissionResult grade(const Submission& submission, int) const override {
    if (left_-- == 0) ::raise(SIGKILL);
    SubmissionResult result;
    result.assignment = kAssignment;
    result.student = submission.student;
    result.score = score_of(submission.student);
    result.max_score = 100;
    result.device_kind = "emulated";
    result.inputs = input_hashes(submission);
    return result;
  }

 private:
  const Rubric rubric_;
  mutable size_t left_;
};

/// A part of the class and the folder that it is graded into.
struct Node {
  Shard shard;
  fs::path folder;
};

std::vector<Submission> submissions_of(const Shard& shard, int students) {
  std::vector<Submission> all;
  for (int i = 0; i < students; ++i) {
    Submission submission;
    submission.student = fmt::format("s{:06}", i);
    if (!shard.holds(submission.student)) continue;
    submission.source = "// by " + submission.student + "\n";
    all.push_back(std::move(submission));
  }
  return all;
}

/// What a node's process does. `fatal`: the submission at which it fails; past the last for one that does not.
[[noreturn]] void work(const Node& node, int students, size_t fatal) {
  const SimulatedGrader grader(fatal);
  GradeOptions options;
  options.output = node.folder;
  // Nodes fail, and no submission is to blame.
  options.retry_parked = true;
  const GradedClass graded = grade_class(grader, submissions_of(node.shard, students), options,
                                         [](const SubmissionResult&, size_t, size_t) {});
  ::_exit(graded.not_written ? 1 : 0);
}

class Simulation {
 public:
  Simulation(int students, int nodes, int failing_percent, fs::path folder)
      : students_(students), failing_percent_(failing_percent), folder_(std::move(folder)) {
    for (int i = 1; i <= nodes; ++i) add({i, nodes});
    pending_ = all_;
  }

  /// Until every shard was graded to its end. False where a node failed in another way than it should.
  bool run() {
    for (int round = 0; round < kMostRounds && !pending_.empty(); ++round) {
      std::vector<Node> lost;
      if (!run_round(lost)) return false;
      fmt::print("round {}: {} of {} shards were lost\n", round + 1, lost.size(), pending_.size());
      pending_.clear();
      for (size_t i = 0; i < lost.size(); ++i) replace(lost[i], i % 2 == 0);
    }
    return pending_.empty();
  }

  /// What is wrong with the gradebook, a line each.
  std::vector<std::string> merge_and_check() const;

 private:
  Node add(const Shard& shard) {
    all_.push_back({shard, folder_ / fmt::format("node-{}", all_.size())});
    return all_.back();
  }
  /// The same shard again, or the two that it falls into when the class is cut into twice as many.
  void replace(const Node& lost, bool again) {
    const auto [index, count] = lost.shard;
    if (again) return pending_.push_back(lost);
    for (const int half : {index, index + count}) pending_.push_back(add({half, 2 * count}));
  }
  bool run_round(std::vector<Node>& lost);
  pid_t start(const Node& node);

  const int students_, failing_percent_;
  const fs::path folder_;
  std::mt19937 chance_{1};
  std::vector<Node> all_, pending_;
};

pid_t Simulation::start(const Node& node) {
  const bool fails = static_cast<int>(chance_() % 100) < failing_percent_;
  const size_t share = static_cast<size_t>(students_ / node.shard.count) + 1;
  const size_t fatal = fails ? chance_() % share : SIZE_MAX;
  const pid_t child = ::fork();
  if (child == 0) work(node, students_, fatal);
  return child;
}

bool Simulation::run_round(std::vector<Node>& lost) {
  const size_t at_once = std::max(1u, std::thread::hardware_concurrency());
  std::map<pid_t, Node> running;
  size_t next = 0;
  while (next < pending_.size() || !running.empty()) {
    while (next < pending_.size() && running.size() < at_once) {
      running.emplace(start(pending_[next]), pending_[next]);
      ++next;
    }
    int status = 0;
    const pid_t ended = ::wait(&status);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      lost.push_back(running.at(ended));
    else if (status != 0)
      return false;
    running.erase(ended);
  }
  return true;
}

std::vector<std::string> Simulation::merge_and_check() const {
  std::vector<fs::path> folders;
  size_t results = 0;
  for (const Node& node : all_) {
    const size_t held = ResultsFolder(node.folder, kAssignment).students().size();
    if (held > 0) folders.push_back(node.folder);
    results += held;
  }
  const Result<Merged> merged = merge(folders, folder_ / "all", false);
  if (!merged) return {merged.error().message};
  std::vector<std::string> problems;
  const Result<std::string> table = RealFiles().read(folder_ / "all/grades.csv");
  const std::vector<std::string> lines = split(trim(table ? *table : table.error().message), '\n');
  for (int i = 0; i < students_; ++i) {
    const std::string student = fmt::format("s{:06}", i);
    const std::string wanted = fmt::format("{},{},100,", student, score_of(student));
    const size_t line = static_cast<size_t>(i) + 1;
    if (line >= lines.size() || !lines[line].starts_with(wanted))
      problems.push_back(fmt::format("line {} of grades.csv is not {}", line + 1, wanted));
  }
  if (lines.size() != static_cast<size_t>(students_) + 1)
    problems.push_back(fmt::format("grades.csv has {} lines", lines.size()));
  fmt::print("{} students: {} results in {} folders, {} rows in the gradebook, {}\n", students_,
             results, folders.size(), lines.size() - 1,
             problems.empty() ? "each student once" : fmt::format("{} problems", problems.size()));
  return problems;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    fmt::print(stderr, "usage: cluster_simulation STUDENTS NODES FAILING_PERCENT WORK_FOLDER\n");
    return 2;
  }
  std::string folder = std::string(words[4]) + "/simulation-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  Simulation simulation(std::atoi(words[1]), std::atoi(words[2]), std::atoi(words[3]), folder);
  const bool is_whole = simulation.run();
  if (!is_whole) fmt::print("some shards were never graded to their end\n");
  const std::vector<std::string> problems = simulation.merge_and_check();
  for (const std::string& problem : problems) fmt::print("{}\n", problem);
  fs::remove_all(folder);
  return is_whole && problems.empty() ? 0 : 1;
}
