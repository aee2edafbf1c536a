// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "base/text.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/stop.h"
#include "commands/terminal.h"
#include "course/handout_table.h"
#include "course/untouched.h"
#include "pipeline/bench.h"
#include "pipeline/grade.h"
#include "report/charts/plot_text.h"
#include "report/formats/problem_lines.h"
#include "report/student_test.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr double kFullMarks = 100;
constexpr std::chrono::milliseconds kLookEvery{200};

/// What `test` alone is asked.
struct TestOptions {
  bool lists = false;
  bool watches = false;
  bool is_full = false;
  bool plots = false;
  bool is_for_editor = false;
};

std::vector<std::string> public_cases(const Rubric& rubric) {
  std::vector<std::string> ids;
  for (const Case& each : rubric.cases) {
    if (each.visibility == Visibility::kPublic) ids.push_back(each.id);
  }
  return ids;
}

/// The public cases that `ids` name, each in full or by a beginning that no other has.
Result<std::vector<std::string>> named_cases(const Rubric& rubric,
                                             const std::vector<std::string>& ids) {
  const std::vector<std::string> known = public_cases(rubric);
  std::vector<std::string> named;
  for (const std::string& id : ids) {
    std::vector<std::string> meant;
    for (const std::string& each : known) {
      if (each == id) meant = {each};
      if (each == id) break;
      if (each.starts_with(id)) meant.push_back(each);
    }
    if (meant.size() == 1) {
      named.push_back(meant.front());
      continue;
    }
    const std::string near = nearest(id, known);
    return Error{fmt::format("{} has no public case '{}'; {} public cases are {}",
                             rubric.assignment, printable(id),
                             !meant.empty() ? fmt::format("{} begin so. Its", join(meant, ", "))
                             : near.empty() ? "its"
                                            : fmt::format("did you mean '{}'? Its", near),
                             join(known, ", "))};
  }
  return named;
}

/// How the user calls this program on that assignment, from the folder where they are.
std::string command_for(const std::string& slug) {
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path near = own.lexically_relative(fs::current_path(ignored));
  const bool is_below = !near.empty() && *near.begin() != "..";
  return fmt::format("{} test {}", is_below ? near.string() : "warpgrade", slug);
}

int list_cases(const Rubric& rubric) {
  const std::string command = command_for(rubric.assignment);
  size_t id_columns = 0, input_columns = 0;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Case& each : rubric.cases) {
    if (each.visibility != Visibility::kPublic) continue;
    std::vector<std::string> inputs;
    const std::vector<std::string> words = each.words();
    for (size_t i = 0; i < each.args.size() && i < words.size(); ++i)
      inputs.push_back(fmt::format("{}={}", each.args[i].name, words[i]));
    if (!each.family.empty()) inputs.push_back(each.family);
    rows.emplace_back(each.id, join(inputs, " "));
    id_columns = std::max(id_columns, text_width(rows.back().first));
    input_columns = std::max(input_columns, text_width(rows.back().second));
  }
  fmt::print("{} has {}. To run one, with all that your program prints:\n", rubric.assignment,
             counted(static_cast<long>(rows.size()), "public case"));
  for (const auto& [id, inputs] : rows)
    fmt::print("  {}  {}  {} {}\n", pad_right(id, id_columns), pad_right(inputs, input_columns),
               command, id);
  return kAllGood;
}

/// What to say where a student's file cannot be read: the name that it must have, and what lies there instead.
std::string no_answer(const fs::path& file, const Error& why) {
  const RealFiles files;
  if (files.exists(file)) return why.message;
  const Result<std::vector<std::string>> names = files.list(file.parent_path());
  std::vector<std::string> others;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (fs::path(name).extension() == file.extension()) others.push_back(name);
  }
  const std::string there =
      others.empty() ? "" : say("test.other_files", {{"files", join(others, ", ")}}).text;
  return say("test.no_file", {{"file", file.string()}, {"others", there}}).text;
}

/// The assignment that is meant where none is named: the course's only one.
Result<std::string> only_assignment(const Options& options) {
  const std::vector<std::string> slugs = all_slugs(options);
  if (slugs.size() == 1) return slugs[0];
  if (slugs.empty()) return std::string();
  return Error{fmt::format("which assignment? The course has {}", join(slugs, ", "))};
}

/// Tests one student's file on the public cases, as often as asked.
class StudentTest {
 public:
  StudentTest(const Options& options, const TestOptions& how, const Rubric& rubric)
      : options_(options), how_(how), rubric_(rubric) {
    const Paths paths = find_paths(options);
    file_ = paths.skeleton(options.slug) / rubric.submission;
    stamp_ = paths.assignment(options.slug) / "skeleton.sha256";
  }

  int run() {
    if (!how_.watches) return run_once();
    note_stop_signals();
    while (true) {
      const Result<std::string> before = files_.read(file_);
      fmt::print("{}", clear_terminal());
      const int status = run_once();
      if (status == kUsage || status == kSystem) return status;
      fmt::print("\nWaiting for a change of {}; Ctrl-C ends this.\n", file_.string());
      std::fflush(stdout);
      if (!wait_for_change(before)) return stopped_status();
    }
  }

 private:
  /// False where a signal came first.
  bool wait_for_change(const Result<std::string>& before) const {
    while (!is_stopped()) {
      std::this_thread::sleep_for(kLookEvery);
      const Result<std::string> now = files_.read(file_);
      // An editor may take the file away for a moment, or write it in two steps.
      const bool changed = now.ok() && !now->empty() && (!before.ok() || *now != *before);
      if (changed) return true;
    }
    return false;
  }

  int run_once() {
    const Result<std::string> source = files_.read(file_), stamp = files_.read(stamp_);
    if (!source) return complain({no_answer(file_, source.error())}, kUsage);
    if (stamp.ok() && is_untouched(*source, *stamp)) {
      fmt::print("{}\n", say("test.not_started", {{"file", file_.string()}}).text);
      return kNotStarted;
    }
    if (const Status ready = open(); !ready) return complain(ready.error(), failure_);
    std::vector<PrintedText> printed;
    const RunObserver listen = [&](const RunStep& step, const RunResult& run, const Arrays&) {
      printed.push_back({step.case_id, run.process.out + run.process.err});
    };
    const std::optional<size_t> columns = progress_columns();
    const auto begin = [&](const std::string& case_id, size_t number, size_t all) {
      if (columns) fmt::print(stderr, "{}", case_line(case_id, number, all, *columns));
    };
    const SubmissionResult result =
        bench_->grade({"you", file_, *source, {}, ""}, 0, {listen, begin});
    if (columns) fmt::print(stderr, "{}", kClearLine);
    show(result, *source, std::move(printed));
    if (result.has_system_error()) return kSystem;
    const bool all =
        std::all_of(result.items.begin(), result.items.end(),
                    // What waits for a GPU, or for the staff's baselines, is no fault.
                    [](const ItemResult& item) { return item.status <= Outcome::kPending; });
    return all ? kAllGood : kNotAll;
  }

  /// Makes the cases and compiles the driver, once.
  Status open() {
    if (bench_ != nullptr) return {};
    Rubric view = student_view(rubric_, options_.cases);
    failure_ = kUsage;
    if (view.cases.empty()) return Error{options_.slug + " has no public case"};
    failure_ = kSystem;
    Result<Installation> installation = find_installation(options_, SandboxNeed::kOwnProgram);
    if (!installation) return installation.error();
    installation_ = std::move(*installation);
    Result<std::unique_ptr<Bench>> bench =
        Bench::open(*installation_, std::move(view), options_.seed.value_or(fresh_seed()), 1);
    if (!bench) return bench.error();
    bench_ = std::move(*bench);
    return {};
  }

  /// From the handout in the language that the student reads; none where it cannot be read.
  std::vector<HandoutPassage> passages() const {
    const fs::path assignment = find_paths(options_).assignment(options_.slug);
    Result<std::string> text = files_.read(statement_in(assignment, spoken_language()));
    if (!text) text = files_.read(assignment / "handout.md");
    return handout_passages(text ? *text : std::string());
  }

  void show(const SubmissionResult& result, const std::string& source,
            std::vector<PrintedText> printed) const {
    if (how_.is_full) {
      fmt::print("{}", format_report(result, {terminal_colour(), terminal_columns(), source}));
    } else {
      fmt::print("{}", format_test(result, {terminal_columns(), terminal_colour(), source,
                                            command_for(options_.slug), std::move(printed),
                                            !options_.cases.empty(), passages()}));
    }
    if (how_.plots) fmt::print("\n{}", plots_of_test(result));
    if (how_.is_for_editor)
      fmt::print("\n{}",
                 format_problem_lines(result, fs::absolute(file_).lexically_normal().string()));
    if (result.max_score < kFullMarks && options_.cases.empty())
      fmt::print("{}\n", say("test.hidden", {{"points", fmt::format("{:g}", result.max_score)},
                                             {"all", fmt::format("{:g}", kFullMarks)}})
                             .text);
  }

  std::string plots_of_test(const SubmissionResult& result) const {
    const std::string drawn = format_plots(result.plots, terminal_columns());
    return drawn.empty() ? say("test.no_plots").text + "\n" : drawn;
  }

  const Options& options_;
  const TestOptions& how_;
  const Rubric& rubric_;
  const RealFiles files_;
  fs::path file_, stamp_;
  std::optional<Installation> installation_;
  std::unique_ptr<Bench> bench_;
  int failure_ = kSystem;
};

int test_command(const Options& options, const TestOptions& how) {
  const Result<Rubric> rubric = load_assignment(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  Result<std::vector<std::string>> cases = named_cases(*rubric, options.cases);
  if (!cases) return complain(cases.error(), kUsage);
  if (how.lists) return list_cases(*rubric);
  Options of_these = options;
  of_these.cases = std::move(*cases);
  return StudentTest(of_these, how, *rubric).run();
}

}  // namespace

void add_testing(CLI::App& app, Options& options) {
  CLI::App* test = app.add_subcommand("test", "Test your own work on the public cases");
  test->footer(
      "Examples:\n  warpgrade test matmul-pitched          what to look at first\n"
      "  warpgrade test matmul-pitched --list   the cases, with their inputs\n"
      "  warpgrade test matmul-pitched edges    one case, with all that your program prints\n"
      "  warpgrade test matmul-pitched --watch  again after each change of the file\n"
      "  warpgrade test matmul-pitched --plots  each kernel's time against the size\n\n"
      "Exit: 0 all passed, 1 not all, 77 not started, 99 system error.");
  test->add_option("SLUG", options.slug, "The assignment; may be left out where there is but one");
  test->add_option("CASE", options.cases,
                   "Only these cases, each by its name or a beginning that no other has");
  const auto how = std::make_shared<TestOptions>();
  test->add_flag("--list", how->lists, "List the public cases");
  test->add_flag("--watch", how->watches, "Test again whenever the file changes, until Ctrl-C");
  test->add_flag("--full", how->is_full, "Every item with its reason, every finding, every kernel");
  test->add_flag("--plots", how->plots,
                 "End with the assignment's plots, such as each kernel's time against the size");
  test->add_flag(
      "--editor", how->is_for_editor,
      "End with a line for each problem, `path:line: error: message`, as editors read them");
  test->callback([&options, how] {
    const Result<std::string> slug =
        options.slug.empty() ? only_assignment(options) : Result<std::string>(options.slug);
    options.slug = slug ? *slug : "";
    options.status = slug ? test_command(options, *how) : complain(slug.error(), kUsage);
  });
}

}  // namespace warpgrade
