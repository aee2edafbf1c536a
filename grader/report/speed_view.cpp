// SPDX-License-Identifier: MIT
#include "report/speed_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/html.h"
#include "report/kernel_sums.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) { return fmt::format("{:.3g}", value); }

/// The middle of the accepted times; nothing where none was accepted.
std::optional<double> median_ms(const Measurement& measurement) {
  std::vector<double> times;
  for (const TimeSample& sample : measurement.samples) {
    if (sample.accepted) times.push_back(sample.kernel_ms);
  }
  if (times.empty()) return std::nullopt;
  const auto middle = times.begin() + static_cast<long>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::string title_of(const SubmissionResult& result, const std::string& item_id) {
  for (const ItemResult& item : result.items) {
    if (item.id == item_id) return item.title;
  }
  return item_id;
}

std::string time_words(const KernelSum& kernel, const Words& words) {
  std::vector<std::string> times;
  if (kernel.measured_ms > 0)
    times.push_back(words("page.ms_measured", {{"ms", number(kernel.measured_ms)}}));
  if (kernel.modelled_ms > 0)
    times.push_back(words("page.ms_modelled", {{"ms", number(kernel.modelled_ms)}}));
  return join(times, ", ");
}

std::string optional_cell(const std::optional<double>& value) {
  return value ? html_number(*value, number(*value)) : html_cell("");
}

HtmlTable speeds_table(const SubmissionResult& result, const Words& words) {
  HtmlTable table{"speeds", words("page.speeds_caption"), {}, {}};
  table.headings = {words("handout.item"), words("page.case"), words("page.modelled"),
                    words("page.measured")};
  for (const Speed& speed : result.speeds)
    table.rows.push_back(html_cell(title_of(result, speed.item_id)) + html_cell(speed.case_id) +
                         optional_cell(speed.modelled) + optional_cell(speed.measured));
  return table;
}

HtmlTable times_table(const SubmissionResult& result, const Words& words) {
  HtmlTable table{"times", words("page.times_caption"), {}, {}};
  table.headings = {words("page.case"),    words("page.range"), words("page.program"),
                    words("page.time_ms"), words("page.runs"),  words("page.gpu")};
  for (const Measurement& each : result.measurements) {
    const auto accepted = std::count_if(each.samples.begin(), each.samples.end(),
                                        [](const TimeSample& sample) { return sample.accepted; });
    table.rows.push_back(html_cell(each.case_id) + html_cell(each.range) + html_cell(each.program) +
                         optional_cell(median_ms(each)) +
                         html_number(static_cast<double>(accepted), std::to_string(accepted)) +
                         html_cell(each.gpu.name));
  }
  return table;
}

Json kernels_model(const SubmissionResult& result, const Words& words) {
  Json kernels = Json::array();
  for (const KernelSum& kernel : kernel_sums(result)) {
    Json gauges = Json::array();
    for (const Gauge& gauge : gauges_of(kernel, words.language()))
      gauges.push_back({{"label", gauge.label}, {"part", gauge.part}});
    if (!gauges.empty())
      kernels.push_back(
          {{"caption", words("page.plot_kernel", {{"kernel", printable(kernel.name)}})},
           {"gauges", std::move(gauges)}});
  }
  return kernels;
}

/// A row for each counter; the kernel's name stands once.
void add_kernel(const KernelSum& kernel, const Words& words, HtmlTable& table) {
  const std::vector<Gauge> gauges = gauges_of(kernel, words.language());
  const size_t rows = std::max<size_t>(gauges.size(), 1);
  std::string row = fmt::format(
      "<th scope=\"rowgroup\" rowspan=\"{0}\"><code>{1}</code></th><td class=\"number\" "
      "rowspan=\"{0}\">{2}</td><td rowspan=\"{0}\">{3}</td>",
      rows, html_text(kernel.name), kernel.launches, html_text(time_words(kernel, words)));
  if (gauges.empty()) table.rows.push_back(row + "<td></td><td></td><td></td>");
  for (const Gauge& gauge : gauges) {
    row += html_cell(gauge.label) +
           html_number(gauge.part, fmt::format("{:.0f} %", 100 * gauge.part)) +
           html_cell(gauge.text);
    table.rows.push_back(std::move(row));
    row.clear();
  }
}

}  // namespace

std::string kernels_section(const SubmissionResult& result) {
  const Words words(result.language);
  HtmlTable table{"kernels", words("page.kernels_caption"), {}, {}};
  table.headings = {words("page.kernel"),  words("page.launches"),     words("page.time"),
                    words("page.counter"), words("page.of_the_ideal"), words("page.in_words")};
  for (const KernelSum& kernel : kernel_sums(result)) add_kernel(kernel, words, table);
  if (table.rows.empty()) return {};
  return html_section(words("report.kernels")) + "<div id=\"kernel-plots\"></div>\n" +
         format_table(table) + "</section>\n";
}

std::string speeds_section(const SubmissionResult& result) {
  const Words words(result.language);
  const std::string tables =
      format_table(speeds_table(result, words)) + format_table(times_table(result, words));
  if (tables.empty()) return {};
  return html_section(words("page.speed")) +
         fmt::format("<p>{}</p>\n<div id=\"speed-plots\"></div>\n",
                     html_text(words("page.speed_note"))) +
         tables + "</section>\n";
}

Json speed_model(const SubmissionResult& result) {
  const auto value = [](const std::optional<double>& known) {
    return known ? Json(*known) : Json();
  };
  const Words words(result.language);
  Json speeds = Json::array(), times = Json::array();
  for (const Speed& speed : result.speeds)
    speeds.push_back({{"caption", words("page.plot_speed",
                                        {{"title", printable(title_of(result, speed.item_id))},
                                         {"case", printable(speed.case_id)}})},
                      {"modelled", value(speed.modelled)},
                      {"measured", value(speed.measured)}});
  for (const Measurement& each : result.measurements)
    times.push_back({{"caption", words("page.plot_times", {{"range", printable(each.range)},
                                                           {"case", printable(each.case_id)}})},
                     {"program", printable(each.program)},
                     {"ms", value(median_ms(each))}});
  return {{"words", {{"modelled", words("page.modelled")}, {"measured", words("page.measured")}}},
          {"kernels", kernels_model(result, words)},
          {"speeds", std::move(speeds)},
          {"times", std::move(times)}};
}

}  // namespace warpgrade
