// SPDX-License-Identifier: MIT
#include "report/similarity/similar_pair.h"

#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json to_json(const ComparedSubmission& submission) {
  return {{"student", submission.student}, {"submission", submission.hash}};
}

Json to_json(const SharedPassage& passage) {
  return {{"tokens", passage.tokens},
          {"a", {passage.a.first, passage.a.last}},
          {"b", {passage.b.first, passage.b.last}}};
}

ComparedSubmission submission_of(const Json& json) {
  return {json.at("student").get<std::string>(), json.at("submission").get<std::string>()};
}

LineRange lines_of(const Json& json) {
  return {json.at(0).get<size_t>(), json.at(1).get<size_t>()};
}

SimilarPair pair_of(const Json& json) {
  SimilarPair pair{submission_of(json.at("a")),
                   submission_of(json.at("b")),
                   json.at("similarity").get<double>(),
                   json.at("longest_tokens").get<size_t>(),
                   {}};
  for (const Json& each : json.at("passages"))
    pair.passages.push_back(
        {each.at("tokens").get<size_t>(), lines_of(each.at("a")), lines_of(each.at("b"))});
  return pair;
}

bool are_one_group(const SubmissionResult& a, const SubmissionResult& b) {
  return !a.identity.group.empty() && a.identity.group == b.identity.group;
}

}  // namespace

std::string submission_hash_of(const SubmissionResult& result) {
  const auto found = result.inputs.find("submission");
  return found == result.inputs.end() ? "" : found->second;
}

std::vector<SimilarPair> similar_pairs(const std::vector<SubmissionResult>& results,
                                       const std::vector<std::string>& sources,
                                       const SimilarityOptions& options) {
  std::vector<SimilarPair> pairs;
  for (SimilarPrograms& each : similar_programs(sources, options)) {
    const SubmissionResult &a = results.at(each.a), &b = results.at(each.b);
    if (are_one_group(a, b)) continue;
    pairs.push_back({{a.student, submission_hash_of(a)},
                     {b.student, submission_hash_of(b)},
                     each.similarity,
                     each.longest_tokens,
                     std::move(each.passages)});
  }
  return pairs;
}

std::string format_similar_pairs(const std::vector<SimilarPair>& pairs) {
  Json list = Json::array();
  for (const SimilarPair& pair : pairs) {
    Json passages = Json::array();
    for (const SharedPassage& each : pair.passages) passages.push_back(to_json(each));
    list.push_back({{"a", to_json(pair.a)},
                    {"b", to_json(pair.b)},
                    {"similarity", pair.similarity},
                    {"longest_tokens", pair.longest_tokens},
                    {"passages", std::move(passages)}});
  }
  return Json{{"schema", kSchema}, {"pairs", std::move(list)}}.dump(2) + '\n';
}

Result<std::vector<SimilarPair>> parse_similar_pairs(std::string_view json) {
  try {
    const Json root = Json::parse(json);
    if (root.at("schema").get<int>() != kSchema) return Error{"its schema is unknown"};
    std::vector<SimilarPair> pairs;
    for (const Json& each : root.at("pairs")) pairs.push_back(pair_of(each));
    return pairs;
  } catch (const Json::exception& problem) {
    return Error{problem.what()};
  }
}

}  // namespace warpgrade
