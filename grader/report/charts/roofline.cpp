// SPDX-License-Identifier: MIT
#include "report/charts/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/model/device_rates.h"
#include "report/charts/axis.h"
#include "report/html.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kMostKernels = 12;
constexpr double kKiloPerGiga = 1e6;

/// What bounds any kernel of a device.
struct Roof {
  std::string device;
  double gb_per_s = 0, gflop_per_s = 0;

  double at(double flops_per_byte) const {
    return std::min(gflop_per_s, flops_per_byte * gb_per_s);
  }
  double ridge() const { return gflop_per_s / gb_per_s; }
};

std::optional<Roof> roof_of(const std::string& device) {
  const emulator::DeviceModel* const model = emulator::find_device_model(device);
  if (model == nullptr) return std::nullopt;
  return Roof{device, model->bytes_per_ms() / kKiloPerGiga, emulator::peak_gflop_per_s(*model)};
}

struct Point {
  ProgramWork work;
  bool is_baseline = false;
  bool is_drawn() const { return work.flops > 0 && work.dram_bytes > 0 && work.ms > 0; }
};

std::vector<Point> points_of(const SubmissionResult& result) {
  std::vector<Point> points;
  for (ProgramWork& work : kernel_work(result.kernels)) points.push_back({std::move(work), false});
  for (const ProgramWork& work : result.baseline_work) points.push_back({work, true});
  return points;
}

constexpr int kRoofWidth = 560, kRoofHeight = 320;
constexpr double kRoofLeft = 60, kRoofRight = 545, kRoofTop = 24, kRoofBottom = 270;

/// Operations for each byte, and what the device computes in a second.
struct RoofAxes {
  Axis x, y;
};

RoofAxes roof_axes(const Roof& roof, const std::vector<Point>& points) {
  double left = roof.ridge(), right = roof.ridge(), bottom = roof.gflop_per_s;
  for (const Point& point : points) {
    if (!point.is_drawn()) continue;
    left = std::min(left, point.work.flops_per_byte());
    right = std::max(right, point.work.flops_per_byte());
    bottom = std::min(bottom, point.work.gflop_per_s());
  }
  return {Axis({left / 2, right * 2}, AxisScale::kLogarithmic, kRoofLeft, kRoofRight),
          Axis({bottom / 2, roof.gflop_per_s * 2}, AxisScale::kLogarithmic, kRoofBottom, kRoofTop)};
}

std::string roof_names(const Words& words) {
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{}\" "
      "y=\"12\">GFLOP/s</text>",
      (kRoofLeft + kRoofRight) / 2, kRoofHeight - 4, html_text(words("page.roof_axis")),
      kRoofLeft - 50);
}

std::string roof_path(const RoofAxes& axes, const Roof& roof) {
  const double least = axes.x.ticks().front(), most = axes.x.ticks().back();
  return fmt::format("<path class=\"roof\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}\"/>",
                     axes.x.at(least), axes.y.at(roof.at(least)), axes.x.at(roof.ridge()),
                     axes.y.at(roof.gflop_per_s), axes.x.at(most));
}

std::string mark(const RoofAxes& axes, const Point& point, size_t number) {
  constexpr double kHalf = 8;
  const double x = axes.x.at(point.work.flops_per_byte()), y = axes.y.at(point.work.gflop_per_s());
  const std::string shape =
      point.is_baseline
          ? fmt::format(
                "<rect class=\"baseline\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" "
                "height=\"16\"/>",
                x - kHalf, y - kHalf)
          : fmt::format("<circle class=\"kernel\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\"/>", x, y);
  return shape + fmt::format(
                     "<text class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" "
                     "text-anchor=\"middle\">{}</text>",
                     x, y + 4, number);
}

bool has_baselines(const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const Point& point) { return point.is_baseline; });
}

std::string figure(const Roof& roof, const std::vector<Point>& points, const Words& words) {
  const RoofAxes axes = roof_axes(roof, points);
  std::string marks;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i].is_drawn()) marks += mark(axes, points[i], i + 1);
  }
  if (marks.empty()) return {};
  const std::string caption =
      words("page.roof_figure",
            {{"gpu", roof.device},
             {"bandwidth", fmt::format("{:.0f}", roof.gb_per_s)},
             {"peak", fmt::format("{:.0f}", roof.gflop_per_s)},
             {"squares", has_baselines(points) ? words("page.roof_squares") : std::string()}});
  return fmt::format(
      "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">{}{}{}</svg></figure>\n",
      html_text(caption), kRoofWidth, kRoofHeight,
      html_text(words("page.roof_label", {{"gpu", roof.device}})),
      axes_grid(axes.x, axes.y) + roof_names(words), roof_path(axes, roof), marks);
}

std::string rounded(double value) {
  return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::string row_of(const Point& point, size_t number, const Roof& roof, const Words& words) {
  const ProgramWork& work = point.work;
  const bool is_memory = work.flops_per_byte() < roof.ridge();
  const std::string none = html_cell(words("page.none"));
  const std::string arithmetic =
      point.is_drawn()
          ? html_number(work.flops_per_byte(), rounded(work.flops_per_byte())) +
                html_number(work.gflop_per_s(), rounded(work.gflop_per_s())) +
                html_cell(words(
                    is_memory ? "page.memory_allows" : "page.arithmetic_allows",
                    {{"percent", percent(work.gflop_per_s() / roof.at(work.flops_per_byte()))}}))
          : none + none + none;
  return fmt::format("<tr><td class=\"number\">{}</td><th scope=\"row\">{}</th>", number,
                     point.is_baseline
                         ? html_text(words("page.baseline", {{"program", work.program}}))
                         : fmt::format("<code>{}</code>", html_text(work.program))) +
         html_cell(work.case_id) + html_number(work.ms, fmt::format("{:.3g} ms", work.ms)) +
         arithmetic + html_number(work.gb_per_s(), rounded(work.gb_per_s())) +
         html_cell(percent(work.gb_per_s() / roof.gb_per_s)) + "</tr>";
}

}  // namespace

std::vector<ProgramWork> kernel_work(const std::vector<KernelRow>& kernels) {
  std::map<std::pair<std::string, std::string>, ProgramWork> by_kernel_and_case;
  for (const KernelRow& row : kernels) {
    ProgramWork& work = by_kernel_and_case[{row.name, row.case_id}];
    work.case_id = row.case_id;
    work.program = row.name;
    work.add(row.metrics, row.time_ms);
  }
  std::map<std::string, ProgramWork> longest;
  for (const auto& [key, work] : by_kernel_and_case) {
    ProgramWork& held = longest[key.first];
    if (work.ms > held.ms) held = work;
  }
  std::vector<ProgramWork> all;
  for (auto& [name, work] : longest) {
    if (work.ms > 0) all.push_back(std::move(work));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ProgramWork& a, const ProgramWork& b) { return a.ms > b.ms; });
  if (all.size() > kMostKernels) all.resize(kMostKernels);
  return all;
}

std::string roofline_section(const SubmissionResult& result) {
  const std::optional<Roof> roof = roof_of(result.modelled_device);
  const std::vector<Point> points = points_of(result);
  if (!roof || points.empty()) return {};
  const Words words(result.language);
  HtmlTable table{"roofline", words("page.roofline_caption", {{"gpu", roof->device}}), {}, {}};
  table.headings = {words("page.number"),        words("page.program"),
                    words("page.case"),          words("page.modelled_time"),
                    words("page.flop_per_byte"), "GFLOP/s",
                    words("page.roof"),          "GB/s",
                    words("page.of_bandwidth")};
  for (size_t i = 0; i < points.size(); ++i)
    table.rows.push_back(row_of(points[i], i + 1, *roof, words));
  const std::string measured = result.speeds.empty() ? "" : ' ' + words("page.roofline_speed");
  return html_section(words("page.roofline")) +
         fmt::format("<p>{}{}</p>\n", html_text(words("page.roofline_note")), html_text(measured)) +
         figure(*roof, points, words) + format_table(table) + "</section>\n";
}

}  // namespace warpgrade
