// SPDX-License-Identifier: MIT
#include "report/student_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/html.h"
#include "report/roofline.h"
#include "report/source_view.h"
#include "report/speed_view.h"
#include "report/text_report.h"
#include "report/web_assets.h"
#include "report/wrong_view.h"
#include "score/late.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

std::string note(std::string_view kind, std::string_view text) {
  return fmt::format("<p class=\"note {}\">{}</p>\n", kind, html_text(text));
}

std::string score_in_words(const SubmissionResult& result) {
  if (result.has_system_error()) return "not graded";
  return fmt::format("{} of {}", format_points(result.score), format_points(result.max_score));
}

std::string heading_section(const SubmissionResult& result) {
  const std::string& name = result.identity.name.empty() ? result.student : result.identity.name;
  std::string out = fmt::format(
      "<header>\n<h1>{}</h1>\n<p class=\"who\">{}</p>\n<p class=\"score\"><strong>{}</strong>{}"
      "</p>\n",
      html_text(result.assignment), html_text(name), score_in_words(result),
      result.provisional ? " <span class=\"badge\">provisional</span>" : "");
  if (result.has_system_error())
    out += note("ours",
                "The grader could not judge every item, through no fault of this answer. "
                "The staff grades it again.");
  if (result.provisional)
    out += note("provisional",
                "Some items wait for a GPU or were judged by a model of one. Their "
                "points may still change.");
  if (result.late) out += note("late", describe(*result.late));
  if (result.sandbox.is_unsafe) out += note("ours", say("sandbox.unsafe_result").text);
  if (!result.devices.empty())
    out += fmt::format(
        "<p>Graded on {} {}: {}</p>\n", result.device_kind == "gpu" ? "the GPU" : "the emulated",
        result.devices.size() == 1 ? "device" : "devices", html_text(join(result.devices, ", ")));
  return out + "</header>\n";
}

/// What a person reads for a status.
std::string_view status_word(Outcome status) {
  return status == Outcome::kSystemError ? "not judged" : to_string(status);
}

std::string format_item(const ItemResult& item) {
  const std::string hidden =
      item.visibility == Visibility::kHidden ? " <small>(hidden cases take part)</small>" : "";
  const std::string provisional =
      item.provisional ? " <span class=\"badge\">provisional</span>" : "";
  return fmt::format(
      "<tr class=\"{0}\"><td><span class=\"status {0}\">{1}</span></td><th scope=\"row\">{2}{3}{4}"
      "</th>{5}{6}<td class=\"reason\">{7}</td></tr>",
      to_string(item.status), status_word(item.status), html_text(item.title), hidden, provisional,
      html_number(item.points, format_points(item.points)),
      html_number(item.max_points, format_points(item.max_points)), html_text(item.message));
}

std::string format_items(const SubmissionResult& result) {
  HtmlTable table{"items",
                  "Each item with its points and the reason; those that did not pass stand first",
                  {},
                  {}};
  table.headings = {"Status", "Item", "Points", "Of", "Reason"};
  for (const bool passed : {false, true}) {
    for (const ItemResult& item : result.items) {
      if ((item.status == Outcome::kPassed) == passed) table.rows.push_back(format_item(item));
    }
  }
  return "<section><h2>Items</h2>\n" + format_table(table) + "</section>\n";
}

std::string diagnostics_section(const SubmissionResult& result) {
  const std::string_view text = trim(result.diagnostics);
  if (text.empty()) return {};
  return fmt::format(
      "<section><h2>Compiler messages</h2>\n<pre class=\"wide\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Compiler messages\">{}</pre></section>\n",
      html_text(text));
}

}  // namespace

std::string format_student_page(const SubmissionResult& result, std::string_view source,
                                bool shows_hidden) {
  const SubmissionResult open = shows_hidden ? result : for_student(result);
  HtmlPage page;
  page.title = fmt::format("{}: {}", open.assignment, score_in_words(open));
  page.body = heading_section(open) + "<main>\n" + format_items(open) + wrong_section(open) +
              findings_section(open, source) + kernels_section(open) + roofline_section(open) +
              speeds_section(open) + diagnostics_section(open) + source_section(open, source) +
              "</main>\n";
  page.data = speed_model(open).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  page.script = kStudentScript;
  return format_page(page);
}

}  // namespace warpgrade
