// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "report/result.h"

namespace warpgrade {

/// What DIR holds of one student: a result, or a file that is none any more and why, or nothing.
struct StoredResult {
  std::optional<SubmissionResult> result;
  std::string damage;
};

/// A result that was edited, torn or lost, by its student.
struct DamagedResult {
  std::string student;
  std::string why;
};

/// DIR: results/<student>.json, earlier/<student>/<time>.json, submissions/<student>/, students/<student>.txt and .html,
/// index.html, seed and grades.csv of one assignment.
class ResultsFolder {
 public:
  ResultsFolder(fs::path folder, std::string assignment)
      : folder_(std::move(folder)), assignment_(std::move(assignment)) {}

  /// An Error with a remedy where results of another assignment lie there.
  Status refuse_others() const;

  /// DIR's seed: made at first, once however many processes ask, and kept so that a batch that goes on
  /// later sees the same inputs. An Error with a remedy where the file is damaged.
  Result<uint64_t> seed() const;

  StoredResult stored(const std::string& student) const;
  /// Students with a file in results/, sorted.
  std::vector<std::string> students() const;

  /// Keeps a result that it replaces by another one in earlier/, under the time of that one.
  Status write(const SubmissionResult& result) const;
  /// What the student may read of it, as text and as a page: all, where hidden cases are released.
  Status write_report(const SubmissionResult& result) const;
  /// The class's page, for the staff.
  Status write_class_page(const std::vector<SubmissionResult>& whole_class) const;

  /// Whether students may read about hidden cases.
  bool is_released() const;
  Status set_released(bool is_released) const;

  /// Keeps a damaged file under another name, so that a new result does not replace it.
  Status put_aside(const std::string& student) const;
  /// The kept source that the result is of (KeptSubmissions); empty where it is missing or was edited.
  std::string source_of(const SubmissionResult& result) const;

 private:
  Status make_seed() const;
  Status keep_earlier(const std::string& student, const std::string& next) const;
  fs::path path(const std::string& student) const {
    return folder_ / "results" / (student + ".json");
  }

  fs::path folder_;
  std::string assignment_;
};

/// 64 bits as 16 hexadecimal digits and a newline, and nothing else.
std::optional<uint64_t> parse_seed(std::string_view text);

/// A seed that nobody can guess.
uint64_t fresh_seed();

}  // namespace warpgrade
