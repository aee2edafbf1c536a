// SPDX-License-Identifier: MIT
#include "pipeline/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr const char* kDecisions = "decisions.csv";

/// A result in one of the folders.
struct Candidate {
  fs::path folder;
  SubmissionResult result;
  std::string text;
  fs::file_time_type written;
};

fs::path result_file(const fs::path& folder, const std::string& student) {
  return folder / "results" / (student + ".json");
}

/// The folder as a person named it, however the path ends.
bool is_same_folder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) || a == b;
}

/// What one folder holds, into `all`; what of it is damaged, into `unread`.
Status read_folder(const fs::path& folder, std::vector<Candidate>& all,
                   std::vector<DamagedResult>& unread) {
  const ResultsFolder results(folder, "");
  const std::vector<std::string> students = results.students();
  if (students.empty())
    return Error{
        fmt::format("{} holds no results: name folders that grade -o wrote", folder.string())};
  for (const std::string& student : students) {
    StoredResult stored = results.stored(student);
    const Result<std::string> text = RealFiles().read(result_file(folder, student));
    if (!stored.result || !text) {
      unread.push_back({student, fmt::format("{}: {}", folder.string(), stored.damage)});
      continue;
    }
    std::error_code ignored;
    all.push_back({folder, std::move(*stored.result), *text,
                   fs::last_write_time(result_file(folder, student), ignored)});
  }
  return {};
}

Versions versions_of(const SubmissionResult& result) {
  Versions shared = result.inputs;
  shared.erase("submission");
  return shared;
}

/// One assignment and, unless they may be mixed, one version of all that decides a result.
Status check_alike(const std::vector<Candidate>& all, bool mixed) {
  const Candidate& first = all.front();
  const auto name = [](const Candidate& each) { return each.folder.string(); };
  for (const Candidate& each : all) {
    if (each.result.assignment == first.result.assignment) continue;
    return Error{
        fmt::format("{} holds results of {}, and {} of {}: merge each assignment into a "
                    "folder of its own",
                    name(first), first.result.assignment, name(each), each.result.assignment)};
  }
  for (const Candidate& each : all) {
    const std::string others = other_versions(each.result, versions_of(first.result));
    if (mixed || others.empty()) continue;
    return Error{
        fmt::format("{} in {} was graded with {} than {} in {}: grade the older ones again "
                    "there, or merge them as they are by --mixed",
                    each.result.student, name(each), others, first.result.student, name(first))};
  }
  return {};
}

/// Decisions of several folders are for a person to bring together.
Status check_decisions(const std::vector<fs::path>& folders, const fs::path& into) {
  const RealFiles files;
  if (files.exists(into / kDecisions)) return {};
  std::optional<std::string> first;
  fs::path holder;
  for (const fs::path& folder : folders) {
    if (!files.exists(folder / kDecisions)) continue;
    const Result<std::string> text = files.read(folder / kDecisions);
    if (!text) return text.error();
    if (!first) {
      first = *text;
      holder = folder;
    }
    if (*text != *first)
      return Error{
          fmt::format("{} and {} hold different decisions: write the lines of both to {}, "
                      "which is then taken",
                      (holder / kDecisions).string(), (folder / kDecisions).string(),
                      (into / kDecisions).string())};
  }
  return {};
}

int finality(const SubmissionResult& result) {
  return result.has_system_error() ? 0 : result.provisional ? 1 : 2;
}

/// Why `other` is to be taken instead of `taken`; empty where it is not.
std::string why_better(const Candidate& other, const Candidate& taken) {
  const int mine = finality(other.result), its = finality(taken.result);
  if (mine != its) return mine < its ? "" : its == 0 ? "it could be graded" : "it is final";
  return other.written > taken.written ? "it is newer" : "";
}

std::string why_kept(const Candidate& taken, const Candidate& other) {
  const std::string why = why_better(taken, other);
  return why.empty() ? "both are of one time, and it comes first" : why;
}

/// The best of each student.
std::map<std::string, Candidate> choose(std::vector<Candidate> all,
                                        std::vector<MergeChoice>& choices) {
  std::map<std::string, Candidate> best;
  for (Candidate& each : all) {
    const std::string student = each.result.student;
    const auto found = best.find(student);
    if (found == best.end()) {
      best.emplace(student, std::move(each));
      continue;
    }
    Candidate& taken = found->second;
    if (taken.text == each.text) continue;
    const std::string why = why_better(each, taken);
    if (why.empty()) {
      choices.push_back({student, taken.folder, each.folder, why_kept(taken, each)});
    } else {
      choices.push_back({student, each.folder, taken.folder, why});
      taken = std::move(each);
    }
  }
  return best;
}

/// What lies below `name` in one folder and not yet in the other.
Status copy_missing(const fs::path& from, const fs::path& into, const char* name) {
  std::error_code failed;
  if (!fs::exists(from / name, failed) || is_same_folder(from, into)) return {};
  fs::create_directories(into, failed);
  if (!failed)
    fs::copy(from / name, into / name,
             fs::copy_options::recursive | fs::copy_options::skip_existing |
                 fs::copy_options::skip_symlinks,
             failed);
  return failed ? Error{fmt::format("cannot copy {} to {}: {}", (from / name).string(),
                                    into.string(), failed.message())}
                : Status();
}

/// What was graded, with the result that it earned.
Status copy_submission(const Candidate& chosen, const fs::path& into) {
  const fs::path part = fs::path("submissions") / chosen.result.student;
  std::error_code ignored;
  if (!fs::exists(chosen.folder / part, ignored) || is_same_folder(chosen.folder, into)) return {};
  RealFiles files;
  const Result<std::vector<std::string>> names = files.list(chosen.folder / part);
  if (!names) return names.error();
  fs::remove_all(into / part, ignored);
  for (const std::string& name : *names) {
    const Result<std::string> text = files.read(chosen.folder / part / name);
    if (!text) return text.error();
    if (Status written = files.write(into / part / name, *text); !written) return written;
  }
  return {};
}

/// Each chosen result into `into`, with the time that it had.
Status write_chosen(const std::map<std::string, Candidate>& chosen, const fs::path& into,
                    const std::string& assignment) {
  const ResultsFolder target(into, assignment);
  for (const auto& [student, each] : chosen) {
    if (Status copied = copy_submission(each, into); !copied) return copied;
    const fs::path file = result_file(into, student);
    const Result<std::string> present = RealFiles().read(file);
    if (present && *present == each.text) continue;
    const bool is_damaged = !target.stored(student).damage.empty();
    Status written = is_damaged ? target.put_aside(student) : Status();
    if (written) written = target.write(each.result);
    if (written) written = target.write_report(each.result);
    if (!written) return written;
    std::error_code ignored;
    fs::last_write_time(file, each.written, ignored);
  }
  return {};
}

}  // namespace

Result<Merged> merge(const std::vector<fs::path>& from, const fs::path& into, bool mixed) {
  Merged merged;
  std::vector<Candidate> all;
  std::vector<fs::path> folders = from;
  const bool has_own = !ResultsFolder(into, "").students().empty();
  if (has_own) folders.insert(folders.begin(), into);
  std::vector<DamagedResult> unread;
  for (size_t i = 0; i < folders.size(); ++i) {
    if (has_own && i > 0 && is_same_folder(folders[i], into)) continue;
    if (Status read = read_folder(folders[i], all, unread); !read) return read.error();
  }
  if (all.empty())
    return Error{fmt::format("none of the results can be used: {}: {}", unread.front().student,
                             unread.front().why)};
  if (Status alike = check_alike(all, mixed); !alike) return alike.error();
  if (Status decided = check_decisions(folders, into); !decided) return decided.error();
  merged.assignment = all.front().result.assignment;
  merged.graded.versions = versions_of(all.front().result);
  const std::map<std::string, Candidate> chosen = choose(std::move(all), merged.choices);
  for (const fs::path& folder : folders) {
    for (const char* name : {"seed", "earlier", "released", kDecisions}) {
      if (Status copied = copy_missing(folder, into, name); !copied) return copied.error();
    }
  }
  if (Status written = write_chosen(chosen, into, merged.assignment); !written)
    return written.error();
  for (const auto& [student, each] : chosen) merged.graded.results.push_back(each.result);
  if (Status written = write_grades(into, merged.assignment, merged.graded); !written)
    return written.error();
  // What is damaged in one folder and whole in another is no loss.
  merged.graded.unread.clear();
  for (DamagedResult& each : unread) {
    if (chosen.count(each.student) == 0) merged.graded.unread.push_back(std::move(each));
  }
  return merged;
}

}  // namespace warpgrade
