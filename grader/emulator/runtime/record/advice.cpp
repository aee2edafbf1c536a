// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "emulator/exec/warp_size.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/line_record.h"

namespace warpgrade::emulator {
namespace {

using Metrics = std::map<std::string, double>;

/// Fewer accesses, or instructions, of all warps are not worth a word.
constexpr double kLeastRequests = 8, kLeastInstructions = 256;
constexpr double kLeastFactor = 1.9;
constexpr double kManyLanes = 0.75;
constexpr double kLowOccupancyPct = 50;
/// What fills too little of a device is told behind what a kernel does wrong.
constexpr double kOfShape = 0.5;

double value(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

std::string number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// The rules for one kernel.
class KernelRules {
 public:
  KernelRules(const std::string& name, const Profile::Kernel& kernel, double all_ms)
      : name_(name), kernel_(kernel), share_(all_ms > 0 ? kernel.ms / all_ms : 1) {}

  std::vector<Advice> advice() {
    for (const auto& [place, metrics] : kernel_.lines) {
      at_ = text_of(place);
      global(metrics, "ld", "load");
      global(metrics, "st", "store");
      shared(metrics, "ld", "loads");
      shared(metrics, "st", "stores");
    }
    divergence();
    block_size();
    grid_size();
    occupancy();
    return std::move(found_);
  }

 private:
  void add(double severity, std::string what, std::string change) {
    found_.push_back({share_ * severity, at_, std::move(what), std::move(change)});
  }
  void add_of_shape(double severity, std::string what, std::string change) {
    found_.push_back(
        {share_ * severity * kOfShape, name_, std::move(what), std::move(change), true});
  }

  /// The kernel, behind its file and line where they are known.
  template <class Place>
  std::string text_of(const Place& place) const {
    return place.second == 0 ? name_ : fmt::format("{}:{}, {}", place.first, place.second, name_);
  }

  /// A line's share of the metric that all lines of the kernel have.
  double part(const std::string& metric, double of_line) const {
    double all = 0;
    for (const auto& [place, metrics] : kernel_.lines) all += value(metrics, metric);
    return all > 0 ? of_line / all : 0;
  }

  void global(const Metrics& line, std::string_view op, std::string_view word) {
    const auto named = [&](std::string_view what) {
      return fmt::format("l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum", what, op);
    };
    const double requests = value(line, named("requests")), sectors = value(line, named("sectors"));
    const double bytes = value(line, fmt::format("smsp__sass_data_bytes_mem_global_op_{}.sum", op));
    const double ideal = fewest_sectors(bytes, requests);
    if (requests < kLeastRequests || bytes == 0 || sectors < kLeastFactor * ideal) return;
    add((1 - ideal / sectors) * part(named("sectors"), sectors),
        fmt::format("uncoalesced: each {} of a warp touches {} sectors of 32 bytes; {} would do "
                    "({} times the ideal)",
                    word, number(sectors / requests), number(ideal / requests),
                    number(sectors / ideal)),
        "Let neighbouring threads use neighbouring addresses: threadIdx.x belongs to the last "
        "index "
        "of an array. Where the order is given, go through a tile of shared memory.");
  }

  void shared(const Metrics& line, std::string_view op, std::string_view word) {
    const std::string wavefronts =
        fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", op);
    const double all = value(line, wavefronts);
    const double conflicts =
        value(line, fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", op));
    const double ideal = all - conflicts;
    if (ideal < kLeastRequests || all < kLeastFactor * ideal) return;
    add(conflicts / all * part(wavefronts, all),
        fmt::format("{}-way bank conflicts: {} of shared memory take {} turns; {} would do",
                    number(all / ideal), word, number(all), number(ideal)),
        "Let the 32 threads of a warp use 32 different banks (4-byte word number modulo 32). One "
        "column more in a tile, such as tile[32][33], does it for columns.");
  }

  void divergence() {
    const double warps = value(kernel_.worst.metrics, "ptx__inst_executed.sum");
    const double lanes = value(kernel_.worst.metrics, "ptx__thread_inst_executed.sum");
    const Dim3& block = kernel_.worst.block;
    const double threads = static_cast<double>(block.x) * block.y * block.z;
    const double full = threads / std::ceil(threads / kWarpSize);
    if (warps < kLeastInstructions || lanes >= kManyLanes * full * warps) return;
    const auto worst = std::max_element(
        kernel_.lines.begin(), kernel_.lines.end(), [](const auto& a, const auto& b) {
          constexpr const char* kDivergent = "ptx__branches_threads_divergent.sum";
          return value(a.second, kDivergent) < value(b.second, kDivergent);
        });
    const double divergent = value(worst->second, "ptx__branches_threads_divergent.sum");
    if (divergent == 0) return;
    at_ = text_of(worst->first);
    add(1 - lanes / (full * warps),
        fmt::format(
            "divergence: {} of {} branches here send the threads of a warp two ways; in the "
            "kernel {} of {} threads of a warp work on average",
            number(divergent), number(value(worst->second, "ptx__inst_executed_op_branch.sum")),
            number(lanes / warps), number(full)),
        "Let whole warps take one way: choose by threadIdx.x / 32 instead of threadIdx.x % 2, or "
        "renumber the threads so that those that work are neighbours.");
  }

  void block_size() {
    const double threads = value(kernel_.worst.metrics, "launch__block_size");
    const double idle = std::ceil(threads / kWarpSize) * kWarpSize - threads;
    if (idle == 0) return;
    add_of_shape(
        idle / (threads + idle),
        fmt::format("blocks of {} threads leave {} of the {} lanes of their warps idle",
                    number(threads), number(idle), number(threads + idle)),
        "Take a block size that is a multiple of 32, and let threads behind the end do nothing.");
  }

  void grid_size() {
    const double blocks = value(kernel_.worst.metrics, "launch__grid_size");
    const double multiprocessors = value(kernel_.worst.metrics, "launch__sm_count");
    if (blocks == 0 || blocks >= multiprocessors) return;
    add_of_shape(
        (1 - blocks / multiprocessors) * kOfShape,
        fmt::format("tiny grid: {} of {} multiprocessors of the device have work", number(blocks),
                    number(multiprocessors)),
        "Give the device more blocks: more data, fewer elements for each thread, or smaller "
        "blocks.");
  }

  void occupancy() {
    const Metrics& metrics = kernel_.worst.metrics;
    const double percent = value(metrics, "sm__maximum_warps_per_active_cycle_pct");
    const double blocks = value(metrics, "launch__grid_size");
    if (percent == 0 || percent >= kLowOccupancyPct || blocks < value(metrics, "launch__sm_count"))
      return;
    const std::pair<const char*, const char*> limits[] = {
        {"launch__occupancy_limit_registers", "registers: use fewer values at a time"},
        {"launch__occupancy_limit_shared_mem", "shared memory: take smaller tiles"},
        {"launch__occupancy_limit_blocks", "blocks of a multiprocessor: take larger blocks"},
        {"launch__occupancy_limit_warps",
         "threads of a multiprocessor: take a block size that divides it"}};
    const auto* const least =
        std::min_element(std::begin(limits), std::end(limits), [&](const auto& a, const auto& b) {
          const auto blocks_of = [&](const char* name) {
            const auto found = metrics.find(name);
            return found == metrics.end() ? HUGE_VAL : found->second;
          };
          return blocks_of(a.first) < blocks_of(b.first);
        });
    add_of_shape(
        (1 - percent / 100) * kOfShape,
        fmt::format(
            "low occupancy: at most {} % of the warps that a multiprocessor can hold run at "
            "a time",
            number(percent)),
        fmt::format("The limit are the {}.", least->second));
  }

  const std::string& name_;
  const Profile::Kernel& kernel_;
  const double share_;
  std::string at_;
  std::vector<Advice> found_;
};

}  // namespace

void Profile::add(const MetricsRow& row) {
  Kernel& kernel = kernels_[row.kernel];
  const bool is_worst = kernel.launches == 0 || row.time.ms > kernel.worst.time.ms;
  ++kernel.launches;
  kernel.ms += row.time.ms;
  ms_ += row.time.ms;
  for (const LineMetrics& line : row.lines) {
    auto& sums = kernel.lines[{line.file, line.line}];
    for (const auto& [name, value] : line.metrics) sums[name] += value;
  }
  if (!is_worst) return;
  kernel.worst = row;
  kernel.worst.lines.clear();
}

std::vector<Advice> advise(const Profile& profile) {
  std::vector<Advice> all;
  for (const auto& [name, kernel] : profile.kernels()) {
    for (Advice& each : KernelRules(name, kernel, profile.ms()).advice())
      all.push_back(std::move(each));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Advice& a, const Advice& b) { return a.weight > b.weight; });
  const auto first_of_shape =
      std::find_if(all.begin(), all.end(), [](const Advice& each) { return each.is_of_shape; });
  if (first_of_shape != all.end())
    all.erase(std::remove_if(std::next(first_of_shape), all.end(),
                             [](const Advice& each) { return each.is_of_shape; }),
              all.end());
  if (all.size() > kMostAdvice) all.resize(kMostAdvice);
  return all;
}

std::string in_words(const std::vector<Advice>& advice) {
  if (advice.empty()) return "";
  std::string text = "warpgrade: what costs time, the worst first\n";
  for (size_t i = 0; i < advice.size(); ++i)
    text += fmt::format("  {}. {}\n     {}\n     {}\n", i + 1,
                        printable(brief_kernel(advice[i].where)), advice[i].what, advice[i].change);
  return text;
}

}  // namespace warpgrade::emulator
