// SPDX-License-Identifier: MIT
#include "testing/fake_files.h"

#include <fmt/format.h>

namespace warpgrade {
namespace {

/// The first name of `path` below `folder`; empty where `path` is not below it.
std::string name_below(const std::string& folder, const std::string& path) {
  const std::string prefix = folder == "/" ? folder : folder + '/';
  if (path.compare(0, prefix.size(), prefix) != 0) return {};
  return path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
}

UntrustedFile refused(const std::string& id, const std::string& name) {
  return {{}, {id, {{"name", name}}}};
}

}  // namespace

Result<std::string> FakeFiles::read(const fs::path& path, size_t limit_bytes) const {
  const std::string name = path.string();
  if (broken.count(name)) return Error{fmt::format("cannot read {}: Input/output error", name)};
  const auto found = contents.find(name);
  if (found == contents.end()) {
    return Error{fmt::format("cannot read {}: No such file or directory", name)};
  }
  if (found->second.size() > limit_bytes) {
    return Error{fmt::format("{} is larger than {} bytes", name, limit_bytes)};
  }
  return found->second;
}

Result<UntrustedFile> FakeFiles::read_untrusted(const fs::path& inside, const fs::path& relative,
                                                size_t limit_bytes) const {
  fs::path path = inside;
  for (const fs::path& part : relative) {
    path /= part;
    if (links.count(path.string())) return refused("intake.link", part.string());
    if (!exists(path)) return refused("intake.missing", part.string());
  }
  const std::string name = relative.filename().string();
  if (is_folder(path)) return refused("intake.irregular", name);
  if (broken.count(path.string())) return read(path).error();
  std::string text = contents.at(path.string());
  if (text.size() > limit_bytes) {
    return UntrustedFile{
        {}, {"intake.too_large", {{"name", name}, {"bytes", std::to_string(limit_bytes)}}}};
  }
  return UntrustedFile{std::move(text), {}};
}

Status FakeFiles::write(const fs::path& path, std::string_view text) {
  if (broken.count(path.string())) {
    return Error{fmt::format("cannot write {}: Input/output error", path.string())};
  }
  contents[path.string()] = text;
  return {};
}

bool FakeFiles::exists(const fs::path& path) const {
  const std::string name = path.string();
  return contents.count(name) || broken.count(name) || links.count(name) || is_folder(path);
}

bool FakeFiles::is_folder(const fs::path& path) const {
  const std::string folder = path.string();
  if (folders.count(folder)) return true;
  for (const auto& [name, text] : contents) {
    if (!name_below(folder, name).empty()) return true;
  }
  return false;
}

Result<std::vector<std::string>> FakeFiles::list(const fs::path& folder) const {
  if (!is_folder(folder)) {
    return Error{fmt::format("cannot list {}: No such file or directory", folder.string())};
  }
  std::set<std::string> names;
  for (const auto& [name, text] : contents) names.insert(name_below(folder.string(), name));
  for (const std::set<std::string>* others : {&folders, &links, &broken}) {
    for (const std::string& name : *others) names.insert(name_below(folder.string(), name));
  }
  names.erase("");
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace warpgrade
