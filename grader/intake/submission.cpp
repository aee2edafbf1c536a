// SPDX-License-Identifier: MIT
#include "intake/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/hash.h"
#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr size_t kMaxIdBytes = 64;
constexpr size_t kHashDigits = 8;
constexpr size_t kNamesShown = 5;

/// One place to look at: `relative` to a folder that the user named and that is trusted.
struct Candidate {
  fs::path inside;
  fs::path relative;
  std::string name;  ///< What the student is called after.
};

bool is_id_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

std::string with_hash(const std::string& id, const std::string& original) {
  return id.substr(0, kMaxIdBytes - kHashDigits - 1) + '-' +
         sha256_hex(original).substr(0, kHashDigits);
}

/// `name` as a safe id. One that had to change gets a hash of the original, so that no two names
/// share an id and each keeps its own when others come and go.
std::string student_id(const std::string& name) {
  std::string id = name;
  std::replace_if(
      id.begin(), id.end(), [](char c) { return !is_id_byte(c); }, '_');
  if (id.empty() || id[0] == '.' || id[0] == '-') id.insert(0, "_");
  if (id == name && id.size() <= kMaxIdBytes) return id;
  return with_hash(id, name);
}

/// Files that systems and archives leave behind; no student's work.
bool is_litter(const std::string& name) { return name[0] == '.' || name == "__MACOSX"; }

struct Candidates {
  std::vector<Candidate> all;
  std::vector<fs::path> skipped;
};

Result<Candidates> candidates_under(const Files& files, const fs::path& path,
                                    const std::string& file_name) {
  if (!files.exists(path)) return Error{fmt::format("{} does not exist", path.string())};
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path folder = whole.has_filename() ? whole : whole.parent_path();
  if (!files.is_folder(path)) {
    const bool is_named = path.filename() == file_name;
    const std::string name = (is_named ? whole.parent_path().filename() : whole.stem()).string();
    const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return Candidates{{{parent, path.filename(), name}}, {}};
  }
  if (files.exists(path / file_name)) {
    return Candidates{{{path, file_name, folder.filename().string()}}, {}};
  }
  const Result<std::vector<std::string>> names = files.list(path);
  if (!names) return names.error();
  Candidates found;
  for (const std::string& name : *names) {
    if (is_litter(name)) continue;
    const bool is_folder = files.is_folder(path / name);
    if (!is_folder && fs::path(name).extension() != fs::path(file_name).extension()) {
      found.skipped.push_back(path / name);
      continue;
    }
    found.all.push_back({path, is_folder ? fs::path(name) / file_name : fs::path(name),
                         is_folder ? name : fs::path(name).stem().string()});
  }
  if (found.all.empty()) return Error{fmt::format("{} holds no submissions", path.string())};
  return found;
}

/// What the student should know about a folder that lacks the file.
std::string describe_folder(const Files& files, const fs::path& folder) {
  Result<std::vector<std::string>> listed = files.list(folder);
  if (!listed || listed->empty()) return "the folder is empty";
  const size_t more = listed->size() - std::min(listed->size(), kNamesShown);
  listed->resize(listed->size() - more);
  return fmt::format("the folder holds {}{}", printable(join(*listed, ", ")),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Why `text` is no source file; empty where it may be one.
std::string text_problem(const std::string& text, const std::string& name) {
  if (trim(text).empty()) return name + " is empty";
  if (text.find('\0') != std::string::npos || !is_utf8(text)) {
    return name + " is not text (UTF-8); hand in the source file itself";
  }
  return {};
}

Submission read_candidate(const Files& files, const Candidate& candidate,
                          const std::string& file_name) {
  Submission submission{
      student_id(candidate.name), candidate.inside / candidate.relative, {}, {}, {}};
  const Result<UntrustedFile> file =
      files.read_untrusted(candidate.inside, candidate.relative, kMaxBytes);
  if (!file) {
    submission.system_error = file.error().message;
    return submission;
  }
  const std::string name = printable(candidate.relative.filename().string());
  submission.problem = file->refusal.empty() ? text_problem(file->contents, name) : file->refusal;
  const bool is_missing = file->refusal == file_name + " is missing";
  if (is_missing)
    submission.problem += "; " + describe_folder(files, submission.path.parent_path());
  if (submission.problem.empty()) submission.source = file->contents;
  return submission;
}

/// A folder "bob" and a file "bob.cu" must not share a result.
void make_unique(std::vector<Submission>& submissions) {
  std::set<std::string> taken;
  for (Submission& each : submissions) {
    if (!taken.insert(each.student).second) {
      each.student = with_hash(each.student, each.path.filename().string());
      taken.insert(each.student);
    }
  }
}

}  // namespace

Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const std::string& file_name) {
  const Result<Candidates> candidates = candidates_under(files, path, file_name);
  if (!candidates) return candidates.error();
  Submissions submissions;
  for (const Candidate& each : candidates->all)
    submissions.all.push_back(read_candidate(files, each, file_name));
  make_unique(submissions.all);
  submissions.skipped = candidates->skipped;
  return submissions;
}

}  // namespace warpgrade
