// SPDX-License-Identifier: MIT
#include "course/template.h"

#include <algorithm>

namespace warpgrade {
namespace {

Result<FileTree> read_below(const Files& files, const fs::path& root, const fs::path& folder) {
  const Result<std::vector<std::string>> names = files.list(root / folder);
  if (!names) return names.error();
  FileTree tree;
  for (const std::string& name : *names) {
    if (files.is_folder(root / folder / name)) {
      Result<FileTree> below = read_below(files, root, folder / name);
      if (!below) return below;
      tree.merge(*below);
      continue;
    }
    const Result<std::string> text = files.read(root / folder / name);
    if (!text) return text.error();
    tree[folder / name] = *text;
  }
  return tree;
}

}  // namespace

Result<FileTree> read_template(const fs::path& folder) {
  return read_below(RealFiles(), folder, "");
}

std::string fill(std::string text, const std::vector<Placeholder>& placeholders) {
  for (const auto& [name, value] : placeholders) {
    for (size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  }
  return text;
}

std::string title_mistake(const std::string& title) {
  const bool is_plain = std::none_of(title.begin(), title.end(), [](unsigned char c) {
    return c < ' ' || c == 0x7f || c == '"' || c == '\\';
  });
  if (!title.empty() && is_plain) return "";
  return "a title is one line of text without double quotes, backslashes and control characters";
}

}  // namespace warpgrade
