// SPDX-License-Identifier: MIT
#include "pipeline/results_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "base/hash.h"
#include "base/text.h"
#include "pipeline/class_files.h"
#include "report/class_page.h"
#include "report/pseudonym.h"
#include "report/student_page.h"
#include "report/text_report.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr size_t kSeedDigits = 16;
constexpr size_t kNameDigits = 8;
constexpr const char* kReleased = "released";
constexpr int kMostKept = 1000;

/// What the page of the class keeps of `warpgrade similarity`; none where that never ran or its file is damaged.
std::vector<SimilarPair> similar_pairs_in(const fs::path& folder) {
  const Result<std::string> text = RealFiles().read(folder / kSimilarityFile);
  const Result<std::vector<SimilarPair>> pairs = text ? parse_similar_pairs(*text) : text.error();
  return pairs ? *pairs : std::vector<SimilarPair>();
}

/// What `warpgrade leaderboard` left; nothing where it never ran, or where the seed is missing that hides the students.
std::optional<LeaderboardTerms> leaderboard_terms_in(const fs::path& folder) {
  const RealFiles files;
  const Result<std::string> text = files.read(folder / kLeaderboardFile);
  const Result<std::string> seed_text = files.read(folder / "seed");
  if (!text || !seed_text) return std::nullopt;
  const Result<std::vector<std::string>> times = parse_less_is_better(*text);
  const std::optional<uint64_t> seed = parse_seed(*seed_text);
  if (!times || !seed) return std::nullopt;
  return LeaderboardTerms{*seed, *times};
}

std::string leaderboard_line(const std::optional<LeaderboardTerms>& terms,
                             const SubmissionResult& result) {
  if (!terms) return {};
  const std::string name = pseudonym_of(terms->seed, result.assignment, result.student);
  return fmt::format("\n{}\n",
                     say_in(result.language, "report.leaderboard", {{"name", name}}).text);
}

}  // namespace

std::optional<uint64_t> parse_seed(std::string_view text) {
  const bool is_whole = text.size() == kSeedDigits + 1 && text.back() == '\n' &&
                        std::all_of(text.begin(), text.end() - 1, [](char c) {
                          return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                        });
  if (!is_whole) return std::nullopt;
  return std::strtoull(std::string(text).c_str(), nullptr, 16);
}

uint64_t fresh_seed() {
  std::random_device entropy;
  return (static_cast<uint64_t>(entropy()) << 32) | entropy();
}

Status ResultsFolder::refuse_others() const {
  for (const std::string& student : students()) {
    // Whatever its hash: a result that was edited is of its assignment all the same.
    const Result<std::string> text = RealFiles().read(path(student));
    const Result<SubmissionResult> found = text ? parse_result(*text) : text.error();
    if (!found || found->assignment == assignment_) continue;
    return Error{
        fmt::format("{} holds results of {} ({}'s for one), and each assignment needs a folder of "
                    "its own: name "
                    "another one with -o; without -o it is results/{}",
                    folder_.string(), found->assignment, student, assignment_)};
  }
  return {};
}

Status ResultsFolder::make_seed() const {
  RealFiles files;
  const fs::path path = folder_ / "seed";
  const fs::path own = fmt::format("{}.{}", path.string(), hex64(fresh_seed()));
  if (Status written = files.write(own, fmt::format("{:016x}\n", fresh_seed())); !written)
    return written;
  std::error_code ignored, failed;
  fs::permissions(own, fs::perms::owner_read | fs::perms::owner_write, ignored);
  // A link never replaces: whoever comes second takes the first one's seed.
  fs::create_hard_link(own, path, failed);
  if (failed && !files.exists(path)) {
    // This file system knows no links, and hardly more than one machine.
    fs::rename(own, path, failed);
    if (failed) return Error{fmt::format("cannot write {}: {}", path.string(), failed.message())};
  }
  fs::remove(own, ignored);
  return {};
}

Result<uint64_t> ResultsFolder::seed() const {
  const RealFiles files;
  const fs::path path = folder_ / "seed";
  if (!files.exists(path)) {
    if (Status made = make_seed(); !made) return made.error();
  }
  constexpr size_t kMostBytes = 4096;
  const Result<std::string> text = files.read(path, kMostBytes);
  const std::optional<uint64_t> seed = text ? parse_seed(*text) : std::nullopt;
  if (seed) return *seed;
  return Error{
      fmt::format("{} is damaged: it must hold {} hexadecimal digits in one line, from which all "
                  "inputs are made. "
                  "Put back a copy of it; or remove it, and everyone is graded again on new inputs",
                  path.string(), kSeedDigits)};
}

StoredResult ResultsFolder::stored(const std::string& student) const {
  const RealFiles files;
  if (!files.exists(path(student))) return {};
  const Result<std::string> text = files.read(path(student));
  if (!text) return {{}, text.error().message};
  Result<SubmissionResult> result = open_sealed_result(*text);
  if (!result) return {{}, result.error().message};
  if (result->student != student)
    return {{}, fmt::format("it is a copy of the result of {}", printable(result->student))};
  return {std::move(*result), {}};
}

std::vector<std::string> ResultsFolder::students() const {
  const Result<std::vector<std::string>> names = RealFiles().list(folder_ / "results");
  std::vector<std::string> found;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (fs::path(name).extension() == ".json") found.push_back(fs::path(name).stem().string());
  }
  return found;
}

Status ResultsFolder::keep_earlier(const std::string& student, const std::string& next) const {
  RealFiles files;
  if (!files.exists(path(student))) return {};
  const Result<std::string> present = files.read(path(student));
  if (!present) return present.error();
  if (*present == next) return {};
  struct stat info {};
  ::stat(path(student).c_str(), &info);
  std::tm utc{};
  ::gmtime_r(&info.st_mtime, &utc);
  const std::string name =
      fmt::format("{:%Y-%m-%dT%H%M%S}Z-{}.json", utc, sha256_hex(*present).substr(0, kNameDigits));
  const fs::path kept = folder_ / "earlier" / student / name;
  return files.exists(kept) ? Status() : files.write(kept, *present);
}

Status ResultsFolder::write(const SubmissionResult& result) const {
  const std::string text = seal_result(format_json(result));
  if (Status kept = keep_earlier(result.student, text); !kept) return kept;
  return RealFiles().write(path(result.student), text);
}

std::string ResultsFolder::source_of(const SubmissionResult& result) const {
  const auto hash = result.inputs.find("submission");
  if (hash == result.inputs.end()) return {};
  const RealFiles files;
  const fs::path kept = folder_ / "submissions" / result.student;
  const Result<std::vector<std::string>> names = files.list(kept);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const Result<std::string> text = files.read(kept / name);
    if (text && sha256_hex(*text) == hash->second) return *text;
  }
  return {};
}

Status ResultsFolder::write_report(const SubmissionResult& result) const {
  const fs::path students = folder_ / "students";
  const bool all = is_released();
  const SubmissionResult shown = all ? result : for_student(result);
  const std::string source = source_of(result);
  ReportView view;
  view.source = source;
  const Status text = RealFiles().write(
      students / (result.student + ".txt"),
      format_report(shown, view) + leaderboard_line(leaderboard_terms_in(folder_), result));
  if (!text) return text;
  return RealFiles().write(students / (result.student + ".html"),
                           format_student_page(result, source, all));
}

Status ResultsFolder::write_class_page(const std::vector<SubmissionResult>& whole_class) const {
  ClassExtras extras;
  extras.source_of = [this](const SubmissionResult& result) { return source_of(result); };
  extras.similar = similar_pairs_in(folder_);
  extras.leaderboard = leaderboard_terms_in(folder_);
  const Status written =
      RealFiles().write(folder_ / "index.html", format_class_page(whole_class, extras));
  if (!written || !extras.leaderboard) return written;
  return RealFiles().write(folder_ / "leaderboard.html",
                           format_leaderboard(whole_class, *extras.leaderboard));
}

bool ResultsFolder::is_released() const { return RealFiles().exists(folder_ / kReleased); }

Status ResultsFolder::set_released(bool is_released) const {
  if (is_released) return RealFiles().write(folder_ / kReleased, "");
  std::error_code failed;
  fs::remove(folder_ / kReleased, failed);
  return failed ? Error{fmt::format("cannot remove {}: {}", (folder_ / kReleased).string(),
                                    failed.message())}
                : Status();
}

Status ResultsFolder::put_aside(const std::string& student) const {
  std::error_code failed;
  for (int i = 1; i < kMostKept; ++i) {
    const fs::path kept = fmt::format("{}.damaged-{}", path(student).string(), i);
    if (fs::exists(fs::symlink_status(kept, failed))) continue;
    fs::rename(path(student), kept, failed);
    break;
  }
  return failed
             ? Error{fmt::format("cannot rename {}: {}", path(student).string(), failed.message())}
             : Status();
}

}  // namespace warpgrade
