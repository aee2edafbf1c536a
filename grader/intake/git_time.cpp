// SPDX-License-Identifier: MIT
#include "intake/git_time.h"

#include <fmt/format.h>

#include "base/remove_tree.h"
#include "base/text.h"

namespace warpgrade {
namespace {

constexpr const char* kGit = "/usr/bin/git";
constexpr const char* kConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
constexpr size_t kMostFilesInTree = 20'000;
constexpr uintmax_t kMostBytes = uintmax_t{256} << 20;
constexpr std::chrono::seconds kGitPatience{10};
constexpr long kWallMs = 60'000;

/// Copies regular files, and neither links nor what they lead to.
class Copy {
 public:
  Status add(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(from, failed);
    if (fs::is_directory(status)) return add_folder(from, to);
    if (!fs::is_regular_file(status)) return {};
    bytes_ += fs::file_size(from, failed);
    if (++files_ > kMostFilesInTree || bytes_ > kMostBytes)
      return Error{"the clone is too large to be read"};
    fs::copy_file(from, to, failed);
    fs::permissions(to, fs::perms(0644), failed);
    if (failed) return Error{fmt::format("cannot copy {}: {}", from.string(), failed.message())};
    return {};
  }

 private:
  Status add_folder(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::create_directories(to, failed);
    // The sandbox's user reads it.
    fs::permissions(to, fs::perms(0755), failed);
    for (const fs::directory_entry& entry : fs::directory_iterator(from, failed)) {
      // `info` may lead to objects elsewhere.
      if (entry.path().filename() == "info") continue;
      if (Status added = add(entry.path(), to / entry.path().filename()); !added) return added;
    }
    if (failed) return Error{fmt::format("cannot list {}: {}", from.string(), failed.message())};
    return {};
  }

  size_t files_ = 0;
  uintmax_t bytes_ = 0;
};

Status copy_clone(const fs::path& repository, const fs::path& to) {
  Copy copy;
  for (const char* part : {"objects", "refs", "HEAD", "packed-refs"}) {
    std::error_code none;
    if (!fs::exists(repository / ".git" / part, none)) continue;
    if (Status added = copy.add(repository / ".git" / part, to / part); !added) return added;
  }
  return RealFiles().write(to / "config", kConfig);
}

}  // namespace

Result<Moment> last_commit_time(const Sandbox& sandbox, const fs::path& repository,
                                const fs::path& path, const fs::path& folder) {
  if (!RealFiles().exists(kGit)) return Error{"git is not installed: apt-get install git"};
  const fs::path clone = folder / "clone";
  remove_tree(clone, kGitPatience);
  if (Status copied = copy_clone(repository, clone); !copied) return copied.error();
  Command command;
  command.argv = {kGit,
                  "--literal-pathspecs",
                  "--git-dir=" + clone.string(),
                  "log",
                  "-1",
                  "--format=%cI",
                  "HEAD",
                  "--",
                  path.string()};
  command.environment = {{"LC_ALL", "C.UTF-8"},
                         {"HOME", "/nonexistent"},
                         {"GIT_CONFIG_NOSYSTEM", "1"},
                         {"GIT_CONFIG_COUNT", "1"},
                         {"GIT_CONFIG_KEY_0", "safe.directory"},
                         {"GIT_CONFIG_VALUE_0", "*"}};
  command.readable = {clone};
  command.limits.wall_ms = kWallMs;
  const ProcessOutcome outcome = sandbox.run(command);
  remove_tree(clone, kGitPatience);
  const std::optional<Moment> moment = Moment::parse(trim(outcome.out));
  if (outcome.succeeded() && moment) return *moment;
  if (outcome.succeeded()) return Error{"no commit of the clone changed the file"};
  return Error{fmt::format("git failed: {}", printable(trim(outcome.error + outcome.err)))};
}

}  // namespace warpgrade
