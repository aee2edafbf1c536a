// SPDX-License-Identifier: MIT
#include "sandbox/bubblewrap.h"

#include <cstdlib>

namespace warpgrade {
namespace {

constexpr const char* kTmpBytes = "1073741824";
constexpr const char* kSharedMemoryBytes = "16777216";

void append(std::vector<std::string>& list, std::initializer_list<std::string> more) {
  list.insert(list.end(), more);
}

/// Namespaces and files, as far as the working folder.
std::vector<std::string> view_argv(const Command& command, int filter_fd) {
  std::vector<std::string> argv = {"/usr/bin/bwrap", "--unshare-all", "--die-with-parent",
                                   "--new-session",  "--cap-drop",    "ALL"};
  append(argv, {"--seccomp", std::to_string(filter_fd)});
  append(argv, {"--ro-bind", "/usr", "/usr"});
  for (const char* link : {"bin", "lib", "lib64"})
    append(argv, {"--symlink", std::string("usr/") + link, std::string("/") + link});
  for (const char* path : {"/etc/alternatives", "/etc/ld.so.cache"})
    append(argv, {"--ro-bind-try", path, path});
  append(argv, {"--proc", "/proc", "--dev", "/dev"});
  append(argv, {"--size", kSharedMemoryBytes, "--tmpfs", "/dev/shm", "--size", kTmpBytes, "--tmpfs",
                "/tmp"});
  for (const fs::path& path : command.readable)
    append(argv, {"--ro-bind", path.string(), path.string()});
  for (const fs::path& path : command.writable)
    append(argv, {"--bind", path.string(), path.string()});
  // Behind --dev, which would hide them; --bind would leave them unusable.
  for (const fs::path& path : command.devices)
    append(argv, {"--dev-bind", path.string(), path.string()});
  // The sandbox's own root and /dev are writable memory until they are closed, which must come
  // last.
  append(argv, {"--remount-ro", "/dev", "--remount-ro", "/", "--clearenv"});
  return argv;
}

}  // namespace

std::vector<std::string> bubblewrap_argv(const Command& command, int status_fd, int filter_fd) {
  std::vector<std::string> argv = view_argv(command, filter_fd);
  append(argv, {"--json-status-fd", std::to_string(status_fd), "--chdir", command.folder.string()});
  for (const auto& [name, value] : command.environment) append(argv, {"--setenv", name, value});
  // Counted inside the sandbox's user namespace, so that the caller's other processes are not.
  append(argv, {"/usr/bin/prlimit", "--nproc=" + std::to_string(command.limits.processes)});
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

std::vector<std::string> bubblewrap_room_argv(const Command& view, int filter_fd,
                                              const std::string& supervisor) {
  std::vector<std::string> argv = view_argv(view, filter_fd);
  append(argv, {"--as-pid-1", supervisor});
  return argv;
}

int bubblewrap_exit_code(const std::string& report) {
  constexpr std::string_view kKey = "\"exit-code\":";
  const size_t found = report.find(kKey);
  return found == std::string::npos ? -1 : std::atoi(report.c_str() + found + kKey.size());
}

}  // namespace warpgrade
