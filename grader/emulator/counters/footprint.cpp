// SPDX-License-Identifier: MIT
#include "emulator/counters/footprint.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpgrade::emulator {
namespace {

constexpr unsigned kSectorShift = 5, kLineShift = 7;
constexpr unsigned kLinesPerWavefront = 4;  // that the L1 cache's tag stage looks up in a clock
constexpr uint64_t kHashFactor = 0x9E37'79B9'7F4A'7C15;
constexpr unsigned kWritebackBytes = 4;  // of a lane, written to registers in a clock
constexpr size_t kMostPending = 64;      // as many sectors as one request can touch
// A slice of the L2 cache takes so long for a store as for so many operations of atomics, where many blocks
// store to one place, as to a flag (model/README.md).
constexpr double kStoreWait = 1.8;
// Requests of 16 sectors are merged, and of 32 hardly any (model/README.md).
constexpr std::ptrdiff_t kMostMerged = 24;
constexpr unsigned kConstantLineShift = 6;
// The constant cache has 2 KB; what is on its way into it serves other warps, too (model/README.md).
constexpr size_t kConstantLines = 52;

/// A number from 0 to below `count`, another one for each part and key.
uint64_t place_in_part(uint64_t part, uint64_t key, uint64_t count) {
  uint64_t bits = (part + 1) * kHashFactor;
  if (key != 0) {
    bits = (bits ^ key) * 0xBF58'476D'1CE4'E5B9;
    bits = (bits ^ (bits >> 29)) * 0x94D0'49BB'1331'11EB;
  }
  return (bits >> 32) % count;
}

/// The distinct values of f(byte address) over the first and last bytes of the lanes' accesses.
template <class F>
size_t distinct(const AccessMemo& memo, uint64_t base, unsigned bytes, F f, uint64_t* out) {
  size_t count = 0;
  for (uint32_t mask = memo.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(mask));
    const uint64_t address = base + static_cast<uint64_t>(memo.relative[lane]);
    out[count++] = f(address);
    const uint64_t last = f(address + bytes - 1);
    if (last != out[count - 1]) out[count++] = last;
    if (memo.shape == AccessShape::uniform) break;
  }
  if (!std::is_sorted(out, out + count)) std::sort(out, out + count);
  return static_cast<size_t>(std::unique(out, out + count) - out);
}

/// How many sectors the access touches, as the memo may know.
unsigned sectors_of(const AccessMemo& memo, uint64_t base, unsigned bytes) {
  const unsigned known = memo.sectors[base & ((1u << kSectorShift) - 1)];
  return known != 0 ? known : count_sectors(memo, base, bytes);
}

/// Clocks in the L1 cache: its data lie in banks like those of shared memory, and what is loaded is written to registers.
uint64_t wavefronts_of(const AccessMemo& memo, uint64_t base, unsigned bytes, bool load) {
  const uint64_t writeback = load ? std::max(bytes / kWritebackBytes, 1u) : 1;
  if (memo.shape == AccessShape::uniform) return writeback;
  uint64_t addresses[32];
  for (size_t lane = 0; lane < 32; ++lane)
    addresses[lane] = base + static_cast<uint64_t>(memo.relative[lane]);
  uint64_t lines[64];
  const size_t count = distinct(
      memo, base, bytes, [](uint64_t address) { return address >> kLineShift; }, lines);
  const uint64_t tags = (count + kLinesPerWavefront - 1) / kLinesPerWavefront;
  const uint64_t banks = shared_cost(memo.mask, addresses, bytes, false).wavefronts;
  return std::max({tags, banks, writeback});
}

/// How many of the sectors, which are in order, lie far from the one before, and at another distance than the last such
/// sector did: DRAM has no row open for them, and no other block is about to ask for what lies between.
uint64_t scattered_of(const uint64_t* sectors, size_t count) {
  constexpr uint64_t kFar = 8;
  uint64_t scattered = 0, last = 0;
  for (size_t i = 1; i < count; ++i) {
    const uint64_t gap = sectors[i] - sectors[i - 1];
    if (gap <= kFar) continue;
    scattered += last != 0 && gap != last ? 1 : 0;
    last = gap;
  }
  return scattered;
}

/// Which bytes of a sector the lanes access, a bit for each.
uint32_t bytes_in(const AccessMemo& memo, uint64_t base, unsigned bytes, uint64_t sector) {
  constexpr uint64_t kSectorBytes = 1u << kSectorShift;
  const uint64_t begin = sector << kSectorShift, end = begin + kSectorBytes;
  uint32_t accessed = 0;
  for (uint32_t mask = memo.mask; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(mask));
    const uint64_t address = base + static_cast<uint64_t>(memo.relative[lane]);
    const uint64_t first = std::max(address, begin), last = std::min(address + bytes, end);
    if (first < last)
      accessed |= static_cast<uint32_t>(((uint64_t{1} << (last - first)) - 1) << (first - begin));
  }
  return accessed;
}

}  // namespace

bool NumberSet::insert(uint64_t number) {
  if (2 * (size_ + 1) > table_.size()) grow();
  size_t at = (number * kHashFactor) >> (64 - std::countr_zero(table_.size()));
  while (table_[at] != 0) {
    if (table_[at] == number) return false;
    at = (at + 1) & (table_.size() - 1);
  }
  table_[at] = number;
  ++size_;
  return true;
}

bool NumberSet::contains(uint64_t number) const {
  if (table_.empty()) return false;
  size_t at = (number * kHashFactor) >> (64 - std::countr_zero(table_.size()));
  while (table_[at] != 0 && table_[at] != number) at = (at + 1) & (table_.size() - 1);
  return table_[at] == number;
}

void NumberSet::grow() {
  std::vector<uint64_t> old(std::max<size_t>(2 * table_.size(), 1024));
  old.swap(table_);
  size_ = 0;
  for (const uint64_t number : old) {
    if (number != 0) insert(number);
  }
}

Footprint::Footprint(uint32_t warp_sectors, uint64_t key)
    : warp_sectors_(std::bit_floor(std::clamp(warp_sectors, 16u, 1024u))),
      key_(key),
      caches_(kSamples * kMaxWarps),
      pending_(kSamples * kMaxWarps),
      atomics_(kSamples * kMaxWarps) {}

bool Footprint::is_sampled(uint64_t linear, uint64_t blocks, uint64_t key, uint32_t& sample) {
  if (blocks <= kSamples) {
    sample = static_cast<uint32_t>(linear);
    return true;
  }
  // One block of each of kSamples equal parts, not always at the same place of its part: grids
  // have columns.
  const uint64_t part = linear * kSamples / blocks;
  const uint64_t first = (part * blocks + kSamples - 1) / kSamples,
                 end = ((part + 1) * blocks + kSamples - 1) / kSamples;
  sample = static_cast<uint32_t>(part);
  return linear == first + place_in_part(part, key, end - first);
}

void Footprint::begin_block(uint32_t sample) { sample_ = sample; }

bool Footprint::records(unsigned sectors) {
  uint64_t& seen = seen_[sample_].sectors;
  if (seen == 0) ++totals_.blocks;
  const uint64_t window = seen / kWindowSectors;
  seen += sectors;
  constexpr uint64_t kAll = kMostRecorded / kWindowSectors;
  weight_ = window < kAll ? 1 : 2 * std::bit_floor(window / kAll);
  if (weight_ == 1) return true;
  const uint64_t group = window / weight_;
  return window % weight_ == place_in_part(group << 4 | sample_, key_, weight_);
}

uint64_t Footprint::weight_in(const Weights& weights, uint64_t key) {
  const auto found = weights.find(key);
  return found == weights.end() ? 1 : found->second;
}

AllocationUse& Footprint::use_of(const Allocation& allocation, bool written) {
  for (AllocationUse& use : totals_.uses) {
    if (use.begin == allocation.begin && use.written == written) return use;
  }
  AllocationUse use;
  use.begin = allocation.begin;
  use.bytes = allocation.size;
  use.written = written;
  use.on_host = allocation.device == kHostDevice && allocation.page_locked;
  return totals_.uses.emplace_back(use);
}

void Footprint::touch(const AccessMemo& memo, uint64_t granule, bool written) {
  const uint64_t key = granule << 1 | (written ? 1 : 0);
  if (!granule_set_.insert(key << 4 | sample_)) return;
  if (weight_ != 1) granule_weights_[key << 4 | sample_] = weight_;
  AllocationUse& use = use_of(*memo.allocation, written);
  use.by_blocks += weight_;
  use.low = std::min(use.low, granule);
  use.high = std::max(use.high, granule);
  if (!written) {
    read_granules_[sample_] += weight_;
    readings_.push_back({granule << 4 | sample_, read_granules_[sample_]});
  }
  if (!launch_set_.insert(key)) return;
  if (weight_ != 1) launch_weights_[key] = weight_;
  use.granules += weight_;
}

bool Footprint::load_sector(uint32_t warp, const AccessMemo& memo, uint64_t sector,
                            AllocationUse& use) {
  std::vector<uint64_t>& cache = caches_[sample_ * kMaxWarps + warp % kMaxWarps];
  if (cache.empty()) cache.resize(warp_sectors_);
  uint64_t& held = cache[(sector * kHashFactor >> 32) & (warp_sectors_ - 1)];
  if (held == sector) return false;
  held = sector;
  caches_hold_ = true;
  totals_.warp_misses += weight_;
  use.misses += weight_;
  if (!warp_set_.insert((sector << 9) | (uint64_t{warp % kMaxWarps} << 4) | sample_)) return true;
  totals_.warp_sectors += weight_;
  if (!block_set_.insert(sector << 4 | sample_)) return true;
  totals_.block_sectors += weight_;
  use.block_sectors += weight_;
  touch(memo, sector >> (kGranuleShift - kSectorShift), false);
  return true;
}

void Footprint::load(uint32_t warp, const AccessMemo& memo, uint64_t base, unsigned bytes) {
  if (memo.allocation == nullptr) return;
  const unsigned touched = sectors_of(memo, base, bytes);
  seen_[sample_].traffic.load_sectors += touched;
  if (!records(touched)) return;
  uint64_t sectors[64];
  const size_t count = distinct(
      memo, base, bytes, [](uint64_t address) { return address >> kSectorShift; }, sectors);
  totals_.load_requests += weight_;
  totals_.load_sectors += weight_ * count;
  totals_.load_wavefronts += weight_ * wavefronts_of(memo, base, bytes, true);
  AllocationUse& use = use_of(*memo.allocation, false);
  uint64_t lines = 0, last = UINT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    if (!load_sector(warp, memo, sectors[i], use)) continue;
    const uint64_t line = sectors[i] >> (kLineShift - kSectorShift);
    lines += line != last ? 1 : 0;
    last = line;
  }
  totals_.miss_lines += weight_ * lines;
  totals_.miss_requests += lines != 0 ? weight_ : 0;
  use.miss_lines += weight_ * lines;
  use.miss_requests += lines != 0 ? weight_ : 0;
}

void Footprint::acquire() {
  if (!std::exchange(caches_hold_, false)) return;
  for (uint32_t warp = 0; warp < kMaxWarps; ++warp)
    std::fill(caches_[sample_ * kMaxWarps + warp].begin(),
              caches_[sample_ * kMaxWarps + warp].end(), 0);
}

void Footprint::store_sector(uint32_t warp, const AccessMemo& memo, const Stored& stored) {
  const uint64_t granule = stored.sector >> (kGranuleShift - kSectorShift);
  touch(memo, granule, true);
  std::vector<Pending>& pending = pending_of(warp);
  const auto held = std::find_if(pending.begin(), pending.end(),
                                 [&](const Pending& each) { return each.sector == stored.sector; });
  if (held != pending.end()) {
    if (pending.end() - held > kMostMerged) {
      // It has left, and the L2 cache, which has it still, puts the two together.
      totals_.partial_sectors -= std::exchange(held->partial, 0);
      totals_.partial_lines -= std::exchange(held->line, 0);
      held->bytes |= stored.bytes;
      std::rotate(held, held + 1, pending.end());
      return;
    }
    totals_.merged_sectors += weight_;
    held->bytes |= stored.bytes;
    if (held->bytes != ~uint32_t{0}) return;
    totals_.partial_sectors -= std::exchange(held->partial, 0);
    totals_.partial_lines -= std::exchange(held->line, 0);
    return;
  }
  const bool is_read = granule_set_.contains((granule << 1) << 4 | sample_);
  const uint64_t partial = stored.partial && !is_read ? weight_ : 0;
  if (pending.size() == kMostPending) pending.erase(pending.begin());
  pending.push_back({stored.sector, stored.bytes, partial, stored.first_of_line ? partial : 0});
  totals_.partial_sectors += partial;
  totals_.partial_lines += pending.back().line;
}

void Footprint::store(uint32_t warp, const AccessMemo& memo, uint64_t base, unsigned bytes) {
  if (memo.allocation == nullptr) return;
  const unsigned touched = sectors_of(memo, base, bytes);
  seen_[sample_].traffic.store_sectors += touched;
  if (!records(touched)) return;
  uint64_t sectors[64];
  const size_t count = distinct(
      memo, base, bytes, [](uint64_t address) { return address >> kSectorShift; }, sectors);
  totals_.store_requests += weight_;
  totals_.store_sectors += weight_ * count;
  totals_.store_wavefronts += weight_ * wavefronts_of(memo, base, bytes, false);
  const uint64_t written = static_cast<uint64_t>(std::popcount(memo.mask)) * bytes;
  totals_.stored_bytes += weight_ * written;
  AllocationUse& use = use_of(*memo.allocation, true);
  use.sectors += weight_ * count;
  use.scattered += weight_ * scattered_of(sectors, count);
  const bool whole = written >= count << kSectorShift;
  const uint64_t merged_before = totals_.merged_sectors;
  uint64_t last = UINT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t line = sectors[i] >> (kLineShift - kSectorShift);
    const uint32_t in_sector = whole ? ~uint32_t{0} : bytes_in(memo, base, bytes, sectors[i]);
    store_sector(warp, memo, {sectors[i], in_sector, !whole, line != last});
    last = line;
  }
  if (count == 1 && totals_.merged_sectors == merged_before)
    wait_for_word(sectors[0] << kSectorShift, kStoreWait);
}

void Footprint::constant(const AccessMemo& memo, uint64_t base, unsigned bytes) {
  uint64_t addresses[64], lines[64];
  const size_t count = distinct(
      memo, base, 1, [](uint64_t address) { return address; }, addresses);
  if (!records(static_cast<unsigned>(count))) return;
  totals_.constant_addresses += weight_ * count;
  const size_t touched = distinct(
      memo, base, bytes, [](uint64_t address) { return address >> kConstantLineShift; }, lines);
  std::vector<uint64_t>& held = constants_[sample_];
  for (size_t i = 0; i < touched; ++i) {
    const auto found = std::find(held.begin(), held.end(), lines[i]);
    if (found != held.end()) {
      std::rotate(held.begin(), found, found + 1);
      continue;
    }
    // What no warp of the block has asked for yet, a block before it may have, where the cache holds all of it.
    const bool again = !constant_set_.insert(lines[i] << 4 | sample_);
    if (again || ++constant_lines_[sample_] > kConstantLines) totals_.constant_misses += weight_;
    if (held.size() == kConstantLines) held.pop_back();
    held.insert(held.begin(), lines[i]);
  }
}

void Footprint::wait_for_word(uint64_t address, double clocks) {
  Word& word = words_[address];
  word.waits += clocks * static_cast<double>(weight_);
  word.samples |= 1u << sample_;
}

void Footprint::atomic(uint32_t warp, uint32_t mask, const uint64_t* addresses,
                       const AtomicTurns& cost) {
  ++seen_[sample_].traffic.atomic_requests;
  ++atomics_[sample_ * kMaxWarps + warp % kMaxWarps];
  if (!records(static_cast<unsigned>(std::popcount(mask)))) return;
  totals_.atomic_requests += weight_;
  uint64_t found[32];
  size_t count = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    found[count++] = addresses[std::countr_zero(left)];
  std::sort(found, found + count);
  uint64_t sectors[32];
  size_t touched = 0;
  // The lanes of a sector that have addresses of their own go together; those at one address take
  // turns.
  for (size_t i = 0; i < count;) {
    const uint64_t sector = found[i] >> kSectorShift;
    size_t turns = 0, run = 0, first = i;
    for (; i < count && found[i] >> kSectorShift == sector; ++i) {
      run = i > first && found[i] == found[i - 1] ? run + 1 : 1;
      turns = std::max(turns, run);
      if (cost.wait > 1) wait_for_word(found[i], cost.wait);
    }
    totals_.atomic_operations +=
        (cost.first + static_cast<double>(turns - 1) * cost.repeat) * static_cast<double>(weight_);
    const uint64_t line = sector >> (kLineShift - kSectorShift);
    if (line_set_.insert(line << 4 | sample_)) totals_.atomic_block_lines += weight_;
    Line& known = lines_[line];
    if (known.weight == 0) known.weight = weight_;
    known.sectors |= 1u << (sector & ((1u << (kLineShift - kSectorShift)) - 1));
    if (atomic_set_.insert(sector << 4 | sample_)) totals_.atomic_block_sectors += weight_;
    sectors[touched++] = sector;
  }
  totals_.atomic_asked_sectors += weight_ * touched;
  totals_.atomic_scattered += weight_ * scattered_of(sectors, touched);
}

}  // namespace warpgrade::emulator
