// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "commands/batch.h"
#include "commands/options.h"

namespace warpgrade {
namespace {

int main_with(int argc, char** argv) {
  CLI::App app("Warpgrade grades CUDA course assignments on any machine");
  app.require_subcommand(1);
  Options options;
  app.add_option("--course", options.course,
                 "Folder that holds assignments/, rubrics/, skeletons/ and reference/");
  add_grading(app, options);
  add_batch(app, options);
  add_gradebook(app, options);
  add_course(app, options);
  add_rubrics(app, options);
  add_machine(app, options);
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
