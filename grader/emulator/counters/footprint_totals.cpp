// SPDX-License-Identifier: MIT
// What the records of all sampled blocks say together.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "emulator/counters/footprint.h"

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kMixer = 0x9E37'79B9'7F4A'7C15;

/// All but the uses of allocations.
void add_numbers(FootprintTotals& mine, const FootprintTotals& more) {
  mine.blocks += more.blocks;
  mine.load_requests += more.load_requests;
  mine.load_sectors += more.load_sectors;
  mine.load_wavefronts += more.load_wavefronts;
  mine.warp_misses += more.warp_misses;
  mine.warp_sectors += more.warp_sectors;
  mine.miss_requests += more.miss_requests;
  mine.miss_lines += more.miss_lines;
  mine.block_sectors += more.block_sectors;
  mine.store_requests += more.store_requests;
  mine.store_sectors += more.store_sectors;
  mine.store_wavefronts += more.store_wavefronts;
  mine.merged_sectors += more.merged_sectors;
  mine.partial_sectors += more.partial_sectors;
  mine.partial_lines += more.partial_lines;
  mine.stored_bytes += more.stored_bytes;
  mine.atomic_requests += more.atomic_requests;
  mine.atomic_operations += more.atomic_operations;
  mine.atomic_block_lines += more.atomic_block_lines;
  mine.atomic_block_sectors += more.atomic_block_sectors;
  mine.atomic_asked_sectors += more.atomic_asked_sectors;
  mine.atomic_scattered += more.atomic_scattered;
  mine.constant_addresses += more.constant_addresses;
  mine.constant_misses += more.constant_misses;
}

}  // namespace

void Footprint::merge(const Footprint& other) {
  FootprintTotals& mine = totals_;
  const FootprintTotals& more = other.totals_;
  add_numbers(mine, more);
  for (const AllocationUse& use : more.uses) {
    Allocation allocation;
    allocation.begin = use.begin;
    allocation.size = use.bytes;
    allocation.page_locked = use.on_host;
    AllocationUse& known = use_of(allocation, use.written);
    known.by_blocks += use.by_blocks;
    known.low = std::min(known.low, use.low);
    known.high = std::max(known.high, use.high);
    known.misses += use.misses;
    known.miss_lines += use.miss_lines;
    known.miss_requests += use.miss_requests;
    known.block_sectors += use.block_sectors;
    known.sectors += use.sectors;
    known.scattered += use.scattered;
  }
  other.granule_set_.for_each([&](uint64_t key) { granule_set_.insert(key); });
  granule_weights_.insert(other.granule_weights_.begin(), other.granule_weights_.end());
  other.launch_set_.for_each([&](uint64_t key) {
    if (!launch_set_.insert(key)) return;
    const uint64_t weight = weight_in(other.launch_weights_, key);
    if (weight != 1) launch_weights_[key] = weight;
    const uint64_t address = key >> 1 << kGranuleShift;
    for (AllocationUse& use : mine.uses) {
      // The first granule of an allocation may begin before it.
      if (use.written == ((key & 1) != 0) && address + (1u << kGranuleShift) > use.begin &&
          address < use.begin + use.bytes) {
        use.granules += weight;
        return;
      }
    }
  });
  for (const auto& [line, more_of_it] : other.lines_) {
    Line& known = lines_[line];
    known.weight = std::max(known.weight, more_of_it.weight);
    known.sectors |= more_of_it.sectors;
  }
  for (const auto& [address, more_of_it] : other.words_) {
    words_[address].waits += more_of_it.waits;
    words_[address].samples |= more_of_it.samples;
  }
  for (size_t at = 0; at < atomics_.size(); ++at) atomics_[at] += other.atomics_[at];
  readings_.insert(readings_.end(), other.readings_.begin(), other.readings_.end());
  for (size_t sample = 0; sample < kSamples; ++sample) {
    const BlockTraffic& from = other.seen_[sample].traffic;
    BlockTraffic& to = seen_[sample].traffic;
    to.load_sectors += from.load_sectors;
    to.store_sectors += from.store_sectors;
    to.atomic_requests += from.atomic_requests;
    read_granules_[sample] += other.read_granules_[sample];
  }
}

BlockTraffic Footprint::most_of_block() const {
  const auto most = [&](double BlockTraffic::*of) {
    double sum = 0, squares = 0;
    for (const Seen& seen : seen_) {
      const double value = seen.traffic.*of;
      sum += value;
      squares += value * value;
    }
    const double mean = sum / kSamples;
    const double variance = std::max(squares / kSamples - mean * mean, 0.0);
    return mean + 3 * std::sqrt(variance / (kSamples - 1));
  };
  return {most(&BlockTraffic::load_sectors), most(&BlockTraffic::store_sectors),
          most(&BlockTraffic::atomic_requests)};
}

void Footprint::find_lone(FootprintTotals& totals) const {
  NumberSet seen, again;
  granule_set_.for_each([&](uint64_t key) {
    if (!seen.insert(key >> 4)) again.insert(key >> 4);
  });
  granule_set_.for_each([&](uint64_t key) {
    if (again.contains(key >> 4)) return;
    const uint64_t granule = key >> 5;
    const bool written = (key >> 4 & 1) != 0;
    for (AllocationUse& use : totals.uses) {
      if (use.written == written && granule >= use.low && granule <= use.high) {
        use.lone += weight_in(granule_weights_, key);
        return;
      }
    }
  });
}

double Footprint::busiest_warp_atomics() const {
  uint64_t most = 0, all = 0;
  for (auto first = atomics_.begin(); first != atomics_.end(); first += kMaxWarps) {
    most += *std::max_element(first, first + kMaxWarps);
    all = std::accumulate(first, first + kMaxWarps, all);
  }
  return all == 0 ? 0 : static_cast<double>(most) / static_cast<double>(all);
}

double Footprint::read_in_order() const {
  // Two numbers that have nothing to do with each other are that near with this chance.
  constexpr double kNear = 1.0 / 16, kByChance = 2 * kNear - kNear * kNear;
  // Some granules stand for all: those whose hash is low.
  constexpr uint64_t kMostReadings = 1 << 14;
  const uint64_t part = readings_.size() / kMostReadings + 1;
  std::vector<Reading> readings;
  for (const Reading& each : readings_) {
    if (((each.key >> 4) * kMixer >> 32) % part == 0) readings.push_back(each);
  }
  std::sort(readings.begin(), readings.end(),
            [](const Reading& a, const Reading& b) { return a.key < b.key; });
  const auto stage = [&](const Reading& reading) {
    return static_cast<double>(reading.turn) /
           static_cast<double>(read_granules_[reading.key & 15]);
  };
  uint64_t pairs = 0, near = 0;
  for (size_t first = 0, at = 1; at < readings.size(); ++at) {
    if (readings[at].key >> 4 != readings[first].key >> 4) {
      first = at;
      continue;
    }
    ++pairs;
    near += std::abs(stage(readings[at]) - stage(readings[first])) <= kNear ? 1 : 0;
  }
  if (pairs == 0) return 1;
  const double share = static_cast<double>(near) / static_cast<double>(pairs);
  return std::max((share - kByChance) / (1 - kByChance), 0.0);
}

FootprintTotals Footprint::totals() const {
  FootprintTotals totals = totals_;
  find_lone(totals);
  totals.most_of_block = most_of_block();
  totals.read_in_order = read_in_order();
  totals.busiest_warp_atomics = busiest_warp_atomics();
  uint64_t first = UINT64_MAX, last = 0;
  for (const auto& [number, line] : lines_) {
    first = std::min(first, number);
    last = std::max(last, number);
    totals.atomic_lines += line.weight;
    totals.atomic_distinct_sectors +=
        line.weight * static_cast<uint64_t>(std::popcount(line.sectors));
  }
  totals.atomic_span_lines = lines_.empty() ? 0 : last - first + 1;
  for (const auto& [address, word] : words_) {
    if (word.waits < totals.hottest_word) continue;
    totals.hottest_word = word.waits;
    totals.hottest_is_shared = std::popcount(word.samples) > 1;
  }
  return totals;
}

}  // namespace warpgrade::emulator
