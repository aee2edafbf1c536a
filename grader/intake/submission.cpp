// SPDX-License-Identifier: MIT
#include "intake/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "intake/archive/archive_name.h"
#include "intake/downloads/choice.h"
#include "intake/people/name_key.h"
#include "intake/refusal.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr size_t kMostDownloadBytes = size_t{2} << 30;
constexpr size_t kMaxIdBytes = 64;
constexpr size_t kHashDigits = 8;

std::string with_hash(const std::string& id, const std::string& original) {
  return id.substr(0, kMaxIdBytes - kHashDigits - 1) + '-' +
         sha256_hex(original).substr(0, kHashDigits);
}

/// `name` as a safe id. One that had to change gets a hash of the original, so that no two names
/// share an id and each keeps its own when others come and go.
std::string student_id(const std::string& name) {
  const bool is_ascii =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x80; });
  std::string id = is_ascii ? name : ascii_name(name);
  std::replace_if(
      id.begin(), id.end(), [](char c) { return !is_id_byte(c); }, '_');
  if (id.empty() || id[0] == '.' || id[0] == '-') id.insert(0, "_");
  if (id == name && id.size() <= kMaxIdBytes) return id;
  return with_hash(id, name);
}

/// Why `text` is no source file; empty where it may be one.
Sentence text_problem(const std::string& text, const std::string& name) {
  if (trim(text).empty()) return say("intake.empty", {{"name", name}});
  if (text.find('\0') != std::string::npos || !is_utf8(text))
    return say("intake.no_text", {{"name", name}});
  return {};
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(path.begin(), path.end(), folder.begin(), folder.end()).second ==
         folder.end();
}

/// Turns what the names of a download say into submissions.
class Reader {
 public:
  Reader(const Files& files, const Listing& listing, const IntakeOptions& options)
      : files_(files), listing_(listing), options_(options) {
    for (const auto& [name, contents] : options.staff_files) staff_names_.push_back(name);
  }

  Submissions read(const Claims& claims);

 private:
  Submission read_attempts(const std::vector<Claim>& attempts);
  void read_claim(const Claim& claim, Submission& submission);
  void read_file(const ClaimedFile& file, Submission& submission);
  void note_edits(const Claim& claim, Submission& submission);
  Result<UntrustedFile> contents_of(const HandedFile& file);
  const ClosedFolder* closed_of(const Claim& claim) const;

  const Files& files_;
  const Listing& listing_;
  const IntakeOptions& options_;
  std::vector<std::string> staff_names_;
};

Result<UntrustedFile> Reader::contents_of(const HandedFile& file) {
  if (file.archived) return UntrustedFile{file.archived->contents, file.archived->refusal};
  return files_.read_untrusted(listing_.root, file.place, kMaxBytes);
}

/// What keeps the grader from looking into some part of a claim; null where nothing does.
const ClosedFolder* Reader::closed_of(const Claim& claim) const {
  for (const auto& [path, closed] : listing_.closed) {
    for (const fs::path& place : claim.places) {
      if (lies_below(path, place)) return &closed;
    }
  }
  return nullptr;
}

void Reader::read_file(const ClaimedFile& chosen, Submission& submission) {
  const HandedFile& handed = listing_.files[chosen.index];
  submission.path = listing_.root / (handed.archived ? handed.path : handed.place);
  submission.identity.handed_in = handed.path.string();
  if (handed.archived) submission.written = handed.archived->written;
  const Result<UntrustedFile> file = contents_of(handed);
  if (!file) {
    submission.system_error = file.error().message;
    return;
  }
  const std::string name = printable(chosen.name.filename().string());
  submission.problem =
      file->refusal.empty() ? text_problem(file->contents, name) : say_refusal(file->refusal);
  if (submission.problem.empty()) submission.source = file->contents;
}

/// Names each of the staff's files of which the student hands in no unchanged copy.
void Reader::note_edits(const Claim& claim, Submission& submission) {
  const auto without_cr = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    return text;
  };
  for (const auto& [name, original] : options_.staff_files) {
    bool is_there = false, is_unchanged = false;
    for (const ClaimedFile& file : claim.files) {
      if (file.name.filename() != name) continue;
      const Result<UntrustedFile> copy = contents_of(listing_.files[file.index]);
      is_there = is_there || (copy && copy->refusal.empty());
      is_unchanged = is_unchanged || (copy && without_cr(copy->contents) == without_cr(original));
    }
    if (is_there && !is_unchanged)
      submission.notes.push_back(
          fmt::format("the student's {} differs from the course's, which is used instead", name));
  }
}

void Reader::read_claim(const Claim& claim, Submission& submission) {
  const bool is_the_file = claim.is_named_freely && claim.files.size() == 1;
  const Choice choice = is_the_file ? Choice{claim.files[0]}
                                    : choose_file(claim.files, options_.file_name, staff_names_);
  const ClosedFolder* closed = choice.file ? nullptr : closed_of(claim);
  if (choice.file) {
    read_file(*choice.file, submission);
  } else if (closed != nullptr) {
    submission.problem = say_refusal(closed->problem);
    submission.system_error = closed->system_error;
  } else {
    submission.problem = choice.problem;
  }
  if (!choice.note.empty()) submission.notes.push_back(choice.note);
  for (const fs::path& earlier : choice.earlier)
    submission.notes.push_back(
        fmt::format("a later upload replaces an earlier {}", printable(earlier.string())));
  note_edits(claim, submission);
}

Submission Reader::read_attempts(const std::vector<Claim>& attempts) {
  const Claim& claim = attempts[latest_attempt(attempts)];
  Submission submission{student_id(claim.student), {}, {}, {}, {}, claim.identity};
  const fs::path place = claim.places.empty() ? fs::path() : claim.places[0];
  submission.path = listing_.root / place / options_.file_name;
  submission.identity.handed_in = place.string();
  submission.submitted = claim.submitted;
  submission.is_marked_late = claim.is_marked_late;
  for (const fs::path& repository : listing_.repositories) {
    if (lies_below(place, repository)) submission.repository = listing_.root / repository;
  }
  read_claim(claim, submission);
  for (const Claim& other : attempts) {
    if (&other == &claim || other.places.empty()) continue;
    submission.notes.push_back(fmt::format("{} replaces the earlier {}", printable(place.string()),
                                           printable(other.places[0].string())));
  }
  return submission;
}

/// A folder "bob" and a file "bob.cu" must not share a result. `claims` and submissions are in the same order. An id that was made
/// of a name is settled first, so that no submission takes it by its own name.
void make_unique(const std::vector<Claim>& claims, Submissions& submissions) {
  std::vector<size_t> order(claims.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t i) { return submissions.all[i].student != claims[i].student; });
  std::set<std::string> taken;
  for (const size_t i : order) {
    Submission& each = submissions.all[i];
    if (taken.insert(each.student).second) continue;
    const std::string twin = each.student;
    do {
      each.student = with_hash(each.student, claims[i].key);
    } while (!taken.insert(each.student).second);
    submissions.notes.push_back(fmt::format("two submissions are called {}: {} is graded as {}",
                                            twin, printable(each.identity.handed_in),
                                            each.student));
  }
}

Submissions Reader::read(const Claims& claims) {
  std::vector<std::string> keys;
  std::map<std::string, std::vector<Claim>> attempts;
  for (const Claim& claim : claims.all) {
    std::vector<Claim>& same = attempts[claim.key];
    if (same.empty()) keys.push_back(claim.key);
    same.push_back(claim);
  }
  Submissions submissions{claims.format, {}, {}, listing_.notes};
  std::vector<Claim> latest;
  for (const std::string& key : keys) {
    const std::vector<Claim>& same = attempts[key];
    latest.push_back(same[latest_attempt(same)]);
    submissions.all.push_back(read_attempts(same));
  }
  make_unique(latest, submissions);
  for (const fs::path& path : claims.skipped) submissions.skipped.push_back(listing_.root / path);
  submissions.notes.insert(submissions.notes.end(), claims.notes.begin(), claims.notes.end());
  return submissions;
}

/// All of a listing as the work of one student.
Claims one_student(const Listing& listing, const std::string& student) {
  Claim claim{student, student, {fs::path()}};
  for (size_t i = 0; i < listing.files.size(); ++i)
    claim.files.push_back({i, listing.files[i].path});
  return {{}, {claim}};
}

std::string name_of_folder(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// One file that the user names. Its folder is trusted.
Result<Submissions> read_one_file(const Files& files, const fs::path& path,
                                  const IntakeOptions& options) {
  const bool is_named = path.filename() == options.file_name;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Listing listing{parent, {{path.filename(), path.filename()}}, {}, {}, {}, {}};
  Claim claim{is_named ? name_of_folder(parent) : path.stem().string(), "", {path.filename()}};
  claim.files = {{0, path.filename()}};
  claim.is_named_freely = true;
  Submissions submissions = Reader(files, listing, {options.file_name}).read({{}, {claim}});
  return submissions;
}

Result<Listing> list_download(const Files& files, const fs::path& path,
                              const IntakeOptions& options) {
  if (files.is_folder(path)) {
    Result<Listing> listing = list_folder(files, path, kGradescopeList);
    if (!listing || options.unpacker == nullptr) return listing;
    return open_archives(std::move(*listing), files, *options.unpacker, options.jobs);
  }
  const Result<std::string> bytes = files.read(path, kMostDownloadBytes);
  if (!bytes) return bytes.error();
  UnpackedArchive unpacked = options.unpacker->unpack(*bytes, 2, 0);
  if (!unpacked.refusal.empty() || !unpacked.system_error.empty())
    return Error{unpacked.system_error.empty() ? say_refusal(unpacked.refusal, path.string()).text
                                               : fmt::format("{} cannot be unpacked: {}",
                                                             path.string(), unpacked.system_error)};
  return list_archive(path, std::move(unpacked));
}

/// Whether the file lies right here, so that all of this is one student's.
bool holds_the_file(const Listing& listing, const std::string& file_name) {
  return std::any_of(listing.files.begin(), listing.files.end(), [&](const HandedFile& file) {
    return name_key(file.path.string()) == name_key(file_name);
  });
}

/// An archive with a single source file is one student's, whatever lies beside it.
bool holds_one_source(const Listing& listing, const std::string& extension) {
  return std::count_if(listing.files.begin(), listing.files.end(), [&](const HandedFile& file) {
           return has_extension(file.path, extension);
         }) == 1;
}

Claims claims_of(const Listing& listing, const fs::path& path, bool is_packed,
                 const IntakeOptions& options) {
  const std::string extension = fs::path(options.file_name).extension().string();
  if (options.pattern != nullptr) return read_claims(listing, *options.pattern);
  if (holds_the_file(listing, options.file_name))
    return one_student(listing, is_packed ? path.stem().string() : name_of_folder(path));
  Claims claims = read_claims(listing, extension, is_packed);
  if (is_packed && claims.format.empty() && holds_one_source(listing, extension))
    return one_student(listing, path.stem().string());
  return claims;
}

}  // namespace

Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const IntakeOptions& options) {
  if (!files.exists(path)) return Error{fmt::format("{} does not exist", path.string())};
  const bool is_packed =
      !files.is_folder(path) && options.unpacker != nullptr && is_archive(path.filename());
  if (!files.is_folder(path) && !is_packed) return read_one_file(files, path, options);
  const Result<Listing> listing = list_download(files, path, options);
  if (!listing) return listing.error();
  const Claims claims = claims_of(*listing, path, is_packed, options);
  if (!claims.error.empty()) return Error{claims.error};
  if (claims.all.empty()) return Error{fmt::format("{} holds no submissions", path.string())};
  return Reader(files, *listing, options).read(claims);
}

Result<Submissions> read_submissions(const Files& files, const fs::path& path,
                                     const std::string& file_name) {
  return read_submissions(files, path, IntakeOptions{file_name});
}

}  // namespace warpgrade
