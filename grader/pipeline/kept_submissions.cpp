// SPDX-License-Identifier: MIT
#include "pipeline/kept_submissions.h"

#include <fmt/format.h>

namespace warpgrade {
namespace {

/// Holds why a submission cannot be graded. It has no suffix that a submitted file has.
constexpr const char* kProblem = "problem.txt";

/// The file with this text; no file where it is empty.
Status put(const fs::path& path, const std::string& text) {
  RealFiles files;
  std::error_code failed;
  if (text.empty()) {
    fs::remove(path, failed);
    return failed ? Error{fmt::format("cannot remove {}: {}", path.string(), failed.message())}
                  : Status();
  }
  if (files.exists(path)) {
    const Result<std::string> present = files.read(path);
    if (present && *present == text) return {};
  }
  return files.write(path, text);
}

}  // namespace

Status KeptSubmissions::keep(const Submission& submission) const {
  if (!submission.system_error.empty()) return {};
  const fs::path folder = folder_ / submission.student;
  if (Status kept = put(folder / file_name_, submission.source); !kept) return kept;
  return put(folder / kProblem, submission.problem);
}

Result<Submission> KeptSubmissions::read(const std::string& student) const {
  const RealFiles files;
  const fs::path folder = folder_ / student;
  Submission submission{student, folder / file_name_, {}, {}, {}};
  const bool has_source = files.exists(submission.path),
             has_problem = files.exists(folder / kProblem);
  if (!has_source && !has_problem)
    return Error{fmt::format("{} holds no submission of {}: grade it from where it was handed in",
                             folder_.string(), student)};
  const Result<std::string> source =
      has_source ? files.read(submission.path) : Result<std::string>(std::string());
  const Result<std::string> problem =
      has_problem ? files.read(folder / kProblem) : Result<std::string>(std::string());
  if (!source) return source.error();
  if (!problem) return problem.error();
  submission.source = *source;
  submission.problem = *problem;
  return submission;
}

}  // namespace warpgrade
