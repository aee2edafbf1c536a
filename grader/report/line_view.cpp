// SPDX-License-Identifier: MIT
#include "report/line_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/html.h"
#include "sentences/words.h"

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
std::string access_cell(const AccessCounts& loads, const AccessCounts& stores, const Words& words) {
  std::vector<std::string> kinds;
  double worst = 1;
  for (const auto& [id, counts] :
       {std::pair{"page.cost_load", &loads}, std::pair{"page.cost_store", &stores}}) {
    if (counts->requests == 0) continue;
    kinds.push_back(words(id, {{"taken", number(a_request(counts->transfers, *counts))},
                               {"least", number(a_request(counts->fewest, *counts))}}));
    worst = std::max(worst, counts->excess());
  }
  return cost_cell(join(kinds, ", "), heat_of(worst));
}

std::string share_text(double share) {
  return share < 0.01 ? "<1 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string share_cell(double share) {
  return fmt::format(
      "<td class=\"cost share\"><meter value=\"{:.3f}\" aria-hidden=\"true\"></meter> "
      "{}</td>",
      share, html_text(share_text(share)));
}

double threads_of(const LineCounts& counts) {
  return counts.warps == 0
             ? kLanesOfWarp
             : static_cast<double>(counts.threads) / static_cast<double>(counts.warps);
}

std::string threads_cell(const LineCounts& counts, const Words& words) {
  const double threads = threads_of(counts);
  std::string text = number(threads);
  if (counts.divergent != 0)
    text =
        words("page.split",
              {{"threads", text}, {"divergent", counts.divergent}, {"branches", counts.branches}});
  return cost_cell(text, heat_of(kLanesOfWarp / std::max(threads, 1.0)));
}

/// One thing that a line loses, and how much it weighs.
struct LineLoss {
  double weight = 0;
  std::string words;
};

LineLoss loss_of(const AccessCounts& counts, const char* id, const Words& words) {
  if (counts.excess() < kWorthAWord) return {};
  return {static_cast<double>(counts.transfers - counts.fewest),
          words(id, {{"taken", number(a_request(counts.transfers, counts))},
                     {"least", number(a_request(counts.fewest, counts))},
                     {"times", number(counts.excess())}})};
}

/// The heaviest first; empty where the line does about as well as it can.
std::vector<LineLoss> line_losses_of(const LineCounts& counts, const Words& words) {
  std::vector<LineLoss> losses = {loss_of(counts.global_loads, "page.loss_global_load", words),
                                  loss_of(counts.global_stores, "page.loss_global_store", words),
                                  loss_of(counts.shared_loads, "page.loss_shared_load", words),
                                  loss_of(counts.shared_stores, "page.loss_shared_store", words)};
  const double threads = threads_of(counts);
  if (counts.divergent != 0 && threads * kWorthAWord < kLanesOfWarp)
    losses.push_back({static_cast<double>(counts.divergent),
                      words("page.loss_branches", {{"divergent", counts.divergent},
                                                   {"branches", counts.branches},
                                                   {"threads", number(threads)}})});
  std::erase_if(losses, [](const LineLoss& loss) { return loss.words.empty(); });
  std::stable_sort(losses.begin(), losses.end(),
                   [](const LineLoss& a, const LineLoss& b) { return a.weight > b.weight; });
  return losses;
}

std::string share_in_words(const LineCost& cost, const Words& words) {
  const bool timed = cost.counts.ms > 0;
  return words(timed ? "page.line_time_share" : "page.line_share",
               {{"percent", fmt::format("{:.0f}", 100 * (timed ? cost.time_share : cost.share))}});
}

std::string in_words(int line, const LineCost& cost, const LineLoss& loss, const Words& words) {
  const std::string where =
      cost.case_id.empty() ? "" : ", " + words("place.case", {{"case", cost.case_id}});
  return fmt::format("<li><a href=\"#L{}\">{}</a>: {}. {} <code>{}</code>{}.</li>\n", line,
                     html_text(words("page.line_loss", {{"line", line}})), html_text(loss.words),
                     html_text(share_in_words(cost, words)), html_text(cost.kernel),
                     html_text(where));
}

}  // namespace

std::map<int, LineCost> line_costs(const std::vector<LineRow>& rows) {
  std::map<std::string, LineCounts> of_kernel;
  for (const LineRow& row : rows) of_kernel[row.kernel].add(row.counts);
  std::map<int, LineCost> costs;
  for (const LineRow& row : rows) {
    LineCost& cost = costs[row.counts.line];
    const LineCounts& all = of_kernel[row.kernel];
    const double share = static_cast<double>(row.counts.warps) /
                         static_cast<double>(std::max<uint64_t>(all.warps, 1));
    const double time_share = all.ms > 0 ? row.counts.ms / all.ms : 0;
    const bool weighs_most = cost.counts.line == 0 ||
                             std::pair(time_share, share) >= std::pair(cost.time_share, cost.share);
    cost.counts.add(row.counts);
    cost.counts.line = row.counts.line;
    cost.share = std::max(cost.share, share);
    cost.time_share = std::max(cost.time_share, time_share);
    if (!weighs_most) continue;
    cost.kernel = row.kernel;
    cost.case_id = row.case_id;
  }
  return costs;
}

std::vector<std::string> cost_headings(const std::string& language) {
  const Words words(language);
  return {words("page.time"), words("page.instructions"), words("page.global_memory"),
          words("page.shared_memory"), words("page.threads")};
}

std::string cost_cells(const LineCost* cost, const std::string& language) {
  const Words words(language);
  if (cost == nullptr) return "<td></td><td></td><td></td><td></td><td></td>";
  const LineCounts& counts = cost->counts;
  const std::string time =
      cost->counts.ms > 0 ? share_cell(cost->time_share) : std::string("<td></td>");
  return time + cost_cell(share_text(cost->share), 0) +
         access_cell(counts.global_loads, counts.global_stores, words) +
         access_cell(counts.shared_loads, counts.shared_stores, words) +
         threads_cell(counts, words);
}

std::string costs_in_words(const std::map<int, LineCost>& costs, const std::string& language) {
  if (costs.empty()) return {};
  const Words words(language);
  std::vector<std::pair<double, std::string>> items;
  for (const auto& [line, cost] : costs) {
    for (const LineLoss& loss : line_losses_of(cost.counts, words))
      items.emplace_back(loss.weight, in_words(line, cost, loss, words));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (items.size() > kMostInWords) items.resize(kMostInWords);
  std::string list;
  for (const auto& [weight, item] : items) list += item;
  const std::string worst =
      list.empty()
          ? fmt::format("<p>{}</p>\n", html_text(words("page.no_line_loses")))
          : fmt::format("<p>{}</p>\n<ol>\n{}</ol>\n", html_text(words("page.lines_lose")), list);
  return worst + fmt::format("<p class=\"where\">{}</p>\n", html_text(words("page.margin")));
}

}  // namespace warpgrade
