// SPDX-License-Identifier: MIT
#include "report/line_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html.h"

namespace warpgrade {
namespace {

constexpr double kLanesOfWarp = 32;
constexpr size_t kMostInWords = 5;
/// Below this, a line does about as well as it can.
constexpr double kWorthAWord = 1.5;

std::string number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

double a_request(uint64_t transfers, const AccessCounts& counts) {
  return static_cast<double>(transfers) / static_cast<double>(counts.requests);
}

/// Steps of colour: each stands for twice the step before.
int heat_of(double excess) {
  if (excess < kWorthAWord) return 0;
  return std::clamp(1 + static_cast<int>(std::log2(excess / kWorthAWord)), 1, 4);
}

std::string cost_cell(const std::string& text, int heat) {
  return fmt::format("<td class=\"cost{}\">{}</td>", heat == 0 ? "" : fmt::format(" hot-{}", heat),
                     html_text(text));
}

/// "load 32 (4)" for each kind of access that the line makes.
std::string access_cell(const AccessCounts& loads, const AccessCounts& stores) {
  std::vector<std::string> words;
  double worst = 1;
  for (const auto& [word, counts] : {std::pair{"load", &loads}, std::pair{"store", &stores}}) {
    if (counts->requests == 0) continue;
    words.push_back(fmt::format("{} {} ({})", word, number(a_request(counts->transfers, *counts)),
                                number(a_request(counts->fewest, *counts))));
    worst = std::max(worst, counts->excess());
  }
  return cost_cell(join(words, ", "), heat_of(worst));
}

std::string share_cell(double share) {
  const std::string text = share < 0.01 ? "<1 %" : fmt::format("{:.0f} %", 100 * share);
  return fmt::format(
      "<td class=\"cost share\"><meter value=\"{:.3f}\" aria-hidden=\"true\"></meter> "
      "{}</td>",
      share, html_text(text));
}

double threads_of(const LineCounts& counts) {
  return counts.warps == 0
             ? kLanesOfWarp
             : static_cast<double>(counts.threads) / static_cast<double>(counts.warps);
}

std::string threads_cell(const LineCounts& counts) {
  const double threads = threads_of(counts);
  std::string text = number(threads);
  if (counts.divergent != 0)
    text += fmt::format(", {} of {} branches split", counts.divergent, counts.branches);
  return cost_cell(text, heat_of(kLanesOfWarp / std::max(threads, 1.0)));
}

/// One thing that a line loses, and how much it weighs.
struct LineLoss {
  double weight = 0;
  std::string words;
};

LineLoss loss_of(const AccessCounts& counts, std::string_view what, std::string_view unit,
                 std::string_view ideal) {
  if (counts.excess() < kWorthAWord) return {};
  return {static_cast<double>(counts.transfers - counts.fewest),
          fmt::format("each {} takes {} {}, where {} {} ({} times the ideal)", what,
                      number(a_request(counts.transfers, counts)), unit,
                      number(a_request(counts.fewest, counts)), ideal, number(counts.excess()))};
}

/// The heaviest first; empty where the line does about as well as it can.
std::vector<LineLoss> line_losses_of(const LineCounts& counts) {
  constexpr std::string_view kSectors = "sectors of 32 bytes", kTurns = "turns of the banks";
  std::vector<LineLoss> losses = {
      loss_of(counts.global_loads, "load of a warp from global memory", kSectors, "would do"),
      loss_of(counts.global_stores, "store of a warp to global memory", kSectors, "would do"),
      loss_of(counts.shared_loads, "load of a warp from shared memory", kTurns,
              "would do without bank conflicts"),
      loss_of(counts.shared_stores, "store of a warp to shared memory", kTurns,
              "would do without bank conflicts")};
  const double threads = threads_of(counts);
  if (counts.divergent != 0 && threads * kWorthAWord < kLanesOfWarp)
    losses.push_back({static_cast<double>(counts.divergent),
                      fmt::format("{} of {} branches send the threads of a warp two ways; {} of 32 "
                                  "threads work at an instruction",
                                  counts.divergent, counts.branches, number(threads))});
  std::erase_if(losses, [](const LineLoss& loss) { return loss.words.empty(); });
  std::stable_sort(losses.begin(), losses.end(),
                   [](const LineLoss& a, const LineLoss& b) { return a.weight > b.weight; });
  return losses;
}

std::string in_words(int line, const LineCost& cost, const LineLoss& loss) {
  return fmt::format(
      "<li><a href=\"#L{0}\">Line {0}</a>: {1}. The line has {2:.0f} % of the instructions of "
      "<code>{3}</code>{4}.</li>\n",
      line, html_text(loss.words), 100 * cost.share, html_text(cost.kernel),
      cost.case_id.empty() ? "" : html_text(fmt::format(" in case '{}'", cost.case_id)));
}

}  // namespace

std::map<int, LineCost> line_costs(const std::vector<LineRow>& rows) {
  std::map<std::string, uint64_t> warps_of_kernel;
  for (const LineRow& row : rows) warps_of_kernel[row.kernel] += row.counts.warps;
  std::map<int, LineCost> costs;
  for (const LineRow& row : rows) {
    LineCost& cost = costs[row.counts.line];
    cost.counts.add(row.counts);
    const double share = static_cast<double>(row.counts.warps) /
                         static_cast<double>(std::max<uint64_t>(warps_of_kernel[row.kernel], 1));
    if (share < cost.share) continue;
    cost.share = share;
    cost.kernel = row.kernel;
    cost.case_id = row.case_id;
  }
  return costs;
}

const std::vector<std::string>& cost_headings() {
  static const std::vector<std::string> headings = {"Instructions", "Global memory",
                                                    "Shared memory", "Threads"};
  return headings;
}

std::string cost_cells(const LineCost* cost) {
  if (cost == nullptr) return "<td></td><td></td><td></td><td></td>";
  const LineCounts& counts = cost->counts;
  return share_cell(cost->share) + access_cell(counts.global_loads, counts.global_stores) +
         access_cell(counts.shared_loads, counts.shared_stores) + threads_cell(counts);
}

std::string costs_in_words(const std::map<int, LineCost>& costs) {
  if (costs.empty()) return {};
  std::vector<std::pair<double, std::string>> items;
  for (const auto& [line, cost] : costs) {
    for (const LineLoss& loss : line_losses_of(cost.counts))
      items.emplace_back(loss.weight, in_words(line, cost, loss));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (items.size() > kMostInWords) items.resize(kMostInWords);
  std::string list;
  for (const auto& [weight, item] : items) list += item;
  const std::string worst =
      list.empty() ? "<p>No line is far from the ideal.</p>\n"
                   : "<p>The lines that lose most, the worst first:</p>\n<ol>\n" + list + "</ol>\n";
  return worst +
         "<p class=\"where\">The margin is counted on the emulated device. Instructions: the "
         "line's "
         "share of its kernel's. Global memory: sectors of 32 bytes for each request of a warp, "
         "and "
         "in brackets the fewest that would do. Shared memory: turns of the banks, likewise. "
         "Threads: "
         "how many of 32 work at an instruction.</p>\n";
}

}  // namespace warpgrade
