// SPDX-License-Identifier: MIT
#include "observe/tool_command.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kLines = 3;
constexpr size_t kLineBytes = 200;

/// As the toolkit's and Nsight Compute's installers name them.
bool is_installation(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "compute-sanitizer" || name.starts_with("nsight-compute-") ||
         name.starts_with("NsightCompute-") || folder.parent_path().filename() == "nsight-compute";
}

}  // namespace

fs::path tool_folder(const fs::path& tool) {
  for (fs::path folder = tool.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (is_installation(folder)) return folder;
  }
  return tool.parent_path();
}

void make_room_for_tool(const fs::path& tool, const fs::path& scratch, Command& command) {
  command.environment.erase("CUDA_INJECTION64_PATH");
  command.environment.erase("NVTX_INJECTION64_PATH");
  command.environment["PATH"] = "/usr/bin:/bin";
  // ncu locks a file in the one and keeps settings in the other.
  command.environment["TMPDIR"] = scratch.string();
  command.environment["HOME"] = scratch.string();
  command.readable.push_back(tool_folder(tool));
  // For the name localhost.
  std::error_code missing;
  for (const char* file : {"/etc/hosts", "/etc/nsswitch.conf"}) {
    if (fs::is_regular_file(file, missing)) command.readable.emplace_back(file);
  }
  command.loopback = true;
}

std::string last_said(std::string_view text) {
  std::vector<std::string> errors, all;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view said = trim(line);
    if (said.empty()) continue;
    all.push_back(printable(said.substr(0, kLineBytes)));
    if (said.find("ERROR") != std::string_view::npos) errors.push_back(all.back());
  }
  std::vector<std::string>& chosen = errors.empty() ? all : errors;
  if (chosen.size() > kLines) chosen.erase(chosen.begin(), chosen.end() - kLines);
  return join(chosen, " / ");
}

}  // namespace warpgrade
