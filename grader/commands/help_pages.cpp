// SPDX-License-Identifier: MIT
#include "commands/help_pages.h"

#include <memory>

#include "commands/command_page.h"
#include "commands/completions.h"
#include "commands/manual.h"
#include "course/handout.h"

namespace warpgrade {
namespace {

/// By their paths below share/.
FileTree help_pages(const CommandText& program) {
  const fs::path manuals = "man/man1";
  FileTree tree = {
      {manuals / "warpgrade.1", manual_of_program(program)},
      {"bash-completion/completions/warpgrade", bash_completion(program)},
      {"zsh/site-functions/_warpgrade", zsh_completion(program)},
      {"doc/warpgrade/commands.md", page_of_commands(program)},
      {"fish/vendor_completions.d/warpgrade.fish", fish_completion(program)},
  };
  for (const CommandText& command : program.commands)
    tree[manuals / ("warpgrade-" + command.name + ".1")] = manual_of_command(command);
  return tree;
}

Status write_pages(const FileTree& tree, const fs::path& folder) {
  RealFiles files;
  for (const auto& [path, text] : tree) {
    std::error_code failed;
    fs::create_directories((folder / path).parent_path(), failed);
    if (Status written = files.write(folder / path, text); !written) return written;
  }
  return {};
}

}  // namespace

void add_help_pages(CLI::App& app, Options& options) {
  const auto folder = std::make_shared<fs::path>();
  CLI::App* pages = app.add_subcommand("help-pages", "Write manual pages and completions");
  pages->group("");
  pages->add_option("DIR", *folder, "The folder share/ of an installed engine")->required();
  pages->callback([folder, &app, &options] {
    const Status written = write_pages(help_pages(describe_command(app)), *folder);
    options.status = written ? kAllGood : complain(written.error(), kUsage);
  });
}

}  // namespace warpgrade
