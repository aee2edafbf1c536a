// SPDX-License-Identifier: MIT
#include "commands/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "commands/autograder.h"
#include "commands/batch.h"
#include "commands/export.h"
#include "commands/help_pages.h"
#include "commands/init.h"
#include "commands/leaderboard.h"
#include "commands/mutant.h"
#include "commands/options.h"
#include "commands/reports.h"
#include "commands/results.h"
#include "commands/similarity.h"
#include "commands/version.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// What to say where the command line names no command that there is; empty where it does.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::App* each : app.get_subcommands(nullptr)) known.push_back(each->get_name());
  const std::string all = join(known, ", ");
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--course" || word == "--language") ++i;
    if (word.starts_with("-")) continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) return "";
    const std::string meant = nearest(word, known);
    return fmt::format("there is no command '{}'; {} {}", printable(word),
                       meant.empty() ? "the commands are"
                                     : fmt::format("did you mean '{}'? The commands are", meant),
                       all);
  }
  return fmt::format("which command? The commands are {}; --help says what they do", all);
}

int run_command(int argc, char** argv) {
  CLI::App app("Warpgrade grades CUDA course assignments on any machine");
  app.require_subcommand(1);
  // --course and --language may stand behind the command, too.
  app.fallthrough();
  app.set_version_flag("--version", fmt::format("warpgrade {}", version()),
                       "Print the version and exit");
  Options options;
  app.add_option("--course", options.course,
                 "Folder that holds assignments/, rubrics/, skeletons/ and reference/");
  app.add_option("--language", options.language,
                 "The language that students read; the course's own if not given")
      ->check(CLI::IsMember(languages()));
  add_grading(app, options);
  add_init(app, options);
  add_testing(app, options);
  add_batch(app, options);
  add_gradebook(app, options);
  add_course(app, options);
  add_mutant(app, options);
  add_rubrics(app, options);
  add_reports(app, options);
  add_machine(app, options);
  add_results(app, options);
  add_leaderboard(app, options);
  add_similarity(app, options);
  add_export(app, options);
  add_autograder(app, options);
  add_help_pages(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const bool is_mistake = problem.get_exit_code() != 0;
    const std::string unknown = is_mistake ? unknown_command(app, argc, argv) : "";
    if (!unknown.empty()) return complain({unknown}, kUsage);
    return app.exit(problem) == 0 ? kAllGood : kUsage;
  }
  return options.status;
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "warpgrade: {}\n", problem.what());
    return kSystem;
  }
}

}  // namespace warpgrade
