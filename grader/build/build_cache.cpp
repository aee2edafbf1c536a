// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// An entry has two files. KEY holds the program; KEY.json holds what the compiler said, the program's
// hash and a hash of both. The cache replaces each file as a whole and durably, the program first. It
// takes an entry whose hashes do not fit for a missing one, so the next build writes it anew.
#include "build/build_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace warpgrade {
namespace {

using nlohmann::json;

json to_json(const BuildResult& result, const std::string& program) {
  json diagnostics = json::array();
  for (const Diagnostic& d : result.diagnostics)
    diagnostics.push_back({d.file, d.line, d.severity == Severity::kError, d.text});
  return {{"built", result.status == BuildStatus::kBuilt},
          {"reason", result.reason},
          {"program", program},
          {"diagnostics", diagnostics}};
}

BuildResult from_json(const json& stored) {
  BuildResult result;
  result.status = stored.at("built").get<bool>() ? BuildStatus::kBuilt : BuildStatus::kRejected;
  result.reason = stored.at("reason");
  for (const json& d : stored.at("diagnostics")) {
    result.diagnostics.push_back(
        {d.at(0), d.at(1), d.at(2).get<bool>() ? Severity::kError : Severity::kWarning, d.at(3)});
  }
  return result;
}

std::string text_of(const json& entry) {
  // Diagnostics quote sources, which need not be UTF-8.
  return entry.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The entry in `text`, if it is one and as it was written.
std::optional<json> open_entry(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || text.substr(0, end) != sha256_hex(text.substr(end + 1)))
    return std::nullopt;
  json entry = json::parse(text.substr(end + 1), nullptr, false);
  if (!entry.is_object()) return std::nullopt;
  return entry;
}

constexpr useconds_t kLookAgainUs = 200;
constexpr int kMostLooks = 50'000;

/// Waits for all who have the file open for writing; false if they outlast 10 s. Linux executes no such file (execve(2),
/// ETXTBSY). A process that another thread has just forked has all of our files open until it calls execve() itself.
/// Linux grants a read lease only on a file without writers (fcntl(2)).
bool outlasts_writers(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool has_writer = true;
  for (int look = 0; has_writer && look < kMostLooks; ++look) {
    has_writer = ::fcntl(file, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
    if (has_writer) ::usleep(kLookAgainUs);
  }
  ::close(file);  // Gives the lease back.
  return !has_writer;
}

bool copy_program(const std::string& bytes, const fs::path& program) {
  std::error_code failed;
  if (!RealFiles().write(program, bytes)) return false;
  fs::permissions(program, fs::perms(0755), failed);
  return !failed && outlasts_writers(program);
}

}  // namespace

long BuildResult::warnings() const {
  long count = 0;
  for (const Diagnostic& diagnostic : diagnostics)
    count += diagnostic.severity == Severity::kWarning;
  return count;
}

std::optional<BuildResult> BuildCache::find(const std::string& key, const fs::path& program) const {
  if (folder_.empty()) return std::nullopt;
  const RealFiles files;
  const Result<std::string> text = files.read(folder_ / (key + ".json"));
  const std::optional<json> entry = text ? open_entry(*text) : std::nullopt;
  if (!entry) return std::nullopt;
  try {
    BuildResult result = from_json(*entry);
    if (result.status != BuildStatus::kBuilt) return result;
    const Result<std::string> bytes = files.read(folder_ / key);
    if (!bytes || sha256_hex(*bytes) != entry->at("program") || !copy_program(*bytes, program))
      return std::nullopt;
    result.program = program;
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void BuildCache::keep(const std::string& key, const BuildResult& result) const {
  if (folder_.empty() || result.status == BuildStatus::kSystemError) return;
  RealFiles files;
  std::string program;
  // The program first: whoever sees the .json may rely on it.
  if (result.status == BuildStatus::kBuilt) {
    const Result<std::string> bytes = files.read(result.program);
    if (!bytes || !files.write(folder_ / key, *bytes)) return;
    program = sha256_hex(*bytes);
  }
  const std::string entry = text_of(to_json(result, program));
  const Status kept = files.write(folder_ / (key + ".json"), sha256_hex(entry) + '\n' + entry);
  static_cast<void>(kept);
}

}  // namespace warpgrade
