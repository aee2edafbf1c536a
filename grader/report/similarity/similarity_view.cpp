// SPDX-License-Identifier: MIT
#include "report/similarity/similarity_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/class_groups.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kMostBeside = 20, kMostPassageLines = 600, kMostPassageColumns = 160;

/// One of two programs, and its lines in each shared passage.
struct Side {
  const SubmissionResult& result;
  LineRange SharedPassage::*lines;
};

/// The passage, counted from 1, that holds a line; 0 for none.
size_t passage_at(const SimilarPair& pair, LineRange SharedPassage::*lines, size_t line) {
  for (size_t i = 0; i < pair.passages.size(); ++i) {
    const LineRange& range = pair.passages[i].*lines;
    if (range.first <= line && line <= range.last) return i + 1;
  }
  return 0;
}

std::string format_source(const SimilarPair& pair, const Side& side, const std::string& source,
                          size_t number, const Words& words) {
  const std::vector<std::string> lines = source_lines(source);
  const size_t shown = std::min(lines.size(), kMostPassageLines);
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    const size_t passage = passage_at(pair, side.lines, i + 1);
    const std::string text =
        html_text(fmt::format("{:>3} {:>4}  {}", passage == 0 ? "" : std::to_string(passage), i + 1,
                              shorten(lines[i], kMostPassageColumns)));
    out += passage == 0 ? text + '\n' : fmt::format("<mark>{}</mark>\n", text);
  }
  if (shown < lines.size())
    out += html_text(words("class.more_lines", {{"count", lines.size() - shown}})) + '\n';
  return fmt::format(
      "<div><p>{}</p><pre class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">{}</pre></div>\n",
      link_to(side.result),
      html_text(words("class.pair_source", {{"number", number}, {"name", side.result.student}})),
      out);
}

std::string format_beside(const SimilarPair& pair, const SubmissionResult& a,
                          const SubmissionResult& b, const SourceOf& source_of, size_t number,
                          const Words& words) {
  const std::string first = source_of(a), second = source_of(b);
  if (first.empty() || second.empty()) return {};
  return fmt::format(
      "<details id=\"pair-{}\"><summary>{}</summary>\n<p>{}</p>\n"
      "<div class=\"beside\">\n{}{}</div></details>\n",
      number,
      html_text(words("class.beside", {{"number", number}, {"a", a.student}, {"b", b.student}})),
      html_text(words("class.beside_note")),
      format_source(pair, {a, &SharedPassage::a}, first, number, words),
      format_source(pair, {b, &SharedPassage::b}, second, number, words));
}

std::string format_row(const SimilarPair& pair, const SubmissionResult& a,
                       const SubmissionResult& b, size_t number, const Words& words) {
  return html_number(static_cast<double>(number), std::to_string(number)) +
         fmt::format("<td>{}</td><td>{}</td>", link_to(a), link_to(b)) +
         html_number(pair.similarity, fmt::format("{:.0f} %", 100 * pair.similarity)) +
         html_number(static_cast<double>(pair.longest_tokens),
                     words("class.tokens", {{"count", pair.longest_tokens}})) +
         html_number(static_cast<double>(pair.passages.size()),
                     std::to_string(pair.passages.size()));
}

/// The result that was compared; nullptr where the student has handed in something else since.
const SubmissionResult* find_compared(const std::vector<SubmissionResult>& results,
                                      const ComparedSubmission& compared) {
  const auto found =
      std::find_if(results.begin(), results.end(), [&](const SubmissionResult& each) {
        return each.student == compared.student && submission_hash_of(each) == compared.hash;
      });
  return found == results.end() ? nullptr : &*found;
}

}  // namespace

std::string similarity_section(const std::vector<SubmissionResult>& results,
                               const std::vector<SimilarPair>& pairs, const SourceOf& source_of) {
  if (pairs.empty()) return {};
  const Words words(language_of(results));
  HtmlTable table{"similarity", words("class.similar_caption"), {}, {}};
  table.headings = {words("class.pair"),       words("class.student"), words("class.other_student"),
                    words("class.similarity"), words("class.longest"), words("class.passages")};
  std::string beside;
  size_t changed = 0;
  for (const SimilarPair& pair : pairs) {
    const SubmissionResult* const a = find_compared(results, pair.a);
    const SubmissionResult* const b = find_compared(results, pair.b);
    if (a == nullptr || b == nullptr) {
      ++changed;
      continue;
    }
    const size_t number = table.rows.size() + 1;
    table.rows.push_back(format_row(pair, *a, *b, number, words));
    if (source_of && number <= kMostBeside)
      beside += format_beside(pair, *a, *b, source_of, number, words);
  }
  const std::string stale =
      changed == 0 ? ""
                   : fmt::format("<p class=\"note\">{}</p>\n",
                                 html_text(words("class.pairs_changed", {{"count", changed}})));
  return html_section(words("class.similar")) +
         fmt::format("<p>{}</p>\n", html_text(words("class.similar_note"))) + stale +
         format_table(table) + beside + "</section>\n";
}

}  // namespace warpgrade
