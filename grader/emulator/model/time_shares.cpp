// SPDX-License-Identifier: MIT
#include "emulator/model/time_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "emulator/counters/kinds.h"
#include "emulator/model/device_rates.h"
#include "emulator/model/make_work.h"

namespace warpgrade::emulator {
namespace {

constexpr double kWarpLanes = 32, kSectorsPerLine = 4, kSectorBytes = 32;
/// Pipes that lengthen the launch by less say nothing about its lines.
constexpr double kLeastWeight = 0.001;
constexpr std::string_view kLatency = "latency";

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/// A pipe and the share of the launch's time that is its own.
struct Weight {
  std::string_view pipe;
  double weight = 0;
};

/// d(time)/d(pipe) times the pipe: parts of (sum of pipes^q)^(1/q) that add up to it.
std::vector<Weight> weights_of(const TimeEstimate& estimate, const ModelConstants& constants) {
  double longest = 0, waiting = 0, powers = 0;
  for (const PipeTime& pipe : estimate.pipes)
    (pipe.name == kLatency ? waiting : longest) =
        std::max(pipe.name == kLatency ? waiting : longest, pipe.ms);
  for (const PipeTime& pipe : estimate.pipes) {
    if (pipe.name != kLatency)
      powers += std::pow(ratio(pipe.ms, longest), constants.merge_exponent);
  }
  const double busy = longest * std::pow(powers, 1 / constants.merge_exponent);
  const double of_busy = std::pow(busy, constants.latency_exponent);
  const double of_waiting = std::pow(waiting, constants.latency_exponent);
  const double both = of_busy + of_waiting;
  std::vector<Weight> weights;
  for (const PipeTime& pipe : estimate.pipes) {
    const double share =
        pipe.name == kLatency
            ? ratio(of_waiting, both)
            : ratio(of_busy, both) *
                  ratio(std::pow(ratio(pipe.ms, longest), constants.merge_exponent), powers);
    if (share >= kLeastWeight) weights.push_back({pipe.name, share});
  }
  return weights;
}

/// What each instruction of a launch asks of each pipe, in units that are the pipe's own.
class Demand {
 public:
  Demand(const Counts& counts, const CostProfile& profile, const LaunchWork& work,
         const DeviceRates& rates, const ModelConstants& constants)
      : counts_(counts), profile_(profile), work_(work), rates_(rates), constants_(constants) {}

  std::vector<double> of(std::string_view pipe, double load_clocks) const {
    if (pipe == kLatency) return waiting(load_clocks);
    std::vector<double> units(counts_.of.size());
    for (size_t pc = 0; pc < units.size(); ++pc) {
      if (counts_.of[pc].warps != 0) units[pc] = units_of(pipe, pc);
    }
    return units;
  }

 private:
  double units_of(std::string_view pipe, size_t pc) const {
    return own_units(pipe, pc) + saved_units(pipe, pc);
  }

  /// Registers that a function saves for its callers.
  double saved_units(std::string_view pipe, size_t pc) const {
    const double saved = profile_.costs[pc].saved * static_cast<double>(counts_.of[pc].warps);
    if (pipe == "l1") return 2 * saved;
    return pipe == "l2" ? saved * kSectorsPerLine * kWholeLineShare * constants_.l2_local_factor
                        : 0;
  }

  double own_units(std::string_view pipe, size_t pc) const {
    const OpCost& cost = profile_.costs[pc];
    const auto warps = static_cast<double>(counts_.of[pc].warps);
    const auto lanes = static_cast<double>(counts_.of[pc].lanes);
    if (pipe == "issue")
      return warps * cost.issue +
             static_cast<double>(counts_.rare[pc].loads) * constants_.loop_instructions;
    if (pipe == "alu")
      return warps * (cost.fp32 / rates_.fp32 + (cost.imad + cost.alu + cost.flex) / rates_.int32);
    if (pipe == "fp64") return warps * cost.fp64;
    if (pipe == "xu") return warps * cost.xu;
    if (pipe == "tensor") return warps * cost.tensor;
    if (pipe == "texture") return warps * cost.texture;
    if (pipe == "constant") return constant_turns(pc);
    if (pipe == "cluster") return far_units(pc);
    if (pipe == "barrier") return cost.kind == OpKind::barrier ? warps : 0;
    if (pipe == "library")
      return (cost.kind == OpKind::heap ? constants_.heap_clocks : 0) * lanes +
             (cost.kind == OpKind::print ? constants_.print_clocks : 0) * lanes;
    return memory_units(pipe, pc);
  }

  double constant_turns(size_t pc) const {
    const unsigned bytes = profile_.costs[pc].kind == OpKind::constant_load
                               ? constant_load_bytes(counts_.program.opcodes[pc])
                               : 0;
    return bytes == 0 ? 0 : static_cast<double>(counts_.of[pc].bytes) / bytes;
  }

  double far_units(size_t pc) const {
    LaunchWork far;
    add_far(far, profile_.costs[pc].kind, counts_.rare[pc]);
    return far.far_load_lines * constants_.far_line_clocks +
           far.far_load_sectors * constants_.far_load_clocks +
           far.far_store_sectors * constants_.far_store_clocks +
           far.far_atomic_sectors * constants_.far_atomic_clocks;
  }

  /// Loads share what all loads of the launch ask by their sectors, and so do stores.
  double memory_units(std::string_view pipe, size_t pc) const {
    const auto sectors = static_cast<double>(counts_.of[pc].sectors);
    switch (profile_.costs[pc].kind) {
      case OpKind::global_load:
      case OpKind::texture:
        return l1_units(pipe, pc) + ratio(sectors, work_.load_sectors) * of_loads(pipe);
      case OpKind::global_store:
        return l1_units(pipe, pc) + ratio(sectors, work_.store_sectors) * of_stores(pipe);
      case OpKind::local_load:
      case OpKind::local_store:
        if (pipe == "l1") return l1_units(pipe, pc) + sectors / kSectorsPerLine;
        return pipe == "l2" && profile_.costs[pc].kind == OpKind::local_store
                   ? sectors * constants_.l2_local_factor
                   : 0;
      case OpKind::global_atomic:
        if (pipe == "l2") return sectors * constants_.l2_atomic_factor;
        if (pipe == "dram")
          return ratio(sectors, work_.atomic_sectors) * 2 * work_.atomic_distinct_sectors *
                 kSectorBytes;
        return pipe == "atomics" ? static_cast<double>(counts_.of[pc].requests)
                                 : l1_units(pipe, pc);
      default:
        return l1_units(pipe, pc);
    }
  }

  double of_loads(std::string_view pipe) const {
    if (pipe == "l1") return work_.load_wavefronts;
    if (pipe == "l2") return work_.load_miss_sectors;
    if (pipe == "l1-misses") return work_.load_miss_lines;
    if (pipe == "dram") return work_.read_bytes;
    return pipe == "bus" ? work_.host_read_bytes : 0;
  }

  double of_stores(std::string_view pipe) const {
    if (pipe == "l1") return work_.store_wavefronts;
    if (pipe == "l2")
      return work_.store_sectors * (1 - work_.merged_share) *
             (work_.partial_share * constants_.l2_partial_factor +
              work_.partial_line_share * constants_.l2_partial_line +
              (1 - work_.partial_share) * constants_.l2_write_factor);
    if (pipe == "dram") return work_.written_bytes;
    return pipe == "bus" ? work_.host_written_bytes : 0;
  }

  double l1_units(std::string_view pipe, size_t pc) const {
    if (pipe != "l1") return 0;
    return static_cast<double>(counts_.of[pc].wavefronts + counts_.rare[pc].load_wavefronts) +
           static_cast<double>(counts_.of[pc].warps) * profile_.costs[pc].shuffle * kWarpLanes /
               rates_.shuffle;
  }

  /// The clocks of each basic block's longest way, told to those of its instructions that make them.
  std::vector<double> waiting(double load_clocks) const {
    std::vector<double> clocks(counts_.of.size());
    for (const BasicBlock& block : profile_.blocks) {
      const auto times = static_cast<double>(counts_.of[block.first].warps);
      if (times != 0) add_waiting(block, times, load_clocks, clocks);
    }
    for (size_t pc = 0; pc < clocks.size(); ++pc) {
      if (profile_.costs[pc].kind == OpKind::global_load)
        clocks[pc] += static_cast<double>(counts_.of[pc].sectors) * constants_.sector_clocks;
      clocks[pc] += static_cast<double>(counts_.rare[pc].loads) * constants_.loop_clocks;
    }
    add_waiting_alone(load_clocks, clocks);
    return clocks;
  }

  /// What one warp of a block waits beyond the average is told to the instructions at which it meets other blocks.
  void add_waiting_alone(double load_clocks, std::vector<double>& clocks) const {
    const WarpPath& alone = work_.path_alone;
    const double all = work_.working_warps() * (alone.fixed + alone.global * load_clocks +
                                                alone.atomic * constants_.atomic_clocks);
    double meetings = 0;
    const auto meetings_of = [&](size_t pc) {
      return profile_.costs[pc].meets ? static_cast<double>(counts_.of[pc].warps) : 0;
    };
    for (size_t pc = 0; pc < clocks.size(); ++pc) meetings += meetings_of(pc);
    for (size_t pc = 0; pc < clocks.size(); ++pc)
      clocks[pc] += all * ratio(meetings_of(pc), meetings);
  }

  void add_waiting(const BasicBlock& block, double times, double load_clocks,
                   std::vector<double>& clocks) const {
    const auto share_out = [&](double all, auto part_of) {
      double parts = 0;
      for (uint32_t pc = block.first; pc < block.end; ++pc) parts += part_of(profile_.costs[pc]);
      for (uint32_t pc = block.first; pc < block.end; ++pc)
        clocks[pc] += times * all * ratio(part_of(profile_.costs[pc]), parts);
    };
    const auto is = [](auto... kinds) {
      return [=](const OpCost& cost) { return ((cost.kind == kinds) || ...) ? 1.0 : 0.0; };
    };
    share_out(block.path.fixed, [](const OpCost& cost) { return cost.clocks; });
    share_out(block.path.global * load_clocks, is(OpKind::global_load, OpKind::texture));
    share_out(block.path.shared * rates_.shared_clocks, is(OpKind::shared_load));
    share_out(block.path.atomic * constants_.atomic_clocks, is(OpKind::global_atomic));
    share_out(block.path.barrier * constants_.barrier_clocks, is(OpKind::barrier));
  }

  const Counts& counts_;
  const CostProfile& profile_;
  const LaunchWork& work_;
  const DeviceRates& rates_;
  const ModelConstants& constants_;
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::vector<double> time_shares(const Counts& counts, const CostProfile& profile,
                                const LaunchWork& work, const DeviceModel& device,
                                const TimeEstimate& estimate, const ModelConstants& constants) {
  const Demand demand(counts, profile, work, device_rates(device), constants);
  std::vector<double> shares(counts.of.size());
  for (const Weight& each : weights_of(estimate, constants)) {
    const std::vector<double> units = demand.of(each.pipe, estimate.load_clocks);
    const double all = sum(units);
    for (size_t pc = 0; pc < shares.size(); ++pc) shares[pc] += each.weight * ratio(units[pc], all);
  }
  const double all = sum(shares);
  for (double& share : shares) share = ratio(share, all);
  return shares;
}

}  // namespace warpgrade::emulator
