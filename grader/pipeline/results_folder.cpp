// SPDX-License-Identifier: MIT
#include "pipeline/results_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "base/text.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr size_t kSeedDigits = 16;
constexpr int kMostKept = 1000;

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

Result<uint64_t> ResultsFolder::seed() const {
  RealFiles files;
  const fs::path path = folder_ / "seed";
  if (!files.exists(path)) {
    const uint64_t seed = fresh_seed();
    if (Status written = files.write(path, fmt::format("{:016x}\n", seed)); !written)
      return written.error();
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, ignored);
    return seed;
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

Status ResultsFolder::write(const SubmissionResult& result) const {
  return RealFiles().write(path(result.student), seal_result(format_json(result)));
}

Status ResultsFolder::write_report(const SubmissionResult& result) const {
  return RealFiles().write(folder_ / "students" / (result.student + ".txt"),
                           format_report(for_student(result)));
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
