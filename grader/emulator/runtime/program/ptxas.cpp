// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/ptxas.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/hash.h"
#include "base/text.h"

namespace warpgrade::emulator {
namespace {

namespace fs = std::filesystem;

/// The number right before `unit`, or 0.
int number_before(std::string_view line, std::string_view unit) {
  const size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  const size_t before = line.find_last_not_of("0123456789", end - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A new file for this process alone, removed in the end.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "warpgrade-XXXXXX").string();
    const int file = error ? -1 : ::mkstemp(path.data());
    if (file < 0) return;
    ::close(file);
    path_ = path;
  }
  ~ScratchFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// True where the program ran and ended with 0. Its stderr goes to `errors`.
bool run(std::vector<std::string> words, const std::string& errors) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_TRUNC,
                                     0);
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Whole or not at all, since several programs may do so at once.
void keep(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path fresh = fmt::format("{}.{}", file.string(), ::getpid());
  std::ofstream(fresh, std::ios::binary) << text;
  fs::rename(fresh, file, error);
}

}  // namespace

ModuleResources parse_resources(std::string_view text) {
  constexpr std::string_view kEntry = "Compiling entry function '", kProperties = "properties for ";
  ModuleResources resources;
  KernelResources* current = nullptr;
  std::string entry;
  bool of_entry = false;
  for (const std::string& line : split(text, '\n')) {
    if (const size_t at = line.find(kEntry); at != std::string::npos) {
      const size_t begin = at + kEntry.size();
      entry = line.substr(begin, line.find('\'', begin) - begin);
      current = &resources[entry];
    } else if (const size_t of = line.find(kProperties); of != std::string::npos) {
      of_entry = line.substr(of + kProperties.size()) == entry;
    } else if (current != nullptr && of_entry && line.find("stack frame") != std::string::npos) {
      current->stack_bytes = number_before(line, " bytes stack frame");
      current->spill_store_bytes = number_before(line, " bytes spill stores");
      current->spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (current != nullptr && line.find("Used ") != std::string::npos) {
      current->registers = number_before(line, " registers");
      current->barriers = number_before(line, " barriers");
    }
  }
  return resources;
}

Ptxas::Ptxas(std::string program, std::string cache_folder)
    : program_(std::move(program)), cache_folder_(std::move(cache_folder)) {}

const ModuleResources& Ptxas::resources(const std::string& ptx, int sm) {
  const std::string name = fmt::format("{}-sm_{}", sha256_hex(ptx).substr(0, 32), sm);
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  ModuleResources& resources = known_[name];
  if (program_ == "none") return resources;
  const fs::path kept = fs::path(cache_folder_) / "ptxas" / name;
  std::string text = cache_folder_.empty() ? "" : read_file(kept);
  if (text.empty()) {
    text = ask(ptx, sm);
    if (!text.empty() && !cache_folder_.empty()) keep(kept, text);
  }
  resources = parse_resources(text);
  return resources;
}

std::string Ptxas::ask(const std::string& ptx, int sm) const {
  const ScratchFile source, said;
  if (source.path().empty() || said.path().empty()) return "";
  std::ofstream(source.path(), std::ios::binary) << ptx;
  const bool done =
      run({program_, "-v", fmt::format("-arch=sm_{}", sm), source.path(), "-o", "/dev/null"},
          said.path());
  return done ? read_file(said.path()) : "";
}

}  // namespace warpgrade::emulator
