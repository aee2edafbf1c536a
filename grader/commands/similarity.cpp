// SPDX-License-Identifier: MIT
#include "commands/similarity.h"

#include <fmt/format.h>

#include <memory>

#include "base/hash.h"
#include "base/text.h"
#include "commands/stored_class.h"
#include "pipeline/class_files.h"
#include "pipeline/kept_submissions.h"
#include "report/similarity/similar_pair.h"

namespace warpgrade {
namespace {

struct SimilarityRequest {
  fs::path folder;
  int at_least_percent = 30;
  size_t most = 50;
};

/// Sources of the results, in their order. Names on stderr whose source DIR lacks.
std::vector<std::string> sources_of(const KeptSubmissions& kept,
                                    const std::vector<SubmissionResult>& results) {
  std::vector<std::string> sources;
  for (const SubmissionResult& result : results) {
    const Result<Submission> submission = kept.read(result.student);
    const bool is_graded =
        submission && sha256_hex(submission->source) == submission_hash_of(result);
    sources.push_back(is_graded ? submission->source : "");
    const bool was_empty = submission_hash_of(result) == sha256_hex("");
    if (!is_graded)
      fmt::print(
          stderr, "{} is not compared: {}\n", printable(result.student),
          was_empty ? "it held nothing to grade" : "submissions/ lacks the source that was graded");
  }
  return sources;
}

void print_pairs(const std::vector<SimilarPair>& pairs, const SimilarityRequest& request) {
  for (const SimilarPair& pair : pairs)
    fmt::print("{:>3.0f} %  {:>4} tokens in a row  {}, {}\n", 100 * pair.similarity,
               pair.longest_tokens, printable(pair.a.student), printable(pair.b.student));
  fmt::print(
      "{} of at least {} %. Look at the programs before you judge: {} shows them side by side\n",
      counted(static_cast<long>(pairs.size()), "pair"), request.at_least_percent,
      printable((request.folder / "index.html").string()));
}

int similarity_command(const Options& options, const SimilarityRequest& request) {
  const Result<StoredClass> stored = read_class(request.folder);
  if (!stored) return complain(stored.error(), kUsage);
  const Result<Rubric> rubric = load_rubric(options, stored->assignment);
  if (!rubric) return complain(rubric.error(), kUsage);
  const fs::path skeleton = find_paths(options).skeleton(rubric->assignment) / rubric->submission;
  const Result<std::string> given = RealFiles().read(skeleton);
  if (!given) return complain(given.error(), kUsage);
  const ResultsFolder folder(request.folder, stored->assignment);
  const KeptSubmissions kept(request.folder, rubric->submission);
  const std::vector<SimilarPair> pairs =
      similar_pairs(stored->results, sources_of(kept, stored->results),
                    {*given, request.at_least_percent / 100.0, request.most});
  Status written = RealFiles().write(request.folder / kSimilarityFile, format_similar_pairs(pairs));
  if (written) written = folder.write_class_page(stored->results);
  if (!written) return complain(written.error(), kNotAll);
  print_pairs(pairs, request);
  return kAllGood;
}

}  // namespace

void add_similarity(CLI::App& app, Options& options) {
  const auto request = std::make_shared<SimilarityRequest>();
  CLI::App* command = add_command(
      app, options, "similarity", "Show programs that resemble each other, for a person to judge",
      "warpgrade similarity results/lab1\n\nCompares all programs of DIR by Winnowing, without the "
      "skeleton and what most of the class shares, and shows the pairs in DIR/index.html side by "
      "side. Names, comments, layout and the order of functions do not hide a copy. It moves no "
      "points. Exit: 0, 1 where a file could not be written, 2 usage.",
      [request](const Options& all) { return similarity_command(all, *request); });
  command->add_option("DIR", request->folder, "The folder that grade wrote")->required();
  command
      ->add_option("--at-least", request->at_least_percent,
                   "Percent of likeness from which a pair counts")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--most", request->most, "Pairs to show")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

}  // namespace warpgrade
