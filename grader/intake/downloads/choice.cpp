// SPDX-License-Identifier: MIT
#include "intake/downloads/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "intake/people/name_key.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kNamesShown = 5;

using FileList = std::vector<ClaimedFile>;

FileList only(const FileList& files, const auto& is_wanted) {
  FileList kept;
  std::copy_if(files.begin(), files.end(), std::back_inserter(kept), is_wanted);
  return kept;
}

std::string names_of(const FileList& files) {
  std::vector<std::string> names;
  for (const ClaimedFile& file : files) names.push_back(printable(file.name.string()));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const size_t more = names.size() - std::min(names.size(), kNamesShown);
  names.resize(names.size() - more);
  const std::string first = join(names, ", ");
  return more == 0 ? first : say("place.more", {{"first", first}, {"count", more}}).text;
}

/// Those in the uppermost folders that have any.
FileList uppermost(const FileList& files) {
  const auto levels = [](const ClaimedFile& file) {
    return std::distance(file.name.begin(), file.name.end());
  };
  if (files.empty()) return {};
  const auto least = levels(*std::min_element(
      files.begin(), files.end(),
      [&](const ClaimedFile& a, const ClaimedFile& b) { return levels(a) < levels(b); }));
  return only(files, [&](const ClaimedFile& file) { return levels(file) == least; });
}

/// The last upload of each name; the others go to `earlier`.
FileList last_uploads(const FileList& files, std::vector<fs::path>& earlier) {
  std::map<fs::path, ClaimedFile> last;
  for (const ClaimedFile& file : files) {
    const auto [known, is_new] = last.try_emplace(file.name, file);
    if (is_new) continue;
    const bool is_later = file.upload > known->second.upload;
    earlier.push_back(file.name);
    if (is_later) known->second = file;
  }
  FileList kept;
  for (const auto& [name, file] : last) kept.push_back(file);
  return kept;
}

Choice missing(const FileList& files, const std::string& wanted) {
  return {{},
          {},
          {},
          files.empty() ? say("intake.nothing", {{"name", wanted}})
                        : say("intake.absent", {{"name", wanted}, {"files", names_of(files)}})};
}

}  // namespace

Choice choose_file(const FileList& files, const std::string& wanted,
                   const std::vector<std::string>& not_theirs) {
  const std::string key = name_key(wanted), extension = fs::path(wanted).extension().string();
  Choice choice;
  const FileList sources = last_uploads(
      only(files,
           [&](const ClaimedFile& file) {
             const std::string name = file.name.filename().string();
             return has_extension(file.name, extension) &&
                    std::find(not_theirs.begin(), not_theirs.end(), name) == not_theirs.end();
           }),
      choice.earlier);
  FileList meant = uppermost(
      only(sources, [&](const ClaimedFile& file) { return file.name.filename() == wanted; }));
  if (meant.empty())
    meant = uppermost(only(sources, [&](const ClaimedFile& file) {
      return name_key(file.name.filename().string()) == key;
    }));
  if (meant.empty()) meant = sources;
  if (meant.empty()) return missing(files, wanted);
  if (meant.size() > 1) {
    choice.problem = say("intake.several", {{"name", wanted}, {"files", names_of(meant)}});
    return choice;
  }
  choice.file = meant[0];
  if (meant[0].name.filename() != wanted)
    choice.note = fmt::format("{} was taken for {}", printable(meant[0].name.string()), wanted);
  return choice;
}

size_t latest_attempt(const std::vector<Claim>& attempts) {
  const bool have_times = std::all_of(attempts.begin(), attempts.end(), [](const Claim& claim) {
    return claim.submitted.has_value();
  });
  const auto latest =
      std::max_element(attempts.begin(), attempts.end(), [&](const Claim& a, const Claim& b) {
        const long first = have_times ? a.submitted->seconds : 0;
        const long second = have_times ? b.submitted->seconds : 0;
        return std::pair(first, a.attempt) < std::pair(second, b.attempt);
      });
  return static_cast<size_t>(latest - attempts.begin());
}

}  // namespace warpgrade
