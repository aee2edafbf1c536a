// SPDX-License-Identifier: MIT
#include "commands/autograder.h"

#include <fmt/format.h>

#include <memory>

#include "course/autograder.h"

namespace warpgrade {
namespace {

struct AutograderRequest {
  AutograderSettings settings;
  fs::path output;
};

int autograder_command(const Options& options, const AutograderRequest& request) {
  const Result<Installation> installation = find_installation(options, SandboxNeed::kNone);
  if (!installation) return complain(installation.error(), kNotAll);
  Result<FileTree> tree = autograder_files(*installation, request.settings);
  if (!tree) return complain(tree.error(), kUsage);
  Result<FileTree> programs = engine_files(*installation, {request.settings.slug});
  if (!programs) return complain(programs.error(), kNotAll);
  tree->merge(*programs);
  const Status written = write_zip(*tree, engine(), request.output, "");
  if (!written) return complain(written.error(), kUsage);
  fmt::print(
      "{}: {} files that grade {}. It holds the hidden cases and is for Gradescope alone: upload "
      "it "
      "under Configure Autograder\n",
      request.output.string(), tree->size(), request.settings.slug);
  return kAllGood;
}

}  // namespace

void add_autograder(CLI::App& app, Options& options) {
  const auto request = std::make_shared<AutograderRequest>();
  CLI::App* command =
      app.add_subcommand("autograder", "Write a ZIP file that grades an assignment at Gradescope");
  command->footer(
      "Example:\n  warpgrade autograder vecadd -o autograder.zip --keep-best\n\n"
      "It holds setup.sh, run_autograder, the engine, and the assignment with its hidden "
      "parts.\nExit: 0, 1 for a failure of this machine, 2 for a mistake in the command or the "
      "course.");
  command->callback(
      [&options, request] { options.status = autograder_command(options, *request); });
  command->add_option("SLUG", request->settings.slug, "The assignment")->required();
  command->add_option("-o,--output", request->output, "The ZIP file")->required();
  command
      ->add_option("--hidden-items", request->settings.hidden_items,
                   "When students see items in which hidden cases take part")
      ->check(CLI::IsMember({"visible", "after_due_date", "after_published", "hidden"}))
      ->capture_default_str();
  command->add_flag("--keep-best", request->settings.keep_best,
                    "The best submission counts, rather than the last");
  command->add_flag("--leaderboard", request->settings.leaderboard,
                    "Give scores and speedups to Gradescope's leaderboard");
  command->add_flag("--unsafe-no-sandbox", request->settings.unsafe_no_sandbox,
                    "Grade there without a sandbox where the container permits none: each run is "
                    "another user in a container of its own, and nothing more");
}

}  // namespace warpgrade
