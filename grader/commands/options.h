// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "commands/sandbox_choice.h"
#include "intake/submission.h"
#include "pipeline/installation.h"
#include "rubric/rubric.h"
#include "run/foreground.h"

namespace warpgrade {

// Exit codes, the same for every command that grades.
constexpr int kAllGood = 0;
constexpr int kNotAll = 1;
constexpr int kUsage = 2;
constexpr int kNotStarted = 77;
constexpr int kSystem = 99;
constexpr const char* kText = "text";
constexpr const char* kJson = "json";

/// All that the command line says, whichever command it is.
struct Options {
  fs::path course;
  std::string language;  ///< of what students read; empty: the course's
  std::string slug;
  std::string title = "A new assignment";
  std::vector<std::string> slugs;
  std::vector<std::string> paths;
  std::vector<std::string> cases;
  fs::path output;  ///< empty: as the command has it
  // Twice the cores: while one submission waits for a process to start or a file to be written, another computes.
  int jobs = 2 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool force = false;
  bool write = false;
  bool untimed = false;
  bool unsafe_no_sandbox = false;
  bool strict = false;
  std::string format = kText;
  std::string submitted;
  std::string roster;        ///< of `grade`; empty: none
  std::string name_pattern;  ///< of names in a download; empty: its format is recognised
  std::string schema = "rubric";
  std::optional<uint64_t> seed;
  int seeds = 1;
  std::optional<DeviceChoice> device;  ///< where speed is judged; none: as the command has it
  ForegroundProgram program;
  std::string run_report;  ///< of `run`: where to write the page; empty = none
  int status = kAllGood;   ///< the exit code of the command that ran
};

/// Adds a command that, when it was asked for, runs and leaves its exit code in `options`.
CLI::App* add_command(CLI::App& app, Options& options, const char* name, const char* what,
                      const char* example, std::function<int(const Options&)> run);

// Each adds the commands that its file holds.
void add_grading(CLI::App& app, Options& options);
void add_testing(CLI::App& app, Options& options);
void add_course(CLI::App& app, Options& options);
void add_rubrics(CLI::App& app, Options& options);
void add_machine(CLI::App& app, Options& options);

/// Prints the Error's message and returns `code`.
int complain(const Error& error, int code);

/// The engine that this executable belongs to.
const Engine& engine();
/// An environment variable; empty where there is none.
std::string variable(const char* name);

Paths find_paths(const Options& options);
/// `device` where the command line names none.
Result<Installation> find_installation(const Options& options, SandboxNeed need,
                                       DeviceChoice device = DeviceChoice::kEmulated);
/// Adds --unsafe-no-sandbox.
void add_sandbox_option(CLI::App& command, Options& options);
/// Adds --jobs.
void add_jobs_option(CLI::App& command, Options& options);
/// Adds --device; `otherwise` is what the command does without it.
void add_device_option(CLI::App& command, Options& options, const std::string& otherwise);
/// The language of --language or else of the course, which say() speaks from now on.
Result<std::string> speak_to_students(const Options& options);
/// An Error also where the course has no such rubric. Titles and hints are in the students' language.
Result<Rubric> load_rubric(const Options& options, const std::string& slug);
/// An Error also where the course lacks a part that grading needs.
Result<Rubric> load_assignment(const Options& options, const std::string& slug);

/// Those of options.paths, by student. An Error where two have the same name.
Result<std::vector<Submission>> load_submissions(const Options& options, const Rubric& rubric);

/// Every assignment that has a rubric, in the order of the course.
std::vector<std::string> all_slugs(const Options& options);

}  // namespace warpgrade
