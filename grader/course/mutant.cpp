// SPDX-License-Identifier: MIT
#include "course/mutant.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "course/patch.h"

namespace warpgrade {
namespace {

constexpr std::string_view kCommentMark = "//";
constexpr std::string_view kBase = "// base:";
constexpr std::string_view kLicence = "SPDX-License-Identifier";
constexpr std::string_view kHunk = "@@";

Error mistake(const std::string& path, size_t line, std::string_view what) {
  return {fmt::format("{}:{}: error: {}", path, line, what)};
}

/// A patch's file, taken apart.
struct MutantPatch {
  std::string header;  ///< without the base's line
  std::string base;    ///< as `// base:` names it; empty: the model answer
  size_t base_line = 0;
  NamedText hunks;
};

/// `text` without its first `count` lines.
std::string without_lines(const std::string& text, size_t count) {
  size_t at = 0;
  for (; count > 0; --count) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return text.substr(at);
}

Result<MutantPatch> take_apart(const std::string& path, const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  MutantPatch patch;
  size_t next = 0;
  for (; next < lines.size() && !lines[next].starts_with(kHunk); ++next) {
    const std::string& line = lines[next];
    if (!patch.base.empty())
      return mistake(path, patch.base_line, "this line must be the last above the first \"@@\"");
    if (!line.starts_with(kCommentMark))
      return mistake(path, next + 1,
                     "above the first \"@@\", a mutant's patch has comment lines alone: write the "
                     "base as \"// base: FILE\", and delete the lines that `diff` prints there");
    if (line.starts_with(kBase)) {
      patch.base = trim(std::string_view(line).substr(kBase.size()));
      patch.base_line = next + 1;
      if (patch.base.empty())
        return mistake(path, next + 1, "wanted \"// base: FILE\", such as accepted/one-launch.cu");
    } else {
      patch.header += line + "\n";
    }
  }
  patch.hunks = {path, without_lines(text, next), next + 1};
  return patch;
}

/// A base, taken apart.
struct Base {
  std::string licence;  ///< the licence line among the comment lines at the top; empty without one
  NamedText code;       ///< all below these comment lines
};

Base below_comments(const std::string& name, const std::string& text) {
  Base base;
  size_t count = 0;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(kCommentMark)) break;
    if (line.find(kLicence) != std::string::npos) base.licence += line + "\n";
    ++count;
  }
  base.code = {name, without_lines(text, count), count + 1};
  return base;
}

Result<Base> read_base(const Files& files, const fs::path& model_answer, const std::string& path,
                       const MutantPatch& patch) {
  const fs::path named = patch.base;
  const bool is_beside =
      std::none_of(named.begin(), named.end(), [](const fs::path& part) { return part == ".."; });
  if (!is_beside || named.is_absolute() || named.extension() == kPatchExtension)
    return mistake(path, patch.base_line,
                   fmt::format("a base is a whole program below {}, named from there, such as "
                               "accepted/one-launch.cu",
                               model_answer.parent_path().string()));
  const fs::path file = named.empty() ? model_answer : model_answer.parent_path() / named;
  const Result<std::string> text = files.read(file);
  if (text) return below_comments(file.string(), *text);
  return mistake(path, std::max<size_t>(1, patch.base_line),
                 fmt::format("the patch's base: {}", text.error().message));
}

std::vector<std::string> names_in(const Files& files, const fs::path& folder) {
  std::vector<std::string> names;
  const Result<std::vector<std::string>> found = files.list(folder);
  for (const fs::path name : found ? *found : std::vector<std::string>())
    names.push_back(name.stem().string());
  return names;
}

}  // namespace

Result<std::string> read_program(const Files& files, const fs::path& model_answer,
                                 const fs::path& path) {
  Result<std::string> text = files.read(path);
  if (!text || path.extension() != kPatchExtension) return text;
  const Result<MutantPatch> patch = take_apart(path.string(), *text);
  if (!patch) return patch.error();
  const Result<Base> base = read_base(files, model_answer, path.string(), *patch);
  if (!base) return base.error();
  const Result<std::string> code = apply_patch(base->code, patch->hunks);
  if (!code) return code.error();
  return patch->header + base->licence + *code;
}

Result<fs::path> find_mutant(const Files& files, const fs::path& model_answer,
                             const std::string& name) {
  const fs::path reference = model_answer.parent_path();
  std::vector<fs::path> found;
  std::vector<std::string> names;
  for (const char* part : {"mutants", "exploits"}) {
    const std::vector<std::string> of_part = names_in(files, reference / part);
    names.insert(names.end(), of_part.begin(), of_part.end());
    for (const std::string& extension :
         {std::string(kPatchExtension), model_answer.extension().string()}) {
      const fs::path path = reference / part / (name + extension);
      if (name.find('/') == std::string::npos && files.exists(path)) found.push_back(path);
    }
  }
  if (found.size() > 1)
    return Error{fmt::format("{} and {} have the same name: delete one of them, or rename it",
                             found[0].string(), found[1].string())};
  if (!found.empty()) return found[0];
  const std::string meant = nearest(name, names);
  return Error{fmt::format("{} has no mutant or exploit '{}'{}", reference.string(), name,
                           meant.empty() ? "" : fmt::format(": is {} meant?", meant))};
}

}  // namespace warpgrade
