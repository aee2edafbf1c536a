// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands/autograder.h"
#include "commands/export.h"
#include "commands/help_pages.h"
#include "commands/init.h"
#include "commands/mutant.h"
#include "commands/options.h"
#include "commands/reports.h"
#include "commands/results.h"
#include "commands/version.h"

namespace warpgrade {
namespace {

int main_with(int argc, char** argv) {
  CLI::App app("Warpgrade grades CUDA course assignments on any machine");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("warpgrade {}", version()),
                       "Print the version and exit");
  Options options;
  app.add_option("--course", options.course,
                 "Folder that holds assignments/, rubrics/, skeletons/ and reference/");
  add_grading(app, options);
  add_init(app, options);
  add_course(app, options);
  add_mutant(app, options);
  add_rubrics(app, options);
  add_reports(app, options);
  add_machine(app, options);
  add_results(app, options);
  add_export(app, options);
  add_autograder(app, options);
  add_help_pages(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? kAllGood : kUsage;
  }
  return options.status;
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
