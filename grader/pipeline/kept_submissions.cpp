// SPDX-License-Identifier: MIT
#include "pipeline/kept_submissions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sentences/say.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

/// Holds why a submission cannot be graded. It has no suffix that a submitted file has.
constexpr const char* kProblem = "problem.json";
/// What graders wrote whose reasons had words alone.
constexpr const char* kEarlierProblem = "problem.txt";

std::string format_problem(const Sentence& problem) {
  if (problem.empty()) return {};
  const Json json = {{"id", problem.id}, {"args", problem.args}, {"text", problem.text}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Sentence> read_problem(const Files& files, const fs::path& folder) {
  const bool is_earlier = !files.exists(folder / kProblem);
  if (is_earlier && !files.exists(folder / kEarlierProblem)) return Sentence();
  const Result<std::string> text = files.read(folder / (is_earlier ? kEarlierProblem : kProblem));
  if (!text) return text.error();
  if (is_earlier) return say("intake.told", {{"why", *text}});
  try {
    const Json json = Json::parse(*text);
    return Sentence{json.at("id"), json.at("args"), json.at("text")};
  } catch (const Json::exception& problem) {
    return Error{fmt::format("{}: {}", (folder / kProblem).string(), problem.what())};
  }
}

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
  if (Status removed = put(folder / kEarlierProblem, ""); !removed) return removed;
  return put(folder / kProblem, format_problem(submission.problem));
}

Result<Submission> KeptSubmissions::read(const std::string& student) const {
  const RealFiles files;
  const fs::path folder = folder_ / student;
  Submission submission{student, folder / file_name_, {}, {}, {}};
  const bool has_source = files.exists(submission.path);
  const Result<Sentence> problem = read_problem(files, folder);
  if (!problem) return problem.error();
  if (!has_source && problem->empty())
    return Error{fmt::format("{} holds no submission of {}: grade it from where it was handed in",
                             folder_.string(), student)};
  const Result<std::string> source =
      has_source ? files.read(submission.path) : Result<std::string>(std::string());
  if (!source) return source.error();
  submission.source = *source;
  submission.problem = *problem;
  return submission;
}

}  // namespace warpgrade
