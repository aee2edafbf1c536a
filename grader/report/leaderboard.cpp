// SPDX-License-Identifier: MIT
#include "report/leaderboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/class_groups.h"
#include "report/html.h"
#include "report/pseudonym.h"
#include "report/text_report.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

using Results = std::vector<SubmissionResult>;

constexpr int kSchema = 1;

/// Who reads a ranking.
enum class Reader { kStaff, kStudents };

const ItemResult* find_item(const SubmissionResult& result, const std::string& id) {
  const auto found = std::find_if(result.items.begin(), result.items.end(),
                                  [&](const ItemResult& item) { return item.id == id; });
  return found == result.items.end() ? nullptr : &*found;
}

/// The student's speed in the ranking's case; nullptr where the student is not to be ranked.
const Speed* speed_in(const SubmissionResult& result, const Ranking& ranking) {
  const ItemResult* const item = find_item(result, ranking.item);
  if (item == nullptr || item->points <= 0) return nullptr;
  for (const Speed& speed : result.speeds) {
    const std::optional<double> value = speed.measured ? speed.measured : speed.modelled;
    const bool is_meant = speed.item_id == ranking.item && speed.case_id == ranking.case_id;
    if (is_meant && value && std::isfinite(*value)) return &speed;
  }
  return nullptr;
}

void rank(const Results& results, Ranking& ranking, bool is_less_better) {
  for (size_t i = 0; i < results.size(); ++i) {
    const Speed* const speed = speed_in(results[i], ranking);
    if (speed == nullptr) continue;
    const bool is_measured = speed->measured.has_value();
    ranking.rows.push_back({0, i, is_measured ? *speed->measured : *speed->modelled, is_measured});
  }
  std::stable_sort(ranking.rows.begin(), ranking.rows.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.is_measured != b.is_measured) return a.is_measured;
    return is_less_better ? a.value < b.value : a.value > b.value;
  });
  for (size_t i = 0; i < ranking.rows.size(); ++i) {
    const bool is_tie = i > 0 && ranking.rows[i].value == ranking.rows[i - 1].value &&
                        ranking.rows[i].is_measured == ranking.rows[i - 1].is_measured;
    ranking.rows[i].rank = is_tie ? ranking.rows[i - 1].rank : i + 1;
  }
}

std::string format_ranking(const Results& results, const Ranking& ranking,
                           const LeaderboardTerms& terms, Reader reader, const Words& words) {
  const bool is_staff = reader == Reader::kStaff;
  HtmlTable table{"ranking-" + ranking.item, ranking.title, {}, {}};
  table.headings = {words("class.rank"), words("class.pseudonym"), words("page.speed"),
                    words("class.from")};
  if (is_staff) {
    table.caption = words("class.ranking", {{"title", ranking.title}, {"case", ranking.case_id}});
    table.headings.push_back(words("class.student"));
  }
  for (const Ranked& row : ranking.rows) {
    const SubmissionResult& result = results[row.student];
    table.rows.push_back(
        html_number(static_cast<double>(row.rank), std::to_string(row.rank)) +
        fmt::format("<th scope=\"row\">{}</th>",
                    html_text(pseudonym_of(terms.seed, result.assignment, result.student))) +
        html_number(row.value, fmt::format("{:.3g}", row.value)) +
        html_cell(words(row.is_measured ? "class.from_gpu" : "class.from_model")) +
        (is_staff ? fmt::format("<td>{}</td>", link_to(result)) : ""));
  }
  return format_table(table);
}

std::string format_rankings(const Results& results, const LeaderboardTerms& terms, Reader reader) {
  const Words words(language_of(results));
  std::string out;
  for (const Ranking& ranking : rankings_of(results, terms))
    out += format_ranking(results, ranking, terms, reader, words);
  return out;
}

}  // namespace

std::string format_less_is_better(const std::vector<std::string>& items) {
  return nlohmann::ordered_json{{"schema", kSchema}, {"less_is_better", items}}.dump(2) + '\n';
}

Result<std::vector<std::string>> parse_less_is_better(std::string_view json) {
  try {
    const auto root = nlohmann::ordered_json::parse(json);
    if (root.at("schema").get<int>() != kSchema) return Error{"its schema is unknown"};
    return root.at("less_is_better").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& problem) {
    return Error{problem.what()};
  }
}

std::vector<Ranking> rankings_of(const Results& results, const LeaderboardTerms& terms) {
  std::vector<Ranking> rankings;
  for (const SubmissionResult& result : results) {
    for (const Speed& speed : result.speeds) {
      auto known = std::find_if(rankings.begin(), rankings.end(),
                                [&](const Ranking& each) { return each.item == speed.item_id; });
      const ItemResult* const item = find_item(result, speed.item_id);
      if (item == nullptr) continue;
      if (known == rankings.end())
        known = rankings.insert(known, {speed.item_id, item->title, {}, {}});
      known->case_id = speed.case_id;
    }
  }
  const std::vector<std::string>& times = terms.less_is_better;
  for (Ranking& ranking : rankings)
    rank(results, ranking, std::find(times.begin(), times.end(), ranking.item) != times.end());
  std::erase_if(rankings, [](const Ranking& each) { return each.rows.empty(); });
  return rankings;
}

std::string leaderboard_section(const Results& results, const LeaderboardTerms& terms) {
  const std::string rankings = format_rankings(results, terms, Reader::kStaff);
  if (rankings.empty()) return {};
  const Words words(language_of(results));
  return html_section(words("class.leaderboard")) +
         fmt::format("<p>{}</p>\n", html_text(words("class.leaderboard_note"))) + rankings +
         "</section>\n";
}

std::string format_leaderboard(const Results& results, const LeaderboardTerms& terms) {
  const std::string rankings = format_rankings(results, terms, Reader::kStudents);
  if (rankings.empty()) return {};
  HtmlPage page;
  page.language = language_of(results);
  page.title =
      say_in(page.language, "class.leaderboard_title", {{"assignment", results.front().assignment}})
          .text;
  page.body = fmt::format("<header>\n<h1>{}</h1>\n</header>\n<main>\n{}</main>\n",
                          html_text(page.title), rankings);
  return format_page(page);
}

}  // namespace warpgrade
