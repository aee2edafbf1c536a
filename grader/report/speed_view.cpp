// SPDX-License-Identifier: MIT
#include "report/speed_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/html.h"
#include "report/kernel_sums.h"

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

std::string time_words(const KernelSum& kernel) {
  std::vector<std::string> words;
  if (kernel.measured_ms > 0) words.push_back(number(kernel.measured_ms) + " ms measured");
  if (kernel.modelled_ms > 0) words.push_back(number(kernel.modelled_ms) + " ms modelled");
  return join(words, ", ");
}

std::string optional_cell(const std::optional<double>& value) {
  return value ? html_number(*value, number(*value)) : html_cell("");
}

HtmlTable speeds_table(const SubmissionResult& result) {
  HtmlTable table{"speeds", "What the points for speed were judged by", {}, {}};
  table.headings = {"Item", "Case", "Modelled", "Measured"};
  for (const Speed& speed : result.speeds)
    table.rows.push_back(html_cell(title_of(result, speed.item_id)) + html_cell(speed.case_id) +
                         optional_cell(speed.modelled) + optional_cell(speed.measured));
  return table;
}

HtmlTable times_table(const SubmissionResult& result) {
  HtmlTable table{"times", "Measured times in kernels, the median of the accepted runs", {}, {}};
  table.headings = {"Case", "Range", "Program", "Time in ms", "Runs", "GPU"};
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

Json kernels_model(const SubmissionResult& result) {
  Json kernels = Json::array();
  for (const KernelSum& kernel : kernel_sums(result)) {
    Json gauges = Json::array();
    for (const Gauge& gauge : gauges_of(kernel))
      gauges.push_back({{"label", gauge.label}, {"part", gauge.part}});
    if (!gauges.empty())
      kernels.push_back({{"name", printable(kernel.name)}, {"gauges", std::move(gauges)}});
  }
  return kernels;
}

/// A row for each counter; the kernel's name stands once.
void add_kernel(const KernelSum& kernel, HtmlTable& table) {
  const std::vector<Gauge> gauges = gauges_of(kernel);
  const size_t rows = std::max<size_t>(gauges.size(), 1);
  std::string row = fmt::format(
      "<th scope=\"rowgroup\" rowspan=\"{0}\"><code>{1}</code></th><td class=\"number\" "
      "rowspan=\"{0}\">{2}</td><td rowspan=\"{0}\">{3}</td>",
      rows, html_text(kernel.name), kernel.launches, html_text(time_words(kernel)));
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
  HtmlTable table{"kernels", "Counters of each kernel over all its launches", {}, {}};
  table.headings = {"Kernel", "Launches", "Time", "Counter", "Of the ideal", "In words"};
  for (const KernelSum& kernel : kernel_sums(result)) add_kernel(kernel, table);
  if (table.rows.empty()) return {};
  return "<section><h2>Kernels</h2>\n<div id=\"kernel-plots\"></div>\n" + format_table(table) +
         "</section>\n";
}

std::string speeds_section(const SubmissionResult& result) {
  const std::string tables = format_table(speeds_table(result)) + format_table(times_table(result));
  if (tables.empty()) return {};
  return "<section><h2>Speed</h2>\n<p>A modelled number comes from a model of the device, a "
         "measured "
         "one from a GPU.</p>\n<div id=\"speed-plots\"></div>\n" +
         tables + "</section>\n";
}

Json speed_model(const SubmissionResult& result) {
  const auto value = [](const std::optional<double>& known) {
    return known ? Json(*known) : Json();
  };
  Json speeds = Json::array(), times = Json::array();
  for (const Speed& speed : result.speeds)
    speeds.push_back({{"title", printable(title_of(result, speed.item_id))},
                      {"case", printable(speed.case_id)},
                      {"modelled", value(speed.modelled)},
                      {"measured", value(speed.measured)}});
  for (const Measurement& each : result.measurements)
    times.push_back({{"case", printable(each.case_id)},
                     {"range", printable(each.range)},
                     {"program", printable(each.program)},
                     {"ms", value(median_ms(each))}});
  return {{"kernels", kernels_model(result)},
          {"speeds", std::move(speeds)},
          {"times", std::move(times)}};
}

}  // namespace warpgrade
