// SPDX-License-Identifier: MIT
#include "emulator/model/time_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/model/device_rates.h"

namespace warpgrade::emulator {
namespace {

constexpr double kWarpLanes = 32, kSectorBytes = 32, kSectorsPerLine = 4, kL2Slices = 96;
constexpr double kTurnsTogether = 4;

/// A device, a launch and how the one is spread over the other.
struct Model {
  const LaunchWork& work;
  const DeviceModel& device;
  const DeviceRates& rates;
  const ModelConstants& constants;
  double sms, clocks_per_ms;
  double busiest;  ///< what the busiest multiprocessor does, as a share of the launch
  double waves;    ///< runs of resident blocks, one after another, on the busiest multiprocessor
  std::vector<PipeTime> pipes;
  double dram_bytes = 0;

  void add(std::string_view name, std::string_view description, double clocks) {
    pipes.push_back({name, description, clocks / clocks_per_ms});
  }
  /// What a multiprocessor does at `rate` units a clock.
  void add_sm(std::string_view name, std::string_view description, double units, double rate) {
    add(name, description, units * busiest / rate);
  }
};

void add_arithmetic(Model& model) {
  const OpCost& pipes = model.work.pipes;
  const DeviceRates& rates = model.rates;
  model.add_sm("issue", "issuing instructions",
               pipes.issue + model.work.shared_loop_rounds * model.constants.loop_instructions,
               rates.issue * model.constants.issue_efficiency);
  const double products =
      pipes.fp32 * kWarpLanes / rates.fp32 + pipes.imad * kWarpLanes / rates.int32;
  const double logic = pipes.alu * kWarpLanes / rates.int32;
  const double either = pipes.flex * kWarpLanes / rates.int32;
  model.add_sm(
      "alu",
      logic > products ? "integer and logic instructions" : "single-precision and integer products",
      std::max({products, logic, (products + logic + either) / 2}), 1);
  model.add_sm("fp64", "double-precision arithmetic", pipes.fp64, rates.fp64 / kWarpLanes);
  model.add_sm("xu", "special functions and conversions", pipes.xu, rates.xu / kWarpLanes);
  model.add_sm("tensor", "matrix instructions", pipes.tensor, rates.tensor_kilo_fma);
}

/// What blocks of different waves share is fetched again where the L2 cache could not hold it.
double fetched_again(const Model& model) {
  const LaunchWork& work = model.work;
  const double shared = std::max(work.block_read_bytes - work.read_bytes, 0.0);
  const double held = model.device.l2_bytes * model.constants.l2_capacity /
                      std::max(work.read_bytes + work.written_bytes, 1.0);
  const double in_wave = std::min(work.resident_blocks * model.sms / work.sharing_blocks(), 1.0);
  return shared * std::max(1 - held, 0.0) * (1 - in_wave * work.read_in_order);
}

/// What is written last stays in the L2 cache; a sector that is never written in full is read first.
void add_dram(Model& model) {
  const LaunchWork& work = model.work;
  const ModelConstants& constants = model.constants;
  const double written = std::min(work.written_bytes, work.store_sectors * kSectorBytes);
  const double kept = model.device.l2_bytes * constants.l2_dirty_share;
  const double holes = 1 - std::min(work.stored_bytes / std::max(written, 1.0), 1.0);
  const double with_atomics = work.atomic_distinct_sectors * kSectorBytes;
  model.dram_bytes = work.read_bytes + fetched_again(model) + with_atomics +
                     std::max(written + with_atomics - kept, 0.0) +
                     written * work.partial_share * holes;
  // Rows of DRAM are opened for single sectors.
  const double of_written = written / std::max(work.written_bytes, 1.0);
  const double scattered = work.scattered_written_bytes * of_written * (1 + holes) +
                           2 * work.scattered_atomic_sectors * kSectorBytes;
  const double as_if = work.scattered_written_sectors * constants.scattered_store_bytes +
                       work.scattered_atomic_sectors * constants.scattered_atomic_bytes;
  model.pipes.push_back({"dram", "DRAM",
                         (model.dram_bytes + std::max(as_if - scattered, 0.0)) /
                             (model.device.bytes_per_ms() * constants.dram_efficiency)});
}

/// Neighbouring lines are one slice's. Additions of floats to one word wait for each other, and so do
/// stores to one place, wherever the others go.
void add_atomics(Model& model) {
  const double slices =
      std::clamp(model.work.atomic_lines / model.constants.l2_slice_lines, 1.0, kL2Slices);
  const double spread = model.work.atomic_operations / slices;
  const double on_one = model.work.hottest_operations;
  model.add("atomics",
            on_one > spread ? "atomics or stores on one place in the L2 cache"
                            : "atomics in the L2 cache",
            std::max(spread, on_one) * model.constants.l2_atomic_clocks);
}

void add_caches(Model& model) {
  const LaunchWork& work = model.work;
  const ModelConstants& constants = model.constants;
  const double shared =
      work.shared_wavefronts + work.pipes.shuffle * kWarpLanes / model.rates.shuffle;
  const double local = (work.local_load_sectors + work.local_store_sectors) / kSectorsPerLine;
  const double global = work.load_wavefronts + work.store_wavefronts + local;
  model.add_sm("l1", shared > global ? "shared memory" : "the L1 cache", shared + global, 1);
  const double stored = work.store_sectors * (1 - work.merged_share);
  const double partial = stored * work.partial_share;
  const double whole = stored * (1 - work.partial_share);
  const double l2_sectors = work.load_miss_sectors + whole * constants.l2_write_factor +
                            partial * constants.l2_partial_factor +
                            stored * work.partial_line_share * constants.l2_partial_line +
                            work.local_store_sectors * constants.l2_local_factor +
                            work.atomic_sectors * constants.l2_atomic_factor;
  model.add_sm("l2", "the L2 cache", l2_sectors,
               model.rates.l2_bytes / kSectorBytes * constants.l2_sectors);
  model.add_sm("l1-misses", "fetching lines into the L1 cache",
               work.load_miss_lines * constants.miss_line_clocks +
                   work.load_miss_sectors * constants.miss_sector_clocks,
               1);
  model.add_sm("constant", "constant memory, address by address",
               work.constant_turns * constants.constant_clocks +
                   work.constant_misses * constants.constant_miss_clocks,
               1);
  model.add_sm("texture", "the texture units", work.texture_quads, model.rates.texture_quads);
}

void add_memory(Model& model) {
  const LaunchWork& work = model.work;
  const ModelConstants& constants = model.constants;
  add_caches(model);
  model.add_sm("cluster", "shared memory of other blocks of the cluster",
               work.far_load_lines * constants.far_line_clocks +
                   work.far_load_sectors * constants.far_load_clocks +
                   work.far_store_sectors * constants.far_store_clocks +
                   work.far_atomic_sectors * constants.far_atomic_clocks,
               1);
  const double bus_bytes = work.host_read_bytes + work.host_written_bytes;
  model.pipes.push_back({"bus", "memory of the host, over the bus",
                         bus_bytes / (model.rates.bus_bytes_per_ms * constants.bus_efficiency)});
  model.add_sm("barrier", "barriers", work.barriers, 1 / constants.barrier_warp_clocks);
  add_dram(model);
  model.add("library", "malloc, free and printf of threads",
            work.heap_calls * constants.heap_clocks + work.prints * constants.print_clocks);
  add_atomics(model);
}

/// The chance that something with that chance happens to one of several.
double any_of(double chance, double count) { return 1 - std::pow(1 - chance, count); }

/// A load waits for the slowest of those that its warp has under way together. They are alike in part: where one
/// misses, so do others.
double load_clocks(const Model& model) {
  const LaunchWork& work = model.work;
  if (work.load_sectors <= 0) return 0;
  const double warps = work.working_warps();
  const double requests = std::max(work.load_requests, 1.0);
  const double together =
      std::sqrt(std::max(requests / warps / std::max(work.path.global, 1.0), 1.0));
  // What another warp of the block has asked for is no nearer yet.
  // The first wave waits for what other blocks fetch, too, where all go through it in one order.
  const double served = work.load_served_requests * (1 - work.read_in_order / model.waves);
  const double miss = std::min((work.load_miss_requests - served) / requests, 1.0);
  const double sectors = std::max(work.load_miss_sectors, 1.0) * kSectorBytes;
  // The blocks of the first wave wait for the same data together.
  const double cold =
      std::max(std::min(work.read_bytes / sectors, 1.0),
               std::min(work.block_read_bytes / sectors, 1.0) / model.waves * work.read_in_order);
  const double host =
      work.host_read_bytes / std::max(work.host_read_bytes + work.block_read_bytes, 1.0);
  return model.rates.l1_clocks +
         any_of(miss, together) * (model.rates.l2_clocks - model.rates.l1_clocks) +
         any_of(miss * cold, together) * (model.rates.dram_clocks - model.rates.l2_clocks) +
         any_of(miss * host, together) * (model.constants.bus_clocks - model.rates.dram_clocks);
}

/// A warp's way from its start to its end, loads from global memory aside.
double own_clocks(const Model& model) {
  const WarpPath& path = model.work.path;
  const ModelConstants& constants = model.constants;
  const double loop_rounds = model.work.shared_loop_rounds / model.work.working_warps();
  const double sectors = model.work.load_sectors / model.work.working_warps();
  return path.fixed + sectors * constants.sector_clocks + path.shared * model.rates.shared_clocks +
         path.atomic * constants.atomic_clocks + loop_rounds * constants.loop_clocks +
         path.barrier * constants.barrier_clocks;
}

double waiting_clocks(const Model& model) {
  const double for_a_load = load_clocks(model);
  const WarpPath& meeting = model.work.path_alone;
  const double own = own_clocks(model), loads = model.work.path.global * for_a_load;
  const double alone =
      meeting.fixed + meeting.global * for_a_load + meeting.atomic * model.constants.atomic_clocks;
  const double longest = model.work.longest_warp;
  // Part of what the longest warp loads beyond the others lies near already; of a long loop, ptxas lets four turns load
  // together.
  return std::max((own + loads) * std::max(model.work.warp_imbalance, 1.0) * model.waves,
                  own * longest + loads * std::max(std::sqrt(longest), longest / kTurnsTogether)) +
         (alone + model.constants.block_latency) * model.waves;
}

/// More than the longest, less than the sum.
double merged(const std::vector<PipeTime>& pipes, double exponent) {
  double sum = 0;
  for (const PipeTime& pipe : pipes) sum += std::pow(pipe.ms, exponent);
  return std::pow(sum, 1 / exponent);
}

}  // namespace

TimeEstimate estimate_time(const LaunchWork& work, const DeviceModel& device,
                           const ModelConstants& constants) {
  Model model{work,
              device,
              device_rates(device),
              constants,
              static_cast<double>(device.sm_count),
              static_cast<double>(device.clock_khz),
              0,
              0,
              {}};
  const double sharing = std::max(work.sharing_blocks(), 1.0);
  const double on_busiest = std::ceil(sharing / model.sms);
  model.busiest = on_busiest / sharing;
  if (work.blocks <= work.resident_blocks * model.sms)
    model.busiest = std::max(model.busiest, work.busiest_share);
  model.waves = std::max(on_busiest / std::max(work.resident_blocks, 1.0), 1.0);
  add_arithmetic(model);
  add_memory(model);
  model.add("blocks", "starting blocks", work.blocks * constants.block_clocks);
  TimeEstimate estimate;
  const double busy = merged(model.pipes, constants.merge_exponent);
  model.add("latency", "waiting for results, with too few warps to hide it", waiting_clocks(model));
  const double waiting = model.pipes.back().ms;
  estimate.ms = constants.launch_us / 1e3 +
                merged({{"", "", busy}, {"", "", waiting}}, constants.latency_exponent);
  estimate.in_row_ms = estimate.ms - (constants.launch_us - constants.in_row_us) / 1e3;
  estimate.kernel_ms = estimate.ms - (constants.launch_us - constants.record_us) / 1e3;
  estimate.pipes = std::move(model.pipes);
  estimate.dram_bytes = model.dram_bytes;
  estimate.load_clocks = load_clocks(model);
  std::stable_sort(estimate.pipes.begin(), estimate.pipes.end(),
                   [](const PipeTime& a, const PipeTime& b) { return a.ms > b.ms; });
  return estimate;
}

std::string in_words(const TimeEstimate& estimate) {
  std::string text = fmt::format("{:.4f} ms", estimate.ms);
  for (size_t rank = 0; rank < std::min<size_t>(estimate.pipes.size(), 3); ++rank) {
    const PipeTime& pipe = estimate.pipes[rank];
    text += fmt::format("{} {} ({:.4f} ms)", rank == 0 ? ", bound by" : ", then", pipe.description,
                        pipe.ms);
  }
  return text;
}

}  // namespace warpgrade::emulator
