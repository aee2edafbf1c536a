// SPDX-License-Identifier: MIT
#include "commands/mutant.h"

#include <fmt/format.h>

#include <memory>

#include "course/mutant.h"

namespace warpgrade {
namespace {

struct MutantArguments {
  std::string slug;
  std::string name;
};

Result<std::string> program_of(const Options& options, const MutantArguments& wanted) {
  const Result<Rubric> rubric = load_rubric(options, wanted.slug);
  if (!rubric) return rubric.error();
  const RealFiles files;
  const fs::path model_answer = find_paths(options).reference(wanted.slug) / rubric->submission;
  const Result<fs::path> path = find_mutant(files, model_answer, wanted.name);
  if (!path) return path.error();
  return read_program(files, model_answer, *path);
}

int mutant_command(const Options& options, const MutantArguments& wanted) {
  const Result<std::string> program = program_of(options, wanted);
  if (!program) return complain(program.error(), kUsage);
  fmt::print("{}", *program);
  return kAllGood;
}

}  // namespace

void add_mutant(CLI::App& app, Options& options) {
  const auto wanted = std::make_shared<MutantArguments>();
  CLI::App* command =
      app.add_subcommand("mutant", "Print the whole program of a mutant or an exploit");
  command->footer(
      "Example:\n  warpgrade mutant pi no-guard > no-guard.cu\n\nMost of them are patches of the "
      "model answer or of another right answer.\nExit: 0 printed, 2 usage or a mistake in a file "
      "of the course.");
  command->add_option("SLUG", wanted->slug, "The assignment")->required();
  command
      ->add_option("NAME", wanted->name,
                   "The mutant or exploit: its file's name without the extension")
      ->required();
  command->callback([&options, wanted] { options.status = mutant_command(options, *wanted); });
}

}  // namespace warpgrade
