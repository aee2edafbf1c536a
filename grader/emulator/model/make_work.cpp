// SPDX-License-Identifier: MIT
#include "emulator/model/make_work.h"

#include <algorithm>
#include <cmath>

namespace warpgrade::emulator {
namespace {

constexpr double kGranuleBytes = 64;
constexpr int kBisections = 60;

double ratio(double a, double b, double otherwise) { return b > 0 ? a / b : otherwise; }

bool bypasses_l1(std::string_view opcode) {
  for (const std::string_view word : {".cg", ".cv", ".volatile", ".relaxed", ".acquire"}) {
    if (opcode.find(word) != std::string_view::npos) return true;
  }
  return false;
}

void add_pipes(OpCost& total, const OpCost& cost, double times) {
  total.issue += times * cost.issue;
  total.fp32 += times * cost.fp32;
  total.imad += times * cost.imad;
  total.alu += times * cost.alu;
  total.flex += times * cost.flex;
  total.fp64 += times * cost.fp64;
  total.xu += times * cost.xu;
  total.tensor += times * cost.tensor;
  total.shuffle += times * cost.shuffle;
}

/// How many distinct granules `blocks` blocks touch when `samples` of them touched `distinct` and
/// `sum` counted block by block: as if each chose its own out of a pool, whose size follows from
/// how many the samples had in common.
double extrapolated(double sum, double distinct, double samples, double blocks) {
  if (blocks <= samples) return distinct;
  const double own = sum / samples;
  if (samples < 2 || distinct >= 0.999 * sum) return own * blocks;
  const auto seen = [&](double pool, double count) {
    return pool * (1 - std::pow(1 - std::min(own / pool, 1.0), count));
  };
  double low = std::log(std::max(distinct, own)), high = low + std::log(1e6);
  for (int step = 0; step < kBisections; ++step) {
    const double middle = (low + high) / 2;
    (seen(std::exp(middle), samples) < distinct ? low : high) = middle;
  }
  return seen(std::exp(low), blocks);
}

void add_distinct_bytes(LaunchWork& work, const FootprintTotals& footprint, double load_scale,
                        double store_scale) {
  const auto samples = static_cast<double>(std::max<uint64_t>(footprint.blocks, 1));
  for (const AllocationUse& use : footprint.uses) {
    const double blocks = samples * (use.written ? store_scale : load_scale);
    const double granules = extrapolated(static_cast<double>(use.by_blocks),
                                         static_cast<double>(use.granules), samples, blocks);
    const double bytes =
        std::min(granules * kGranuleBytes, static_cast<double>(use.bytes) + kGranuleBytes);
    if (!use.written)
      work.block_read_bytes += static_cast<double>(use.by_blocks) * load_scale * kGranuleBytes;
    (use.written ? work.written_bytes : work.read_bytes) += bytes;
  }
}

void add_instruction(LaunchWork& work, const OpCost& cost, std::string_view opcode,
                     const ExecutionCount& count, double& bypassing) {
  add_pipes(work.pipes, cost, static_cast<double>(count.warps));
  const auto sectors = static_cast<double>(count.sectors);
  switch (cost.kind) {
    case OpKind::global_load:
      work.load_sectors += sectors;
      work.load_requests += static_cast<double>(count.requests);
      if (bypasses_l1(opcode)) bypassing += sectors;
      break;
    case OpKind::global_store:
      work.store_sectors += sectors;
      break;
    case OpKind::local_load:
      work.local_load_sectors += sectors;
      break;
    case OpKind::local_store:
      work.local_store_sectors += sectors;
      break;
    case OpKind::global_atomic:
      work.atomic_requests += static_cast<double>(count.requests);
      work.atomic_sectors += sectors;
      break;
    case OpKind::barrier:
      work.barriers += static_cast<double>(count.warps);
      break;
    default:
      break;
  }
  work.shared_wavefronts += static_cast<double>(count.wavefronts);
}

void scale_footprint(LaunchWork& work, const FootprintTotals& seen, double bypassing) {
  const auto of = [](uint64_t value) { return static_cast<double>(value); };
  const double load_scale = ratio(work.load_sectors, of(seen.load_sectors), 0);
  const double store_scale = ratio(work.store_sectors, of(seen.store_sectors), 0);
  const double atomic_scale = ratio(work.atomic_requests, of(seen.atomic_requests), 0);
  work.load_wavefronts = of(seen.load_wavefronts) * load_scale;
  work.store_wavefronts = of(seen.store_wavefronts) * store_scale;
  // Warps of a block run side by side on a GPU: what one fetched, the others find.
  const double miss = ratio(of(seen.warp_misses), of(seen.load_sectors), 1) *
                      ratio(of(seen.block_sectors), of(seen.warp_sectors), 1);
  work.load_miss_sectors = bypassing + (work.load_sectors - bypassing) * miss;
  const double warp_miss = ratio(of(seen.warp_misses), of(seen.load_sectors), 1);
  work.load_warp_miss_sectors = bypassing + (work.load_sectors - bypassing) * warp_miss;
  work.stored_bytes = of(seen.stored_bytes) * store_scale;
  work.partial_share = ratio(of(seen.partial_sectors), of(seen.store_sectors), 0);
  work.atomic_operations = seen.atomic_operations * atomic_scale;
  work.hottest_operations = seen.hottest_operations * atomic_scale;
  work.atomic_lines = extrapolated(of(seen.atomic_block_lines), of(seen.atomic_lines),
                                   of(seen.blocks), of(seen.blocks) * atomic_scale);
  add_distinct_bytes(work, seen, load_scale, store_scale);
}

void add_path(LaunchWork& work, const CostProfile& profile,
              const std::vector<ExecutionCount>& counts) {
  const double warps = work.blocks * work.warps_per_block;
  for (const BasicBlock& block : profile.blocks) {
    const double times = static_cast<double>(counts[block.first].warps) / warps;
    work.path.fixed += times * block.path.fixed;
    work.path.shared += times * block.path.shared;
    work.path.global += times * block.path.global;
    work.path.atomic += times * block.path.atomic;
    work.path.shared_atomic += times * block.path.shared_atomic;
    work.path.barrier += times * block.path.barrier;
  }
}

}  // namespace

LaunchWork make_work(const Counts& counts, const CostProfile& profile,
                     const FootprintTotals& footprint, uint64_t blocks, uint64_t warps_per_block) {
  LaunchWork work;
  work.blocks = static_cast<double>(blocks);
  work.warps_per_block = static_cast<double>(warps_per_block);
  work.pipes.issue = 0;
  double bypassing = 0;
  for (size_t pc = 0; pc < counts.of.size(); ++pc) {
    const ExecutionCount& count = counts.of[pc];
    if (count.warps == 0) continue;
    add_instruction(work, profile.costs[pc], counts.program.opcodes[pc], count, bypassing);
    work.shared_wavefronts += static_cast<double>(counts.rare[pc].load_wavefronts);
    work.shared_loop_rounds += static_cast<double>(counts.rare[pc].loads);
  }
  scale_footprint(work, footprint, bypassing);
  add_path(work, profile, counts.of);
  return work;
}

}  // namespace warpgrade::emulator
