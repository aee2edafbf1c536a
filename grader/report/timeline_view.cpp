// SPDX-License-Identifier: MIT
#include "report/timeline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/html.h"
#include "report/layout.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWidth = 800, kLabel = 20, kRow = 46, kBar = 18;
/// Spans that get a rectangle of their own; shorter ones beyond them would be less than a pixel.
constexpr size_t kMostDrawn = 1500;
constexpr size_t kMostTracks = 40;

double end_of(const std::vector<TimelineTrack>& tracks) {
  double end = 0;
  for (const TimelineTrack& track : tracks) {
    for (const TimelineSpan& span : track.spans) end = std::max(end, span.begin_us + span.us);
  }
  return end;
}

double busy_us(const TimelineTrack& track, std::string_view kind) {
  double us = 0;
  for (const TimelineSpan& span : track.spans) us += span.kind == kind ? span.us : 0;
  return us;
}

/// The span's length from which on `kMostDrawn` are drawn.
double least_drawn(const std::vector<TimelineTrack>& tracks) {
  std::vector<double> lengths;
  for (const TimelineTrack& track : tracks) {
    for (const TimelineSpan& span : track.spans) lengths.push_back(span.us);
  }
  if (lengths.size() <= kMostDrawn) return 0;
  const auto last = lengths.begin() + kMostDrawn;
  std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
  return *last;
}

std::string bar(const TimelineSpan& span, double end, int y, const Words& words) {
  const double scale = kWidth / end;
  return fmt::format(
      "<rect class=\"span-{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" "
      "height=\"{}\"><title>{}</title></rect>",
      span.kind == "kernel" ? "kernel" : "copy", span.begin_us * scale, y,
      std::max(span.us * scale, 0.5), kBar,
      html_text(words("run.timeline_span", {{"name", shorten(span.name, kReportColumns)},
                                            {"time", fmt::format("{:.4g}", span.us)},
                                            {"begin", fmt::format("{:.4g}", span.begin_us)}})));
}

std::string row_of(const TimelineTrack& track, double end, double least, int y,
                   const Words& words) {
  std::string out = fmt::format("<text x=\"0\" y=\"{}\">{}</text>", y + 14, html_text(track.name));
  for (const TimelineSpan& span : track.spans) {
    if (span.us >= least) out += bar(span, end, y + kLabel, words);
  }
  return out;
}

std::string figure(const std::vector<TimelineTrack>& tracks, double end, const Words& words) {
  std::string rows;
  const double least = least_drawn(tracks);
  const size_t shown = std::min(tracks.size(), kMostTracks);
  for (size_t i = 0; i < shown; ++i)
    rows += row_of(tracks[i], end, least, static_cast<int>(i) * kRow, words);
  return fmt::format(
      "<figure><figcaption>{}</figcaption><svg class=\"timeline\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" aria-label=\"{}\">{}</svg></figure>\n",
      html_text(words("run.timeline_figure", {{"time", fmt::format("{:.4g}", end)}})), kWidth,
      static_cast<int>(shown) * kRow, html_text(words("run.timeline_label", {{"count", shown}})),
      rows);
}

std::string time_cell(double us) { return html_number(us, fmt::format("{:.4g}", us)); }

}  // namespace

Result<std::vector<TimelineTrack>> read_timeline(std::string_view trace_events) {
  std::map<std::pair<long, long>, TimelineTrack> tracks;
  try {
    const Json whole = Json::parse(trace_events);
    for (const Json& event : whole.at("traceEvents")) {
      const std::string phase = event.at("ph"), name = event.at("name");
      const long device = event.at("pid"), stream = event.at("tid");
      if (phase == "M" && name == "thread_name")
        tracks[{device, stream}].name =
            fmt::format("device {}, {}", device, event.at("args").at("name").get<std::string>());
      if (phase == "X")
        tracks[{device, stream}].spans.push_back(
            {name, event.at("cat"), event.at("ts"), event.at("dur")});
    }
  } catch (const std::exception& problem) {
    return Error{fmt::format("not a timeline: {}", problem.what())};
  }
  std::vector<TimelineTrack> all;
  for (auto& [key, track] : tracks) {
    if (!track.spans.empty()) all.push_back(std::move(track));
  }
  return all;
}

std::string timeline_section(const std::vector<TimelineTrack>& tracks,
                             const std::string& language) {
  const double end = end_of(tracks);
  if (end <= 0) return {};
  const Words words(language);
  HtmlTable table{"streams", words("run.timeline_caption"), {}, {}};
  table.headings = {words("run.stream"), words("run.works"), words("run.in_kernels"),
                    words("run.in_copies"), words("run.of_whole")};
  for (const TimelineTrack& track : tracks) {
    const double kernels = busy_us(track, "kernel"), copies = busy_us(track, "copy");
    table.rows.push_back(
        html_cell(track.name) +
        html_number(static_cast<double>(track.spans.size()), std::to_string(track.spans.size())) +
        time_cell(kernels) + time_cell(copies) +
        html_cell(fmt::format("{:.0f} %", 100 * (kernels + copies) / end)));
  }
  return html_section(words("run.timeline")) + figure(tracks, end, words) + format_table(table) +
         "</section>\n";
}

}  // namespace warpgrade
