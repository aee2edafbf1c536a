// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <map>

#include "base/text.h"
#include "check/array_folder.h"
#include "check/oracle.h"

namespace warpgrade {

/// For the oracles that derive nothing.
[[gnu::weak]] Arrays derived_outputs(const OracleCase&, const Arrays&, const Arrays&) { return {}; }

namespace {

Status add_argument(const std::string& word, OracleCase& the_case) {
  const std::vector<std::string> parts = split(word, '=');
  try {
    size_t used = 0;
    const long value = std::stol(parts.at(1), &used);
    if (parts.size() == 2 && used == parts[1].size()) {
      the_case.args[parts[0]] = value;
      return {};
    }
  } catch (const std::exception&) {
    // reported below
  }
  return Error{fmt::format("\"{}\" is not NAME=INTEGER", word)};
}

Status write_inputs(const fs::path& folder, const OracleCase& the_case) {
  return write_arrays(folder / "in", make_inputs(the_case));
}

Status write_expected(const fs::path& folder, const OracleCase& the_case) {
  const Result<Arrays> inputs = read_arrays(RealFiles(), folder / "in");
  if (!inputs) return inputs.error();
  return write_arrays(folder / "expected", expected_outputs(the_case, *inputs));
}

Status write_derived(const fs::path& folder, const OracleCase& the_case) {
  const Result<Arrays> inputs = read_arrays(RealFiles(), folder / "in"),
                       outputs = read_arrays(RealFiles(), folder / "out");
  if (!inputs) return inputs.error();
  if (!outputs) return outputs.error();
  return write_arrays(folder / "derived", derived_outputs(the_case, *inputs, *outputs));
}

int run(int argc, char** argv) {
  CLI::App app("Makes the inputs and the expected outputs of an assignment's case");
  app.require_subcommand(1);
  std::string folder;
  std::vector<std::string> words;
  OracleCase the_case;
  CLI::App* inputs = app.add_subcommand("inputs", "Write CASE_DIR/in");
  CLI::App* expected = app.add_subcommand("expected", "Read CASE_DIR/in, write CASE_DIR/expected");
  CLI::App* derived =
      app.add_subcommand("derived", "Read CASE_DIR/in and CASE_DIR/out, write CASE_DIR/derived");
  const std::map<CLI::App*, Status (*)(const fs::path&, const OracleCase&)> actions = {
      {inputs, write_inputs}, {expected, write_expected}, {derived, write_derived}};
  for (const auto& [command, action] : actions) {
    command->add_option("CASE_DIR", folder)->required();
    command->add_option("--seed", the_case.seed, "Where random inputs start");
    command->add_option("--family", the_case.family, "Kind of inputs");
    command->add_option("ARGS", words, "NAME=INTEGER ...");
  }
  CLI11_PARSE(app, argc, argv);

  Status status;
  for (const std::string& word : words) {
    if (status.ok()) status = add_argument(word, the_case);
  }
  for (const auto& [command, action] : actions) {
    if (status.ok() && command->parsed()) status = action(folder, the_case);
  }
  if (status.ok()) return 0;
  fmt::print(stderr, "{}: {}\n", argv[0], status.error().message);
  return 1;
}

}  // namespace
}  // namespace warpgrade

int main(int argc, char** argv) {
  try {
    return warpgrade::run(argc, argv);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", argv[0], problem.what());
    return 1;
  }
}
