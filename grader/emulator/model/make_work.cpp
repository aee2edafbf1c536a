// SPDX-License-Identifier: MIT
#include "emulator/model/make_work.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/counters/kinds.h"

namespace warpgrade::emulator {
namespace {

constexpr double kGranuleBytes = 64, kQuadsOfWarp = 8, kSectorBytes = 32, kSectorsPerLine = 4,
                 kRegisterBytes = 4;
constexpr int kBisections = 60;

double ratio(double a, double b, double otherwise) { return b > 0 ? a / b : otherwise; }

bool bypasses_l1(std::string_view opcode) {
  for (const std::string_view word : {".cg", ".cv", ".volatile", ".relaxed", ".acquire", ".bulk"}) {
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

/// How many distinct lines `blocks` blocks touch when `samples` of them touched `distinct` and
/// `sum` counted block by block: as if each chose its own out of a pool, whose size follows from
/// how many the samples had in common.
double pool_size(double sum, double distinct, double samples, double blocks) {
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

/// How many distinct granules `blocks` blocks touch: each block past the samples adds as many as a
/// sample touched alone (Good and Turing's estimate of what is new), within what the samples span.
double extrapolated(const AllocationUse& use, double samples, double blocks) {
  const auto distinct = static_cast<double>(use.granules);
  if (blocks <= samples || use.high < use.low) return distinct;
  const double more = static_cast<double>(use.lone) / samples * (blocks - samples);
  const double span = static_cast<double>(use.high - use.low + 1) * (1 + 1 / samples);
  return std::max(std::min(distinct + more, span), distinct);
}

double distinct_bytes(const AllocationUse& use, double samples, double scale) {
  const double granules = extrapolated(use, samples, samples * scale);
  return std::min(granules * kGranuleBytes, static_cast<double>(use.bytes) + kGranuleBytes);
}

/// How many of `all` places are hit by so many shots at random.
double distinct_of_random(double shots, double all) {
  return all > 0 ? all * (1 - std::exp(-shots / all)) : 0;
}

/// The bytes that the launch reads, or writes, where each is counted once.
void add_distinct_bytes(LaunchWork& work, const FootprintTotals& footprint, bool written,
                        double scale) {
  const auto samples = static_cast<double>(std::max<uint64_t>(footprint.blocks, 1));
  for (const AllocationUse& use : footprint.uses) {
    if (use.written != written) continue;
    const double by_blocks = static_cast<double>(use.by_blocks) * scale * kGranuleBytes;
    if (use.on_host) {
      (written ? work.host_written_bytes : work.host_read_bytes) += by_blocks;
      continue;
    }
    const double bytes = distinct_bytes(use, samples, scale);
    if (!written) work.block_read_bytes += by_blocks;
    (written ? work.written_bytes : work.read_bytes) += bytes;
    if (!written) continue;
    const double scattered =
        ratio(static_cast<double>(use.scattered), static_cast<double>(use.sectors), 0);
    const double stored =
        static_cast<double>(use.sectors) * (1 - work.merged_share) * work.partial_share;
    work.scattered_written_sectors +=
        scattered *
        distinct_of_random(stored * scale, static_cast<double>(use.bytes) / kSectorBytes);
    work.scattered_written_bytes += scattered * work.partial_share * bytes;
  }
}

/// Loads that the L1 cache does not serve.
struct Bypassing {
  double sectors = 0, requests = 0;
  void add(const ExecutionCount& count) {
    sectors += static_cast<double>(count.sectors);
    requests += static_cast<double>(count.requests);
  }
};

void add_instruction(LaunchWork& work, const OpCost& cost, std::string_view opcode,
                     const ExecutionCount& count, Bypassing& bypassing) {
  add_pipes(work.pipes, cost, static_cast<double>(count.warps));
  const auto sectors = static_cast<double>(count.sectors);
  switch (cost.kind) {
    case OpKind::global_load:
      work.load_sectors += sectors;
      work.load_requests += static_cast<double>(count.requests);
      if (bypasses_l1(opcode)) bypassing.add(count);
      break;
    case OpKind::constant_load:
      if (const unsigned bytes = constant_load_bytes(opcode); bytes != 0)
        work.constant_turns += static_cast<double>(count.bytes) / bytes;
      break;
    case OpKind::texture:
      work.load_sectors += sectors;
      work.load_requests += static_cast<double>(count.requests);
      work.texture_quads += cost.texture * static_cast<double>(count.warps) * kQuadsOfWarp;
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
    case OpKind::heap:
      work.heap_calls += static_cast<double>(count.lanes);
      break;
    case OpKind::print:
      work.prints += static_cast<double>(count.lanes);
      break;
    case OpKind::barrier:
      work.barriers += static_cast<double>(count.warps);
      break;
    default:
      break;
  }
  work.shared_wavefronts += static_cast<double>(count.wavefronts);
  const double saved = cost.saved * static_cast<double>(count.warps) * kSectorsPerLine;
  work.local_load_sectors += saved;
  work.local_store_sectors += saved * kWholeLineShare;
}

/// Loads from fixed places go through the constant cache, too.
void add_constants(LaunchWork& work, const Counts& counts, const FootprintTotals& seen) {
  double addresses = 0;
  for (size_t pc = 0; pc < counts.of.size(); ++pc) {
    if (const unsigned bytes = constant_load_bytes(counts.program.opcodes[pc]); bytes != 0)
      addresses += static_cast<double>(counts.of[pc].bytes) / bytes;
  }
  work.constant_misses = addresses * ratio(static_cast<double>(seen.constant_misses),
                                           static_cast<double>(seen.constant_addresses), 0);
}

/// How much of each total the sampled blocks speak for, from 0 to 1. Blocks unlike them did the rest: of that no cache
/// is taken to serve a load, and each atomic waits for the one before it.
struct Spoken {
  double loads = 1, stores = 1, atomics = 1;
};

/// Grids have edges: so much more than what the sample tells is no sign of other blocks.
constexpr double kEdges = 1.05;

Spoken spoken_for(const LaunchWork& work, const FootprintTotals& seen) {
  if (work.blocks <= static_cast<double>(Footprint::kSamples)) return {};
  const auto share = [&](double most_of_block, double total) {
    return std::min(ratio(kEdges * most_of_block * work.blocks, total, 1), 1.0);
  };
  return {share(seen.most_of_block.load_sectors, work.load_sectors),
          share(seen.most_of_block.store_sectors, work.store_sectors),
          share(seen.most_of_block.atomic_requests, work.atomic_requests)};
}

/// The samples' misses that other blocks leave.
struct Missed {
  double sectors = 1, lines = 1, requests = 1;
};

/// What stays in the L1 cache of the data that all blocks read: 128 of 256 KB do, 256 do not (model/README.md).
constexpr double kKeptOfL1 = 0.75;

/// The L1 cache outlives blocks: what all of them read, and what fits into it, each multiprocessor fetches once.
/// `shared`: of the misses of a block's warps, those that no other warp of it has had. Lessens what blocks read.
Missed missed_in_spite_of_others(LaunchWork& work, const FootprintTotals& seen,
                                 const L1Caches& caches, double scale, double shared) {
  const auto of = [](uint64_t value) { return static_cast<double>(value); };
  std::vector<std::pair<double, const AllocationUse*>> pools;
  for (const AllocationUse& use : seen.uses) {
    if (!use.written && !use.on_host && use.misses != 0)
      pools.push_back({distinct_bytes(use, std::max(of(seen.blocks), 1.0), scale), &use});
  }
  std::sort(pools.begin(), pools.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second->begin) < std::tie(b.first, b.second->begin);
  });
  double held = 0;
  Missed all{0, 0, 0}, left{0, 0, 0};
  for (const auto& [bytes, use] : pools) {
    held += bytes;
    const double by_blocks = of(use->by_blocks) * scale * kGranuleBytes;
    const double sectors =
        bytes / kGranuleBytes * ratio(of(use->block_sectors), of(use->by_blocks), 1);
    const double once = caches.count * sectors / (of(use->misses) * scale * shared);
    const double share = held <= kKeptOfL1 * caches.bytes ? std::min(once, 1.0) : 1;
    all.sectors += of(use->misses);
    all.lines += of(use->miss_lines);
    all.requests += of(use->miss_requests);
    left.sectors += share * of(use->misses);
    left.lines += share * of(use->miss_lines);
    left.requests += share * of(use->miss_requests);
    if (share < 1) work.block_read_bytes -= by_blocks - std::min(by_blocks, caches.count * bytes);
  }
  return {ratio(left.sectors, all.sectors, 1), ratio(left.lines, all.lines, 1),
          ratio(left.requests, all.requests, 1)};
}

void add_loads(LaunchWork& work, const FootprintTotals& seen, const Bypassing& bypassing,
               double spoken, const L1Caches& caches) {
  const auto of = [](uint64_t value) { return static_cast<double>(value); };
  const double scale = spoken * ratio(work.load_sectors, of(seen.load_sectors), 0);
  const double lone_sectors = (1 - spoken) * work.load_sectors;
  const double lone_requests = (1 - spoken) * work.load_requests;
  work.load_wavefronts = of(seen.load_wavefronts) * scale + lone_requests;
  // Warps of a block run side by side on a GPU: what one fetched, the others find.
  const double shared = ratio(of(seen.block_sectors), of(seen.warp_sectors), 1);
  const auto missed = [&](double all, double bypass, double share) {
    return bypass + (all - bypass) * (spoken * share + 1 - spoken);
  };
  const Missed kept = missed_in_spite_of_others(work, seen, caches, scale, shared);
  const double warp_miss = kept.sectors * ratio(of(seen.warp_misses), of(seen.load_sectors), 1);
  work.load_miss_sectors = missed(work.load_sectors, bypassing.sectors, warp_miss * shared);
  work.load_warp_miss_sectors = missed(work.load_sectors, bypassing.sectors, warp_miss);
  const double missing = ratio(of(seen.miss_requests), of(seen.load_requests), 1);
  work.load_miss_requests = missed(work.load_requests, bypassing.requests, missing);
  work.load_served_requests =
      work.load_miss_requests -
      missed(work.load_requests, bypassing.requests, kept.requests * missing);
  work.load_miss_lines = of(seen.miss_lines) * kept.lines * scale * shared +
                         std::max(lone_sectors / kSectorsPerLine, lone_requests);
  add_distinct_bytes(work, seen, false, scale);
  work.read_in_order = seen.read_in_order;
  work.read_bytes += lone_sectors * kSectorBytes;
  work.block_read_bytes += lone_sectors * kSectorBytes;
}

void add_stores(LaunchWork& work, const FootprintTotals& seen, double spoken) {
  const auto of = [](uint64_t value) { return static_cast<double>(value); };
  const double scale = spoken * ratio(work.store_sectors, of(seen.store_sectors), 0);
  const double lone_sectors = (1 - spoken) * work.store_sectors;
  work.store_wavefronts = of(seen.store_wavefronts) * scale + lone_sectors / kSectorsPerLine;
  work.stored_bytes = of(seen.stored_bytes) * scale + lone_sectors * kSectorBytes;
  work.merged_share = spoken * ratio(of(seen.merged_sectors), of(seen.store_sectors), 0);
  const double left = of(seen.store_sectors - seen.merged_sectors);
  work.partial_share = ratio(of(seen.partial_sectors), left, 0);
  work.partial_line_share = ratio(of(seen.partial_lines), left, 0);
  add_distinct_bytes(work, seen, true, scale);
  work.written_bytes += lone_sectors * kSectorBytes;
}

void add_atomics(LaunchWork& work, const FootprintTotals& seen, double spoken) {
  const auto of = [](uint64_t value) { return static_cast<double>(value); };
  const double scale = spoken * ratio(work.atomic_requests, of(seen.atomic_requests), 0);
  const double operations = seen.atomic_operations * scale;
  const double lone_operations = (1 - spoken) * work.atomic_sectors;
  work.atomic_operations = operations + lone_operations;
  work.hottest_operations = seen.hottest_word * (seen.hottest_is_shared ? scale : 1.0);
  // Blocks that share lines may not be among the samples; then these lie between what the samples touched.
  const double span = of(seen.atomic_span_lines) * (1 + ratio(1, of(seen.blocks), 0));
  const double lines =
      std::max(std::min(pool_size(of(seen.atomic_block_lines), of(seen.atomic_lines),
                                  of(seen.blocks), of(seen.blocks) * scale),
                        span),
               of(seen.atomic_lines));
  const double turns = ratio(operations, lines, 0) + lone_operations;
  work.atomic_lines = ratio(work.atomic_operations, turns, lines);
  // Their number in the lines tells more than how many the samples have in common, which are few.
  work.atomic_distinct_sectors =
      distinct_of_random(of(seen.atomic_block_sectors) * scale, lines * kSectorsPerLine);
  work.scattered_atomic_sectors =
      work.atomic_distinct_sectors *
      ratio(of(seen.atomic_scattered), of(seen.atomic_asked_sectors), 0);
}

void add_times(WarpPath& sum, const WarpPath& path, double times) {
  sum.fixed += times * path.fixed;
  sum.shared += times * path.shared;
  sum.global += times * path.global;
  sum.atomic += times * path.atomic;
  sum.shared_atomic += times * path.shared_atomic;
  sum.barrier += times * path.barrier;
}

/// `busiest_atomics`: of a block's atomics, those of the warp that has most. The block waits for it where it tells others
/// what it has done, or waits for them.
void add_path(LaunchWork& work, const CostProfile& profile,
              const std::vector<ExecutionCount>& counts, double busiest_atomics) {
  const double more = std::max(busiest_atomics * work.warps_per_block - 1, 0.0);
  for (const BasicBlock& block : profile.blocks) {
    const double times = static_cast<double>(counts[block.first].warps) / work.working_warps();
    add_times(work.path, block.path, times);
    const auto first = profile.costs.begin() + block.first, end = profile.costs.begin() + block.end;
    if (std::any_of(first, end, [](const OpCost& cost) { return cost.meets; }))
      add_times(work.path_alone, block.path, times * more);
  }
}

}  // namespace

void add_far(LaunchWork& work, OpKind kind, const RareCount& count) {
  const auto sectors = static_cast<double>(count.far_sectors);
  switch (kind) {
    case OpKind::global_store:
    case OpKind::shared_store:
      work.far_store_sectors += sectors;
      break;
    case OpKind::global_atomic:
    case OpKind::shared_atomic:
    case OpKind::shared_atomic_loop:
      work.far_atomic_sectors += sectors;
      break;
    default:
      work.far_load_sectors += sectors;
      work.far_load_lines += static_cast<double>(count.far_lines);
  }
}

void add_spills(LaunchWork& work, const Counts& counts, double store_bytes, double load_bytes) {
  double sum = 0, squares = 0;
  for (const ExecutionCount& count : counts.of) {
    const auto warps = static_cast<double>(count.warps);
    sum += warps;
    squares += warps * warps;
  }
  const double times = ratio(squares, sum, 0) / kRegisterBytes;
  work.local_store_sectors += store_bytes * times * kSectorsPerLine * kWholeLineShare;
  work.local_load_sectors += load_bytes * times * kSectorsPerLine;
  work.pipes.issue += (store_bytes + load_bytes) * times;
}

LaunchWork make_work(const Counts& counts, const CostProfile& profile,
                     const FootprintTotals& footprint, const WorkSpread& spread, uint64_t blocks,
                     uint64_t warps_per_block, const L1Caches& caches) {
  LaunchWork work;
  work.blocks = static_cast<double>(blocks);
  work.warps_per_block = static_cast<double>(warps_per_block);
  work.pipes.issue = 0;
  spread.tell(work);
  Bypassing bypassing;
  for (size_t pc = 0; pc < counts.of.size(); ++pc) {
    const ExecutionCount& count = counts.of[pc];
    if (count.warps == 0) continue;
    add_instruction(work, profile.costs[pc], counts.program.opcodes[pc], count, bypassing);
    work.shared_wavefronts += static_cast<double>(counts.rare[pc].load_wavefronts);
    work.shared_loop_rounds += static_cast<double>(counts.rare[pc].loads);
    add_far(work, profile.costs[pc].kind, counts.rare[pc]);
  }
  add_constants(work, counts, footprint);
  const Spoken spoken = spoken_for(work, footprint);
  add_loads(work, footprint, bypassing, spoken.loads, caches);
  add_stores(work, footprint, spoken.stores);
  add_atomics(work, footprint, spoken.atomics);
  add_path(work, profile, counts.of, footprint.busiest_warp_atomics);
  return work;
}

}  // namespace warpgrade::emulator
