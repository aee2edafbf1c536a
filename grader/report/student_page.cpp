// SPDX-License-Identifier: MIT
#include "report/student_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/charts/plot_view.h"
#include "report/charts/roofline.h"
#include "report/explanations.h"
#include "report/html.h"
#include "report/source_view.h"
#include "report/speed_view.h"
#include "report/text_report.h"
#include "report/web_assets.h"
#include "report/wrong_view.h"
#include "score/late.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

std::string note(std::string_view kind, std::string_view text) {
  return fmt::format("<p class=\"note {}\">{}</p>\n", kind, html_text(text));
}

std::string score_in_words(const SubmissionResult& result, const Words& words) {
  if (result.has_system_error()) return words("test.not_graded");
  return words("test.score",
               {{"score", format_points(result.score)}, {"most", format_points(result.max_score)}});
}

std::string provisional_badge(const Words& words) {
  return fmt::format(" <span class=\"badge\">{}</span>", html_text(words("report.provisional")));
}

std::string heading_section(const SubmissionResult& result, const Words& words) {
  const std::string& name = result.identity.name.empty() ? result.student : result.identity.name;
  std::string out = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"who\">{}</p>\n<p class=\"score\"><strong>{}</strong>{}"
      "</p>\n",
      html_text(result.assignment), html_text(name), html_text(score_in_words(result, words)),
      result.provisional ? provisional_badge(words) : "");
  if (result.has_system_error()) out += note("ours", words("page.ours"));
  if (result.provisional) out += note("provisional", words("page.provisional"));
  if (result.late) out += note("late", describe(*result.late, result.language));
  if (result.sandbox.is_unsafe) out += note("ours", words("sandbox.unsafe_result"));
  if (const std::string devices = device_words(result); !devices.empty())
    out += fmt::format("<p>{}</p>\n", html_text(devices));
  return out + "</header>\n";
}

std::string format_item(const ItemResult& item, const std::string& reason, const Words& words) {
  const std::string hidden =
      item.visibility == Visibility::kHidden
          ? fmt::format(" <small>{}</small>", html_text(words("page.hidden")))
          : "";
  const std::string provisional = item.provisional ? provisional_badge(words) : "";
  return fmt::format(
      "<tr class=\"{0}\"><td><span class=\"status {0}\">{1}</span></td><th scope=\"row\">{2}{3}{4}"
      "</th>{5}{6}<td class=\"reason\">{7}</td></tr>",
      to_string(item.status), html_text(status_word(item.status, words.language())),
      html_text(item.title), hidden, provisional,
      html_number(item.points, format_points(item.points)),
      html_number(item.max_points, format_points(item.max_points)), html_text(reason));
}

std::string format_items(const SubmissionResult& result, const Words& words) {
  HtmlTable table{"items", words("page.items_caption"), {}, {}};
  table.headings = {words("page.status"), words("handout.item"), words("handout.points"),
                    words("page.of"), words("page.reason")};
  Explanations explanations(words.language());
  for (const bool passed : {false, true}) {
    for (const ItemResult& item : result.items) {
      if ((item.status == Outcome::kPassed) == passed)
        table.rows.push_back(format_item(item, explanations.tell(item.message), words));
    }
  }
  return html_section(words("page.items")) + format_table(table) + "</section>\n";
}

std::string diagnostics_section(const SubmissionResult& result, const Words& words) {
  const std::string_view text = trim(result.diagnostics);
  if (text.empty()) return {};
  const std::string title = words("report.compiler");
  return html_section(title) + fmt::format(
                                   "<pre class=\"wide\" tabindex=\"0\" role=\"region\" "
                                   "aria-label=\"{}\">{}</pre></section>\n",
                                   html_text(title), html_text(text));
}

}  // namespace

std::string format_student_page(const SubmissionResult& result, std::string_view source,
                                bool shows_hidden) {
  const SubmissionResult open = shows_hidden ? result : for_student(result);
  const Words words(open.language);
  HtmlPage page;
  page.language = open.language;
  page.title = fmt::format("{}: {}", open.assignment, score_in_words(open, words));
  page.body = heading_section(open, words) + "<main>\n" + format_items(open, words) +
              wrong_section(open) + findings_section(open, source) + kernels_section(open) +
              plots_section(open) + roofline_section(open) + speeds_section(open) +
              diagnostics_section(open, words) + source_section(open, source) + "</main>\n";
  page.data = speed_model(open).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  page.script = kStudentScript;
  return format_page(page);
}

}  // namespace warpgrade
