// SPDX-License-Identifier: MIT
#include "course/handout_table.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "plan/words.h"
#include "report/text_report.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr std::string_view kBegin = "<!-- rubric:begin -->\n";
constexpr std::string_view kEnd = "<!-- rubric:end -->\n";

/// A bar would end the table's cell.
std::string cell(std::string_view text) { return join(split(text, '|'), "\\|"); }

/// The sentence about these items; nothing where there are none.
std::string named(const std::string& language, const std::string& sentence,
                  std::vector<std::string> ids) {
  for (std::string& id : ids) id = "`" + id + "`";
  return ids.empty() ? "" : say_in(language, sentence, {{"items", join(ids, ", ")}}).text;
}

/// The demands with their values, below the title.
std::string details(const Item& item, const std::string& language) {
  std::string text;
  if (item.kind == ItemKind::kBuild) return text;
  for (const std::string& demand : demands_of(item, language)) text += "<br>" + cell(demand) + ".";
  return text;
}

}  // namespace

std::string rubric_table(const Rubric& rubric, const std::string& language) {
  std::string table =
      fmt::format("| {} | {} | {} |\n|---|---|---|\n", say_in(language, "handout.item").text,
                  say_in(language, "handout.points").text, say_in(language, "handout.holds").text);
  for (const Item& item : rubric.items) {
    table += fmt::format("| `{}` | {} | **{}**{}{}{} |\n", item.id, format_points(item.points),
                         cell(item.title), named(language, "handout.needs", item.needs),
                         named(language, "handout.where_passed", item.where_passed),
                         details(item, language));
  }
  return table;
}

Result<std::string> with_rubric_table(std::string_view handout, const Rubric& rubric,
                                      const std::string& language) {
  const size_t begin = handout.find(kBegin);
  const size_t end = begin == std::string_view::npos ? begin : handout.find(kEnd, begin);
  if (end == std::string_view::npos)
    return Error{
        "the handout has no lines <!-- rubric:begin --> and <!-- rubric:end -->: write both where "
        "the table of points belongs, and `warpgrade check --write` fills it"};
  const std::string_view before = handout.substr(0, begin + kBegin.size());
  return std::string(before) + rubric_table(rubric, language) + std::string(handout.substr(end));
}

fs::path statement_in(const fs::path& assignment, const std::string& language) {
  return assignment / fmt::format("handout.{}.md", language);
}

Result<std::map<fs::path, std::string>> translated_statements(const Files& files,
                                                              const Paths& paths,
                                                              const std::string& slug) {
  std::map<fs::path, std::string> statements;
  for (const std::string& language : languages()) {
    const fs::path page = statement_in(paths.assignment(slug), language);
    if (!files.exists(page)) continue;
    const Result<Rubric> rubric = read_rubric(files, paths.rubric(slug), language);
    if (!rubric) return rubric.error();
    const Result<std::string> old = files.read(page);
    if (!old) return old.error();
    const Result<std::string> text = with_rubric_table(*old, *rubric, language);
    if (!text) return Error{fmt::format("{}: {}", page.string(), text.error().message)};
    statements.emplace(page, *text);
  }
  return statements;
}

}  // namespace warpgrade
