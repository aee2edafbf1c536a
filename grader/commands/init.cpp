// SPDX-License-Identifier: MIT
#include "commands/init.h"

#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "course/new_course.h"

namespace warpgrade {
namespace {

struct InitOptions {
  fs::path folder;
  std::string title = "Computing on GPUs with CUDA";
};

int init_command(const InitOptions& options) {
  const Result<FileTree> tree = new_course(engine(), options.title);
  if (!tree) return complain(tree.error(), kUsage);
  if (Status written = write_tree(*tree, options.folder); !written)
    return complain(written.error(), kUsage);
  for (const auto& [path, text] : *tree) fmt::print("{}\n", path.string());
  fmt::print(
      "\n{} files in {}. Now, in this folder:\n"
      "  warpgrade check\n"
      "  meson setup build && meson test -C build\n",
      tree->size(), printable(options.folder.string()));
  return kAllGood;
}

}  // namespace

void add_init(CLI::App& app, Options& options) {
  const auto own = std::make_shared<InitOptions>();
  CLI::App* init = app.add_subcommand("init", "Start a course in a repository of its own");
  init->footer(
      "Example:\n  warpgrade init kernels-2027 --title 'Kernels and threads'\n\n"
      "The course holds one assignment, saxpy, whose proof passes; warpgrade new adds others.\n"
      "Exit: 0, or 2 where the folder holds something or cannot be written.");
  init->callback([own, &options] { options.status = init_command(*own); });
  init->add_option("DIR", own->folder, "A folder that does not exist, or is empty")->required();
  init->add_option("--title", own->title, "The course's title, which students read")
      ->capture_default_str();
}

}  // namespace warpgrade
