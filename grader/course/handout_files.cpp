// SPDX-License-Identifier: MIT
#include "course/handout_files.h"

namespace warpgrade {
namespace {

constexpr const char* kOracle = "oracle.cpp";

/// Adds every file below `course`/`folder` to `texts`.
Status add_folder(const Files& files, const fs::path& course, const fs::path& folder,
                  Texts& texts) {
  const Result<std::vector<std::string>> names = files.list(course / folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const fs::path path = folder / name;
    if (files.is_folder(course / path)) {
      if (Status added = add_folder(files, course, path, texts); !added) return added;
      continue;
    }
    Result<std::string> text = files.read(course / path);
    if (!text) return text.error();
    texts[path.string()] = std::move(*text);
  }
  return {};
}

bool is_given(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".h" || path.extension() == ".md";
}

}  // namespace

Result<Texts> handout_files(const Files& files, const fs::path& course, const std::string& slug) {
  Texts texts;
  for (const char* folder : {"assignments", "skeletons"}) {
    if (Status added = add_folder(files, course, fs::path(folder) / slug, texts); !added)
      return added.error();
  }
  texts.erase((fs::path("assignments") / slug / kOracle).string());
  return texts;
}

Result<HandoutTexts> handout_texts(const Files& files, const fs::path& course,
                                   const std::string& slug) {
  Result<Texts> all = handout_files(files, course, slug);
  if (!all) return all.error();
  HandoutTexts texts;
  for (auto& [path, text] : *all)
    (is_given(path) ? texts.given : texts.shipped)[path] = std::move(text);
  Texts reference;
  if (Status added = add_folder(files, course, fs::path("reference") / slug, reference); !added)
    return added.error();
  for (auto& [path, text] : reference) {
    if (fs::path(path).extension() == ".cu") texts.secret[path] = std::move(text);
  }
  return texts;
}

}  // namespace warpgrade
