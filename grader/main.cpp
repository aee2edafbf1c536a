// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <unistd.h>
#include <csignal>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <thread>

#include "base/text.h"
#include "course/course_report.h"
#include "course/handout.h"
#include "course/mutant_class.h"
#include "course/new_assignment.h"
#include "course/untouched.h"
#include "emulator/runtime/device_table.h"
#include "pipeline/driver.h"
#include "pipeline/grade.h"
#include "plan/words.h"
#include "report/text_report.h"
#include "rubric/page.h"
#include "run/foreground.h"

namespace warpgrade {
namespace {

// Exit codes, the same for every command that grades.
constexpr int kAllGood = 0;
constexpr int kNotAll = 1;
constexpr int kUsage = 2;
constexpr int kNotStarted = 77;
constexpr int kSystem = 99;
constexpr const char* kText = "text";
constexpr const char* kJson = "json";

struct Options {
  fs::path course;
  std::string slug;
  std::string title = "A new assignment";
  std::vector<std::string> slugs;
  std::vector<std::string> paths;
  std::vector<std::string> cases;
  fs::path output = "results";
  // Twice the cores: while one submission waits for a process to start or a file to be written, another computes.
  int jobs = 2 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool force = false;
  bool write = false;
  std::string format = kText;
  std::string submitted;
  std::string schema = "rubric";
  std::optional<uint64_t> seed;
  ForegroundProgram program;
};

int complain(const Error& error, int code) {
  fmt::print(stderr, "{}\n", trim(error.message));
  return code;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The build folder that this executable lies in, whatever the depth.
fs::path build_folder() {
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  while (!fs::exists(folder / "build.ninja") && folder.has_relative_path())
    folder = folder.parent_path();
  return folder;
}

/// The folder with rubrics/, from the current one or the build folder upwards.
fs::path find_course() {
  std::error_code ignored;
  for (fs::path folder : {fs::current_path(ignored), build_folder()}) {
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "rubrics", ignored) &&
          fs::is_directory(folder / "assignments", ignored))
        return folder;
    }
  }
  return ".";
}

fs::path cache_folder() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return fs::path(cache) / "warpgrade";
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "warpgrade";
}

Paths find_paths(const Options& options) {
  const fs::path build = build_folder();
  return {options.course.empty() ? find_course() : options.course,
          build / "grader/emulator/runtime/libcudart.so.13", build / "assignments", cache_folder()};
}

Result<Installation> find_installation(const Options& options) {
  Installation installation;
  installation.paths = find_paths(options);
  Result<Toolchain> toolchain =
      find_toolchain(installation.trusted, variable("CUDA_HOME"), variable("PATH"));
  if (!toolchain) return toolchain.error();
  installation.toolchain = std::move(*toolchain);
  installation.sandbox = open_sandbox(build_folder() / "grader/sandbox/room-supervisor");
  return installation;
}

Result<Rubric> load_rubric(const Options& options, const std::string& slug) {
  return read_rubric(RealFiles(), find_paths(options).rubric(slug));
}

Result<std::vector<Submission>> load_submissions(const Options& options, const Rubric& rubric) {
  std::vector<Submission> all;
  for (const std::string& path : options.paths) {
    Result<Submissions> some = read_submissions(RealFiles(), path, rubric.submission);
    if (!some) return some.error();
    all.insert(all.end(), std::make_move_iterator(some->all.begin()),
               std::make_move_iterator(some->all.end()));
    for (const fs::path& skipped : some->skipped)
      fmt::print(stderr, "skipped {}: neither a folder nor a {} file\n",
                 printable(skipped.string()), fs::path(rubric.submission).extension().string());
  }
  std::sort(all.begin(), all.end(),
            [](const Submission& a, const Submission& b) { return a.student < b.student; });
  const auto twin = std::adjacent_find(
      all.begin(), all.end(),
      [](const Submission& a, const Submission& b) { return a.student == b.student; });
  if (twin != all.end())
    return Error{fmt::format("two submissions are called {}: grade them into two folders (-o)",
                             twin->student)};
  return all;
}

/// When the submissions came, as far as --submitted says.
Result<SubmissionTimes> load_times(const Options& options,
                                   const std::vector<Submission>& submissions) {
  if (options.submitted.empty()) return SubmissionTimes();
  if (options.submitted == "mtime") return file_times(submissions);
  const Result<std::string> csv = RealFiles().read(options.submitted);
  if (!csv) return csv.error();
  Result<SubmissionTimes> times = parse_submission_times(*csv, options.submitted);
  if (!times) return times;
  for (const Submission& submission : submissions) {
    if (times->by_student.count(submission.student) == 0)
      fmt::print(stderr, "{} has no time of submission in {}\n", submission.student,
                 options.submitted);
  }
  return times;
}

bool any_system_error(const std::vector<SubmissionResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [](const SubmissionResult& result) { return result.has_system_error(); });
}

void show_progress(const SubmissionResult& result, size_t done, size_t all) {
  if (::isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r\033[K{}/{} {}{}", done, all, result.student,
               done == all ? "\r\033[K" : "");
}

/// What is wrong with a list of devices, or empty.
std::string known_devices(const std::string& names) {
  for (const std::string& name : split(names, ',')) {
    if (emulator::find_device_model(trim(name)) == nullptr)
      return fmt::format("{} is no device: write names out of {}", name,
                         emulator::device_model_names());
  }
  return "";
}

volatile std::sig_atomic_t stop_signal = 0;

/// The first signal lets the submissions in work be finished and the workspace be cleared; a second one ends it all.
void note_stop(int signal) {
  stop_signal = signal;
  std::signal(signal, SIG_DFL);
}

int grade_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  const Result<std::vector<Submission>> submissions = load_submissions(options, *rubric);
  if (!submissions) return complain(submissions.error(), kUsage);
  const Result<Installation> installation = find_installation(options);
  if (!installation) return complain(installation.error(), kNotAll);
  GradeOptions how{options.output, options.jobs, options.force, {}, options.seed, {}};
  Result<SubmissionTimes> times = load_times(options, *submissions);
  if (!times) return complain(times.error(), kUsage);
  how.times = std::move(*times);
  if (rubric->late.due && how.times.source.empty())
    fmt::print(stderr,
               "answers are due {}: --submitted says when they came; without it nobody new is "
               "late\n",
               rubric->late.due->format());
  how.stopped = [] { return stop_signal != 0; };
  std::signal(SIGINT, note_stop);
  std::signal(SIGTERM, note_stop);
  const Result<std::vector<SubmissionResult>> results =
      grade(*installation, *rubric, *submissions, how, show_progress);
  if (!results) return complain(results.error(), kNotAll);
  fmt::print("{}", submissions->size() == 1 && results->size() == 1 ? format_report((*results)[0])
                                                                    : format_class(*results));
  fmt::print("Results: {} (one file a student, every reason in full), {}\n",
             (options.output / "results").string(), (options.output / "grades.csv").string());
  if (results->size() < submissions->size()) {
    fmt::print(stderr, "stopped: {} of {} are graded; the same command goes on from here\n",
               results->size(), submissions->size());
    return 128 + stop_signal;
  }
  return any_system_error(*results) ? kNotAll : kAllGood;
}

constexpr double kFullMarks = 100;

int test_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  const Paths paths = find_paths(options);
  const fs::path file = paths.skeleton(options.slug) / rubric->submission;
  const RealFiles files;
  const Result<std::string> source = files.read(file),
                            stamp = files.read(paths.assignment(options.slug) / "skeleton.sha256");
  if (!source) return complain(source.error(), kUsage);
  if (stamp.ok() && is_untouched(*source, *stamp)) {
    fmt::print(
        "not started: {} is as it was handed out. Work through its TODOs, then run this again.\n",
        file.string());
    return kNotStarted;
  }
  const Rubric view = student_view(*rubric, options.cases);
  if (view.cases.empty())
    return complain({fmt::format("{} has no public case of that name", options.slug)}, kUsage);
  const Result<Installation> installation = find_installation(options);
  if (!installation) return complain(installation.error(), kSystem);
  const Submission submission{"you", file, *source, "", ""};
  const Result<std::vector<SubmissionResult>> results =
      grade_all(*installation, view, {submission}, 1, options.seed.value_or(fresh_seed()));
  if (!results) return complain(results.error(), kSystem);
  const SubmissionResult& result = results->front();
  fmt::print("{}", format_report(result));
  if (result.max_score < kFullMarks && options.cases.empty())
    fmt::print("The public cases judge {:g} of the {:g} points; hidden ones judge the rest.\n",
               result.max_score, kFullMarks);
  if (result.has_system_error()) return kSystem;
  const bool all =
      std::all_of(result.items.begin(), result.items.end(),
                  // What waits for a GPU, or for the staff's baselines, is no fault.
                  [](const ItemResult& item) { return item.status <= Outcome::kPending; });
  return all ? kAllGood : kNotAll;
}

/// Every assignment that has a rubric, in the order of the course.
std::vector<std::string> all_slugs(const Options& options) {
  return assignments_of(RealFiles(), find_paths(options).course / "rubrics");
}

void show_check_progress(const std::string& what, size_t done, size_t all) {
  constexpr size_t kBarColumns = 30;
  if (::isatty(STDERR_FILENO) == 0) return;
  const size_t filled = kBarColumns * done / all;
  fmt::print(stderr, "\r\033[K[{}{}] {}/{} {}{}", std::string(filled, '#'),
             std::string(kBarColumns - filled, '.'), done, all, what,
             done == all ? "\r\033[K" : "");
}

int write_command(const Options& options, const std::vector<std::string>& slugs) {
  RealFiles files;
  const Result<std::vector<std::string>> written =
      write_generated(files, find_paths(options), slugs);
  if (!written) return complain(written.error(), kUsage);
  for (const std::string& path : *written) fmt::print("wrote {}\n", path);
  return kAllGood;
}

int check_command(const Options& options) {
  const std::vector<std::string> slugs = options.slugs.empty() ? all_slugs(options) : options.slugs;
  if (slugs.empty())
    return complain({"no rubric was found: run this inside the course's folder or pass --course"},
                    kUsage);
  if (options.write) return write_command(options, slugs);
  const Result<Installation> installation = find_installation(options);
  if (!installation) return complain(installation.error(), kNotAll);
  const CourseReport report = check_course(
      *installation,
      {slugs, options.slugs.empty(), options.jobs, options.seed.value_or(fresh_seed())},
      show_check_progress);
  if (options.format == kJson) {
    fmt::print("{}", format_course_json(report));
  } else {
    if (slugs.size() == 1 && !report.has_error())
      fmt::print("{}", format_assignment(report.assignments.front()));
    fmt::print("{}", format_course(report));
  }
  if (report.has_error()) return kUsage;
  return report.ok() ? kAllGood : kNotAll;
}

int new_command(const Options& options) {
  const fs::path course = find_paths(options).course;
  const Result<FileTree> tree = new_assignment(course, options.slug, options.title);
  if (!tree) return complain(tree.error(), kUsage);
  if (Status added = add_assignment(*tree, course); !added) return complain(added.error(), kUsage);
  for (const auto& [path, text] : *tree) fmt::print("{}\n", path.string());
  fmt::print("\nNow: ninja -C build && build/warpgrade check {}\n", options.slug);
  return kAllGood;
}

int handout_command(const Options& options) {
  const std::vector<std::string> slugs = options.slugs.empty() ? all_slugs(options) : options.slugs;
  if (slugs.empty()) return complain({"no rubric was found: pass --course"}, kUsage);
  const Result<FileTree> tree = handout_files(find_paths(options).course, slugs);
  if (!tree) return complain(tree.error(), kUsage);
  const bool zip = options.output.extension() == ".zip";
  const Status written = zip ? write_zip(*tree, options.output) : write_tree(*tree, options.output);
  if (!written) return complain(written.error(), kUsage);
  fmt::print("{}: {} files for {}\n", options.output.string(), tree->size(), join(slugs, ", "));
  return kAllGood;
}

int run_command(Options options) {
  options.program.device_library = find_paths(options).device_library;
  return complain(become(options.program), kSystem);
}

/// Reads rubrics and nothing else: no compiler, no sandbox, no submission.
int lint_command(const Options& options) {
  const RealFiles files;
  const fs::path folder = find_paths(options).course / "rubrics";
  std::vector<fs::path> paths(options.paths.begin(), options.paths.end());
  if (paths.empty()) {
    const fs::path course = folder / "course.yaml";
    if (files.exists(course)) paths.push_back(course);
    for (const std::string& slug : all_slugs(options)) paths.push_back(folder / (slug + ".yaml"));
  }
  std::vector<Mistake> mistakes;
  for (const fs::path& path : paths) {
    const std::vector<Mistake> more = lint(files, path);
    mistakes.insert(mistakes.end(), more.begin(), more.end());
  }
  fmt::print("{}", options.format == kJson ? format_json(mistakes) : format_text(mistakes));
  if (options.format == kText)
    fmt::print(
        "{}: {}\n", counted(static_cast<long>(paths.size()), "file"),
        mistakes.empty() ? "no mistakes" : counted(static_cast<long>(mistakes.size()), "mistake"));
  return mistakes.empty() ? kAllGood : kUsage;
}

int schema_command(const Options& options) {
  fmt::print("{}", options.format == "markdown" ? rubric_page()
                   : options.schema == "course" ? course_schema()
                                                : rubric_schema());
  return kAllGood;
}

int plan_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  fmt::print("{}{}", format_settings(*rubric), format_cases(*rubric) + format_items(*rubric));
  const Result<std::vector<Submission>> submissions = load_submissions(options, *rubric);
  if (!submissions) return complain(submissions.error(), kUsage);
  for (const Submission& submission : *submissions)
    fmt::print("{}", format_plan(make_plan(*rubric, submission, Target::kEmulated)));
  return kAllGood;
}

int devices_command() {
  for (const emulator::DeviceModel& device : emulator::device_table()) {
    fmt::print("{:<10} compute capability {}.{}, {} multiprocessors\n", device.name, device.major,
               device.minor, device.sm_count);
  }
  return kAllGood;
}

int driver_command(const Options& options) {
  const Result<Installation> installation = find_installation(options);
  if (!installation) return complain(installation.error(), kNotAll);
  const Status made = prebuild_driver(*installation, options.slug, options.output);
  return made ? kAllGood : complain(made.error(), kUsage);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* what, const char* example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer(fmt::format("Example:\n  {}", example));
  return command;
}

void add_grade(CLI::App& app, Options& options) {
  CLI::App* command = add_command(app, "grade", "Grade submissions",
                                  "warpgrade grade matmul-pitched submissions/ -o "
                                  "results/lab1\n\nGrades what is missing or stale in DIR. "
                                  "Exit: 0 all graded, 1 some could not be, 2 usage or rubric.");
  command->add_option("SLUG", options.slug, "The assignment")->required();
  command->add_option("PATH", options.paths, "Submissions, or folders of them")->required();
  command->add_option("-o,--output", options.output, "DIR for the results")->capture_default_str();
  command->add_option("--jobs", options.jobs, "Submissions at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--force", options.force, "Grade again what is up to date");
  command->add_option("--seed", options.seed, "Of the inputs; DIR/seed if not given");
  command->add_option("--submitted", options.submitted,
                      "When answers came: a CSV file with the columns student and submitted, or "
                      "mtime, the files' own times");
}

void add_check(CLI::App& app, Options& options) {
  CLI::App* check = add_command(
      app, "check", "Prove that the course grades what it claims to",
      "warpgrade check matmul-pitched\n\nThe reference earns everything, the skeleton nothing, "
      "each "
      "mutant loses what it should,\neach case refuses answers that are not right, and the handout "
      "tells no secret.\nExit: 0 proved, 1 not, 2 usage or a mistake in a file of the course.");
  check->add_option("SLUG", options.slugs, "Assignments; all if none is named");
  check->add_option("--jobs", options.jobs, "Submissions at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  check->add_option("--format", options.format, "text, or json for other programs")
      ->check(CLI::IsMember({kText, kJson}))
      ->capture_default_str();
  check->add_option("--seed", options.seed, "Of the inputs; a new one if not given");
  check->add_flag("--write", options.write,
                  "Only write what is generated: the handouts' tables of points, the skeletons' "
                  "stamps");
  std::string classes;
  for (const MutantClass& each : mutant_classes())
    classes += fmt::format("  {}  {}\n", each.id, each.mistake);
  check->footer(check->get_footer() + "\n\nKinds of mistakes, for line 2 of a mutant:\n" + classes);
}

void add_rubric_commands(CLI::App& app, Options& options) {
  CLI::App* lint = add_command(app, "lint", "Show all mistakes of rubrics and of course.yaml",
                               "warpgrade lint --format json rubrics/vecadd.yaml\n\n"
                               "Exit: 0 none, 2 some.");
  lint->add_option("FILE", options.paths, "All of the course if none is named");
  lint->add_option("--format", options.format, "text, or json for editors")
      ->check(CLI::IsMember({kText, kJson}));
  CLI::App* schema = add_command(app, "schema", "Print the JSON Schema of rubrics",
                                 "warpgrade schema > rubrics/rubric.schema.json");
  schema->add_option("NAME", options.schema, "rubric, the default, or course")
      ->check(CLI::IsMember({"rubric", "course"}));
  schema
      ->add_option("--format", options.format, "json, the default, or markdown for docs/rubric.md")
      ->check(CLI::IsMember({kJson, "markdown"}));
}

void add_rest(CLI::App& app, Options& options) {
  CLI::App* test = add_command(app, "test", "Test your own work on the public cases",
                               "warpgrade test matmul-pitched\n\nExit: 0 all passed, 1 not all, 77 "
                               "not started, 99 system error.");
  test->add_option("SLUG", options.slug, "The assignment")->required();
  test->add_option("CASE", options.cases, "Only these cases");
  CLI::App* plan = add_command(app, "plan", "Say what grading would do, and by which settings",
                               "warpgrade plan matmul-pitched submissions/anna");
  plan->add_option("SLUG", options.slug, "The assignment")->required();
  plan->add_option("PATH", options.paths,
                   "Submissions, or folders of them; none: settings and items only");
  CLI::App* made = add_command(app, "new", "Start an assignment from a working one",
                               "warpgrade new prefix-sum --title 'Prefix sums'");
  made->add_option("SLUG", options.slug, "Its name in all paths: letters, digits and '-'")
      ->required();
  made->add_option("--title", options.title, "What students read")->capture_default_str();
  CLI::App* handout = add_command(app, "handout", "Write what students get",
                                  "warpgrade handout vecadd matadd -o week1.zip");
  handout->add_option("SLUG", options.slugs, "Assignments; all if none is named");
  handout->add_option("-o,--output", options.output, "A new folder, or a file NAME.zip")
      ->required();
  CLI::App* driver = add_command(app, "driver", "Compile a driver ahead of grading (ninja does)",
                                 "warpgrade driver matmul-pitched -o driver-matmul-pitched.o");
  driver->add_option("SLUG", options.slug, "The assignment")->required();
  driver->add_option("-o,--output", options.output, "The object")->required();
  add_command(app, "devices", "List the devices that can be emulated", "warpgrade devices");
  CLI::App* run = add_command(app, "run", "Run a CUDA program on the emulated device",
                              "nvcc -cudart shared -o saxpy saxpy.cu\n  warpgrade run --device "
                              "H100 --metrics csv ./saxpy 1000\n\n"
                              "Exit: the program's own, or 99.");
  run->add_option("--device", options.program.devices,
                  "NAME[,NAME]: device 0 first; else one that can run the program")
      ->check(known_devices);
  run->add_option(
      "--check", options.program.checkers,
      "LIST of memory, init, race, sync, api, padding; all (but padding), the default; none");
  run->add_option(
         "--metrics", options.program.metrics,
         "At the end: csv, json or text, one row per launch; lines, a row per source line (also "
         "in json)")
      ->check(CLI::IsMember({"csv", "json", "text", "lines"}));
  run->add_option("--metrics-file", options.program.metrics_file, "Where to, instead of stdout");
  run->add_option("--order", options.program.order,
                  "Order of blocks, warps and lanes: 0 natural, 1 reversed, others shuffled")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--instruction-limit", options.program.instruction_limit,
                  "End a kernel after N warp instructions")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--time-limit", options.program.time_limit,
                  "End the kernel that runs after S seconds, and then the program")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--error-exitcode", options.program.error_exit_code,
                  "Exit code where a checker found something; else the program's own")
      ->check(CLI::Range(1, 255));
  run->add_option("PROGRAM", options.program.argv, "The program and its arguments")->required();
  run->positionals_at_end();
  run->prefix_command(false);
}

int dispatch(const CLI::App& app, const Options& options) {
  if (app.got_subcommand("grade")) return grade_command(options);
  if (app.got_subcommand("test")) return test_command(options);
  if (app.got_subcommand("check")) return check_command(options);
  if (app.got_subcommand("plan")) return plan_command(options);
  if (app.got_subcommand("lint")) return lint_command(options);
  if (app.got_subcommand("schema")) return schema_command(options);
  if (app.got_subcommand("new")) return new_command(options);
  if (app.got_subcommand("handout")) return handout_command(options);
  if (app.got_subcommand("devices")) return devices_command();
  if (app.got_subcommand("driver")) return driver_command(options);
  return run_command(options);
}

int main_with(int argc, char** argv) {
  CLI::App app("Warpgrade grades CUDA course assignments on any machine");
  app.require_subcommand(1);
  Options options;
  app.add_option("--course", options.course,
                 "Folder that holds assignments/, rubrics/, skeletons/ and reference/");
  add_grade(app, options);
  add_check(app, options);
  add_rubric_commands(app, options);
  add_rest(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kAllGood : kUsage;
  }
  return dispatch(app, options);
}

}  // namespace
}  // namespace warpgrade

int main(int argc, char** argv) {
  try {
    return warpgrade::main_with(argc, argv);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "warpgrade: {}\n", problem.what());
    return warpgrade::kSystem;
  }
}
