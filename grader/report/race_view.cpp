// SPDX-License-Identifier: MIT
#include "report/race_view.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/text.h"
#include "report/html.h"
#include "report/layout.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

// A sequence diagram, in the SVG's units: a line for each thread and one for the memory between them.
constexpr int kWidth = 640, kHeight = 210;
constexpr int kLeft = 110, kMemory = 320, kRight = 530;
constexpr int kHeads = 14, kLineHeight = 15, kTop = 52, kFirst = 86, kGap = 122, kSecond = 172;
constexpr size_t kHeadColumns = 30, kMostHeadLines = 3, kGapColumns = 80;

std::string triple(const Extent3& at) { return fmt::format("({},{},{})", at[0], at[1], at[2]); }

struct Access {
  std::string who, act;
  int line = 0;  ///< 0: unknown.
  bool writes = false;
};

/// Whether an act writes: by the id of its sentence, or by its English words where the finding has no ids.
bool is_write(const Finding& finding, const std::string& place, std::string_view words) {
  const auto id = finding.arguments.find(place);
  std::string_view act = id == finding.arguments.end() ? words : std::string_view(id->second);
  if (act.starts_with("act.")) act.remove_prefix(4);
  return act.starts_with("write") || act.starts_with("wrote") || act.starts_with("update");
}

Access first_of(const Finding& finding, const Words& words) {
  const RaceAccesses& race = *finding.race;
  return {words("page.race_thread",
                {{"thread", triple(finding.thread)}, {"block", triple(finding.block)}}),
          race.first_act, finding.file.empty() ? 0 : finding.line,
          is_write(finding, "act", race.first_act)};
}

Access second_of(const Finding& finding) {
  const RaceAccesses& race = *finding.race;
  return {race.second, race.second_act, race.second_file.empty() ? 0 : race.second_line,
          is_write(finding, "other_act", race.second_act)};
}

std::string sentence(const Access& access, const std::string& object, const Words& words) {
  if (access.line == 0)
    return words("page.race_access",
                 {{"who", access.who}, {"act", access.act}, {"object", object}});
  return words(
      "page.race_access_at",
      {{"who", access.who}, {"act", access.act}, {"object", object}, {"line", access.line}});
}

std::string text(int x, int y, std::string_view words, std::string_view kind = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\"{}>{}</text>", x, y,
                     kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), html_text(words));
}

/// The head of a column, on a few lines, and the line down from it.
std::string column(int x, const std::string& head) {
  std::string out;
  std::vector<std::string> lines = wrap(head, kHeadColumns);
  if (lines.size() > kMostHeadLines) lines.resize(kMostHeadLines);
  for (size_t i = 0; i < lines.size(); ++i)
    out += text(x, kHeads + kLineHeight * static_cast<int>(i), lines[i]);
  return out + fmt::format("<path class=\"life\" d=\"M{} {}V{}\"/>", x, kTop, kHeight);
}

/// An arrow between a thread and the memory, which points to where the value goes.
std::string arrow(int thread, int y, const Access& access, const Words& words) {
  const int from = access.writes ? thread : kMemory, to = access.writes ? kMemory : thread;
  const int back = from < to ? -8 : 8;
  const std::string label = access.line == 0
                                ? access.act
                                : words("place.line", {{"line", access.line}}) + ": " + access.act;
  return fmt::format("<path class=\"access\" d=\"M{0} {2}H{1}M{3} {4}L{1} {2}L{3} {5}\"/>", from,
                     to, y, to + back, y - 5, y + 5) +
         text((thread + kMemory) / 2, y - 8, shorten(label, kHeadColumns));
}

std::string gap(const std::string& missing) {
  std::string out = fmt::format("<path class=\"gap\" d=\"M10 {}H{}\"/>", kGap, kWidth - 10);
  return out + text(kWidth / 2, kGap + 16, shorten(missing, kGapColumns), "gap-words");
}

}  // namespace

std::string race_figure(const Finding& finding, const std::string& language) {
  if (!finding.race) return {};
  const RaceAccesses& race = *finding.race;
  const Words words(language);
  Access upper = first_of(finding, words), lower = second_of(finding);
  // Who writes stands above, for that is the story to tell: it was written, and read too soon.
  if (!upper.writes && lower.writes) std::swap(upper, lower);
  const std::string label = fmt::format("{}; {}, {}", sentence(upper, race.object, words),
                                        sentence(lower, race.object, words), race.missing);
  return fmt::format(
      "<figure class=\"race wide\" role=\"group\" tabindex=\"0\" aria-label=\"{}\">"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}{}{}{}{}{}</svg></figure>",
      html_text(words("page.race_on", {{"object", race.object}})), kWidth, kHeight,
      html_text(label), column(kLeft, upper.who), column(kMemory, race.object),
      column(kRight, lower.who), arrow(kLeft, kFirst, upper, words), gap(race.missing),
      arrow(kRight, kSecond, lower, words));
}

}  // namespace warpgrade
