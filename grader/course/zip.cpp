// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/text.h"
#include "course/handout.h"
#include "pipeline/workspace.h"

namespace warpgrade {

Status write_zip(const FileTree& tree, const Engine& engine, const fs::path& to,
                 const std::string& top) {
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  const fs::path folder = (*workspace)->folder() / "handout";
  if (Status written = write_tree(tree, folder); !written) return written;
  Command command;
  command.argv = {engine.packer.string(), folder.string(), fs::absolute(to).string(), top};
  command.environment = {{"LC_ALL", "C"}};
  const ProcessOutcome outcome = LocalSandbox(SandboxBackend::kNone).run(command);
  if (outcome.succeeded()) return {};
  return Error{
      fmt::format("{} {}", engine.packer.filename().string(), trim(outcome.error + outcome.err))};
}

}  // namespace warpgrade
