// SPDX-License-Identifier: MIT
#include "emulator/exec/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "emulator/checkers/dropped_lanes.h"
#include "emulator/exec/access_notes.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/missing_sizeof.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

enum FaultKind {
  kReadOutside,
  kWriteOutside,
  kReadMisaligned,
  kWriteMisaligned,
  kReadPadding,
  kWritePadding
};

Sentence act(bool write) { return say(write ? "act.writes" : "act.reads"); }

bool usable(const Warp& warp, const Allocation& allocation) {
  const LaunchRequest& request = *warp.worker->launch->request;
  if (allocation.device == kHostDevice || allocation.device == request.device) return true;
  if (allocation.pool_readers != nullptr)
    return allocation.pool_readers->count(request.device) != 0;
  return std::find(request.peers.begin(), request.peers.end(), allocation.device) !=
         request.peers.end();
}

/// The heap of the launch's device where the allocation is the range that it cuts up, or null.
const DeviceHeap* heap_in(const Warp& warp, const Allocation& allocation) {
  const DeviceHeap* const heap = warp.worker->launch->request->heap;
  const bool cut_up = allocation.kind == AllocationKind::heap && heap != nullptr &&
                      heap->begin() == allocation.begin;
  return cut_up ? heap : nullptr;
}

Sentence outside(unsigned bytes, bool write, const Sentence& where,
                 const std::optional<MissingSizeof>& guess = {}) {
  if (!guess)
    return say("memory.outside", {{"act", act(write)}, {"bytes", bytes}, {"where", where}});
  return say("memory.missing_sizeof", {{"act", act(write)},
                                       {"bytes", bytes},
                                       {"where", where},
                                       {"size", guess->size},
                                       {"held", guess->size / bytes},
                                       {"element_bytes", bytes},
                                       {"elements", guess->size},
                                       {"needed", guess->size * bytes}});
}

/// `words` is called once for each place.
template <class Words>
void report_outside(Warp& warp, const Instruction& instruction, int lane, uint64_t object,
                    bool write, const Words& words) {
  const FaultKind kind = write ? kWriteOutside : kReadOutside;
  if (counted_with_known(warp, instruction, kind, object, 1u << lane)) return;
  report_fault(warp, instruction, LaunchStatus::illegal_address, kind, object, 1u << lane, words());
}

Sentence outside_shared(const LaunchContext& launch, uint64_t offset) {
  if (launch.shared.empty()) return say("where.no_shared");
  const SharedVariable* nearest = &launch.shared.front();
  for (const SharedVariable& variable : launch.shared) {
    if (variable.offset <= offset) nearest = &variable;
  }
  const Sentence array =
      say("allocation.shared", {{"bytes", nearest->bytes}, {"array", nearest->name}});
  if (offset < nearest->offset) {
    return say("where.before_start", {{"allocation", array}});
  }
  const uint64_t end = uint64_t{nearest->offset} + nearest->bytes;
  return offset <= end ? say("where.right_past", {{"allocation", array}})
                       : say("where.past", {{"bytes", offset - end}, {"allocation", array}});
}

template <class Move>
void move_lanes(Warp& warp, const Instruction& instruction, LaneSpace space,
                const uint64_t* addresses, unsigned bytes, bool write, const uint8_t* staging,
                Move move) {
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const uint64_t address = addresses[lane];
    const bool local =
        space == LaneSpace::local || (space == LaneSpace::generic && is_local_address(address));
    // Local memory is interleaved by words: an 8-byte access is two of them.
    const unsigned chunk = local ? std::min(bytes, 4u) : bytes;
    if (local && warp.worker->launch->watch != nullptr)
      watch_local(warp, instruction, lane,
                  is_local_address(address) ? address - kLocalBase : address, bytes, write);
    if (staging != nullptr) warp.worker->stored = staging + static_cast<unsigned>(lane) * bytes;
    for (unsigned done = 0; done < bytes; done += chunk) {
      uint8_t* const host =
          space == LaneSpace::shared
              ? shared_pointer(warp, instruction, lane, address, bytes, write)
          : space == LaneSpace::local
              ? local_pointer(warp, instruction, lane, address + done, chunk, write)
              : lane_pointer(warp, instruction, lane, address + done, chunk, write);
      move(lane, done, chunk, host);
      if (host == nullptr) break;
    }
  }
  warp.worker->stored = nullptr;
}

/// Tells the checkers of one lane's access.
void watch(Warp& warp, const Instruction& instruction, int lane, const WatchedPlace& place,
           unsigned bytes, bool write) {
  if (warp.worker->launch->watch == nullptr) return;
  if (write && place.allocation != nullptr) note_writers(warp, *place.allocation, 1u << lane);
  if (is_noted(warp, place.allocation))
    note_lane(warp, instruction, lane, place.address, bytes, write);
  if ((lanes_that_drop(warp, instruction) >> lane & 1) != 0) return;
  watch_lane(warp, instruction, lane, place, bytes, 1, write, warp.worker->stored);
}

/// Part of an access: all of its bytes that an object holds.
struct HeldBytes {
  uint64_t begin = 0;
  unsigned count = 0;
};

/// None where the access is no whole word or part of one.
template <class Holds>
HeldBytes held_bytes(uint64_t address, unsigned bytes, const Holds& holds) {
  HeldBytes held;
  if (bytes == 0 || bytes > sizeof(uint32_t) || address % bytes != 0) return held;
  for (uint64_t at = address; at < address + bytes; ++at) {
    if (!holds(at)) continue;
    if (held.count == 0) held.begin = at;
    ++held.count;
  }
  return held;
}

/// Hardware's allocations consist of whole words. libcu++ makes an atomic of 1 or 2 bytes of strong loads of the word around
/// them, and of compare-and-swaps of it that leave its other bytes alone. So those may lie outside of the object.
bool leaves_others_alone(const Warp& warp, const Instruction& instruction, uint64_t address,
                         bool write, const HeldBytes& held) {
  if (held.count == 0) return false;
  if (!write) {
    const std::string_view opcode = warp.worker->launch->module->program.opcodes[instruction.pc];
    const bool strong = opcode.find(".relaxed") != std::string_view::npos ||
                        opcode.find(".acquire") != std::string_view::npos;
    return strong && opcode.starts_with("ld.");
  }
  const uint32_t inside = (~uint32_t{0} >> (32 - 8 * held.count)) << 8 * (held.begin - address);
  return (warp.worker->swapped & ~inside) == 0;
}

/// As lane_pointer() where memory holds only a part of the bytes; null where it must hold all.
uint8_t* word_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t address,
                      unsigned bytes, bool write) {
  const DeviceMemory& memory = *warp.worker->launch->memory;
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) allocation = memory.find(address + bytes - 1);
  if (allocation == nullptr || !usable(warp, *allocation)) return nullptr;
  const DeviceHeap* const heap = heap_in(warp, *allocation);
  const HeldBytes held = held_bytes(address, bytes, [&](uint64_t at) {
    return allocation->contains(at) && (heap == nullptr || heap->holds(at, 1));
  });
  if (!leaves_others_alone(warp, instruction, address, write, held)) return nullptr;
  uint8_t* const host = allocation->at(held.begin);
  note_touched(*warp.worker, *allocation, write, false);
  watch(warp, instruction, lane, {allocation, held.begin, host}, held.count, write);
  return host - (held.begin - address);
}

/// The same for shared memory.
uint8_t* shared_word_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                             unsigned bytes, bool write) {
  const HeldBytes held = held_bytes(offset, bytes, [&](uint64_t at) {
    return shared_variable(*warp.worker->launch, at, at + 1) != nullptr;
  });
  if (!leaves_others_alone(warp, instruction, offset, write, held)) return nullptr;
  uint8_t* const host = warp.block->shared.data() + held.begin;
  watch(warp, instruction, lane, {nullptr, held.begin, host}, held.count, write);
  return host - (held.begin - offset);
}

bool touches_padding(const Allocation& allocation, uint64_t address, unsigned bytes) {
  return allocation.is_padding(address) || allocation.is_padding(address + bytes - 1);
}

/// Lanes touch bytes behind the rows of pitched memory.
void report_padding(Warp& warp, const Instruction& instruction, const Allocation& allocation,
                    uint32_t lanes, bool write) {
  note_touched(*warp.worker, allocation, write, true);
  const FaultKind kind = write ? kWritePadding : kReadPadding;
  if (counted_with_known(warp, instruction, kind, allocation.id, lanes)) return;
  report_fault(warp, instruction, LaunchStatus::ok, kind, allocation.id, lanes,
               say("padding.touched", {{"act", act(write)},
                                       {"origin", allocation.origin},
                                       {"width", allocation.width_bytes},
                                       {"pitch", allocation.pitch}}));
}

/// What the kernel's pointers point to, where that is one allocation; else null.
const Allocation* only_parameter(const LaunchContext& launch) {
  const std::vector<std::byte>& parameters = launch.request->parameters;
  const Allocation* only = nullptr;
  for (size_t at = 0; at + sizeof(uint64_t) <= parameters.size(); at += sizeof(uint64_t)) {
    uint64_t value;
    std::memcpy(&value, parameters.data() + at, sizeof value);
    const Allocation* const found = launch.memory->find(value);
    if (found == nullptr || found == only) continue;
    if (only != nullptr) return nullptr;
    only = found;
  }
  return only;
}

}  // namespace

const Allocation* common_allocation(Warp& warp, const AccessMemo& memo, uint64_t base,
                                    unsigned bytes, bool write) {
  const uint64_t begin = base + static_cast<uint64_t>(memo.lowest);
  const Allocation* allocation = warp.worker->launch->memory->find(begin);
  if (allocation == nullptr || !usable(warp, *allocation)) return nullptr;
  if (!allocation->contains(begin, static_cast<size_t>(memo.end - memo.lowest))) return nullptr;
  if (const DeviceHeap* const heap = heap_in(warp, *allocation)) {
    bool all = true;
    heap->look([&](auto holds) {
      for (uint32_t mask = memo.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<size_t>(first_lane(mask));
        all &= holds(base + static_cast<uint64_t>(memo.relative[lane]), bytes);
      }
    });
    if (!all) return nullptr;
  }
  note_touched(*warp.worker, *allocation, write, false);
  return allocation;
}

uint8_t* lane_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t address,
                      unsigned bytes, bool write) {
  if (is_shared_address(address)) {
    return shared_pointer(warp, instruction, lane, address - kSharedBase, bytes, write);
  }
  if (is_local_address(address))
    return local_pointer(warp, instruction, lane, address - kLocalBase, bytes, write);
  const LaunchContext& launch = *warp.worker->launch;
  if (is_parameter_address(address) && !write) {
    const auto& parameters = launch.request->parameters;
    const uint64_t offset = address - kParameterBase;
    if (offset + bytes <= parameters.size()) {
      return reinterpret_cast<uint8_t*>(const_cast<std::byte*>(parameters.data())) + offset;
    }
  }
  const Allocation* const allocation = launch.memory->find(address);
  const DeviceHeap* const heap = allocation == nullptr ? nullptr : heap_in(warp, *allocation);
  if (heap != nullptr && !heap->holds(address, bytes)) {
    if (uint8_t* const word = word_pointer(warp, instruction, lane, address, bytes, write))
      return word;
    report_outside(warp, instruction, lane, allocation->id, write, [&] {
      return outside(bytes, write, heap->describe(heap->first_outside(address, bytes)));
    });
    return nullptr;
  }
  if (allocation != nullptr && usable(warp, *allocation) && allocation->contains(address, bytes)) {
    note_touched(*warp.worker, *allocation, write, false);
    if (allocation->pitch != 0 && launch.options->check.padding &&
        touches_padding(*allocation, address, bytes))
      report_padding(warp, instruction, *allocation, 1u << lane, write);
    watch(warp, instruction, lane, {allocation, address, allocation->at(address)}, bytes, write);
    return allocation->at(address);
  }
  if (uint8_t* const word = word_pointer(warp, instruction, lane, address, bytes, write))
    return word;
  const bool foreign = allocation != nullptr && !usable(warp, *allocation);
  const uint64_t edge = allocation != nullptr && !foreign ? allocation->end() : address;
  report_outside(warp, instruction, lane, allocation != nullptr ? allocation->id : 0, write, [&] {
    const Sentence where = foreign ? say("where.other_device", {{"device", allocation->device}})
                                   : launch.memory->describe(edge, only_parameter(launch));
    const auto guess = foreign ? std::nullopt : missing_sizeof(launch, edge, bytes);
    return outside(bytes, write, where, guess);
  });
  return nullptr;
}

namespace {

/// The same in the shared memory of another block of the cluster. The init checker hears of writes, the race checker of
/// nothing.
uint8_t* peers_pointer(Warp& warp, const Instruction& instruction, int lane,
                       const ClusterPlace& place, unsigned bytes, bool write) {
  const LaunchContext& launch = *warp.worker->launch;
  const auto& blocks = warp.block->cluster->blocks;
  const auto rank = static_cast<size_t>(place.rank);
  Block* const peer = rank < blocks.size() ? blocks[rank] : nullptr;
  const bool holds = shared_variable(launch, place.offset, place.offset + bytes) != nullptr;
  if (peer != nullptr && holds) {
    if (write) watch_peers_write(*peer, place.offset, bytes);
    return peer->shared.data() + place.offset;
  }
  report_outside(warp, instruction, lane, rank, write, [&] {
    const Sentence where =
        rank >= blocks.size()
            ? say("where.no_rank", {{"rank", place.rank}, {"blocks", blocks.size()}})
        : peer == nullptr ? say("where.ended_block", {{"rank", place.rank}})
                          : outside_shared(launch, place.offset);
    return outside(bytes, write, where);
  });
  return nullptr;
}

}  // namespace

uint8_t* shared_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                        unsigned bytes, bool write) {
  const LaunchContext& launch = *warp.worker->launch;
  if (warp.block->cluster != nullptr) {
    const ClusterPlace place = cluster_place(offset);
    if (place.rank >= 0) return peers_pointer(warp, instruction, lane, place, bytes, write);
  }
  if (shared_variable(launch, offset, offset + bytes) != nullptr) {
    uint8_t* const host = warp.block->shared.data() + offset;
    watch(warp, instruction, lane, {nullptr, offset, host}, bytes, write);
    return host;
  }
  if (uint8_t* const word = shared_word_pointer(warp, instruction, lane, offset, bytes, write))
    return word;
  report_outside(warp, instruction, lane, offset >> 20, write,
                 [&] { return outside(bytes, write, outside_shared(launch, offset)); });
  return nullptr;
}

uint8_t* local_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                       unsigned bytes, bool write) {
  const uint64_t limit = end_of_local(*warp.frame);
  if ((offset & 3) + bytes > 4) {
    const FaultKind kind = write ? kWriteMisaligned : kReadMisaligned;
    if (counted_with_known(warp, instruction, kind, 0, 1u << lane)) return nullptr;
    report_fault(warp, instruction, LaunchStatus::misaligned_address, kind, 0, 1u << lane,
                 say("memory.split", {{"act", act(write)}, {"bytes", bytes}}));
    return nullptr;
  }
  if (offset < limit && bytes <= limit - offset)
    return interleaved(warp.local.data(), offset, lane);
  report_outside(warp, instruction, lane, 0, write, [&] {
    return outside(bytes, write, say("where.local", {{"bytes", limit}}));
  });
  return nullptr;
}

void gather_lanes(Warp& warp, const Instruction& instruction, LaneSpace space,
                  const uint64_t* addresses, unsigned bytes, uint8_t* staging) {
  move_lanes(warp, instruction, space, addresses, bytes, false, nullptr,
             [&](int lane, unsigned done, unsigned chunk, const uint8_t* host) {
               uint8_t* const to = staging + static_cast<unsigned>(lane) * bytes + done;
               host != nullptr ? std::memcpy(to, host, chunk) : std::memset(to, 0, bytes - done);
             });
}

void scatter_lanes(Warp& warp, const Instruction& instruction, LaneSpace space,
                   const uint64_t* addresses, unsigned bytes, const uint8_t* staging) {
  move_lanes(warp, instruction, space, addresses, bytes, true, staging,
             [&](int lane, unsigned done, unsigned chunk, uint8_t* host) {
               if (host != nullptr)
                 std::memcpy(host, staging + static_cast<unsigned>(lane) * bytes + done, chunk);
             });
}

const SharedVariable* shared_variable(const LaunchContext& launch, uint64_t begin, uint64_t end) {
  for (const SharedVariable& variable : launch.shared) {
    if (begin >= variable.offset && end <= uint64_t{variable.offset} + variable.bytes &&
        begin < end)
      return &variable;
  }
  return nullptr;
}

void check_padding(Warp& warp, const Instruction& instruction, const AccessMemo& memo,
                   uint64_t base, const Allocation& allocation, unsigned bytes, bool write) {
  const uint64_t low = base + static_cast<uint64_t>(memo.lowest) - allocation.begin;
  const uint64_t high = base + static_cast<uint64_t>(memo.end) - allocation.begin;
  const uint64_t row = low / allocation.pitch * allocation.pitch;
  if (high <= row + allocation.width_bytes) return;
  uint32_t lanes = 0;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const uint64_t address = base + static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
    if (touches_padding(allocation, address, bytes)) lanes |= 1u << lane;
  }
  if (lanes != 0) report_padding(warp, instruction, allocation, lanes, write);
}

void count_far(Warp& warp, const Instruction& instruction, uint32_t lanes,
               const uint64_t* addresses) {
  constexpr unsigned kSectorShift = 5, kLineShift = 7;
  if (warp.block->cluster == nullptr) return;
  std::array<uint64_t, kWarpSize> sectors;
  auto end = sectors.begin();
  for (; lanes != 0; lanes &= lanes - 1) {
    const uint64_t address = addresses[first_lane(lanes)];
    const uint64_t offset = is_shared_address(address) ? address - kSharedBase : address;
    if (cluster_place(offset).rank >= 0) *end++ = offset >> kSectorShift;
  }
  std::sort(sectors.begin(), end);
  end = std::unique(sectors.begin(), end);
  RareCount& rare = warp.worker->rare[instruction.pc];
  rare.far_sectors += static_cast<uint64_t>(end - sectors.begin());
  end = std::unique(sectors.begin(), end, [](uint64_t a, uint64_t b) {
    return a >> (kLineShift - kSectorShift) == b >> (kLineShift - kSectorShift);
  });
  rare.far_lines += static_cast<uint64_t>(end - sectors.begin());
}

void count_generic(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                   unsigned bytes, bool write) {
  uint32_t global = 0, shared = 0, local = 0;
  uint64_t offsets[kWarpSize];
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const uint64_t address = addresses[lane];
    uint32_t& lanes = is_shared_address(address)  ? shared
                      : is_local_address(address) ? local
                                                  : global;
    if (!is_parameter_address(address)) lanes |= 1u << lane;
    offsets[lane] = address - (is_shared_address(address) ? kSharedBase : kLocalBase);
  }
  ExecutionCount& counts = warp.worker->counts[instruction.pc];
  if (global != 0) {
    AccessMemo memo;
    memorise(memo, global, addresses, bytes);
    ++counts.requests;
    counts.sectors += count_sectors(memo, addresses[first_lane(global)], bytes);
    counts.bytes += count_bytes(memo, bytes);
  }
  if (shared != 0) {
    const uint32_t home = lanes_at_home(*warp.block, shared, offsets);
    const SharedCost cost = home == 0 ? SharedCost{} : shared_cost(home, offsets, bytes, write);
    counts.wavefronts += cost.wavefronts;
    counts.conflicts += cost.conflicts;
    ++warp.worker->rare[instruction.pc].shared_requests;
    count_far(warp, instruction, shared, addresses);
  }
  if (local == 0) return;
  const LocalCost cost = local_cost(local, offsets, bytes);
  RareCount& rare = warp.worker->rare[instruction.pc];
  rare.local_requests += cost.requests;
  rare.local_sectors += cost.sectors;
}

void report_misaligned(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                       unsigned bytes, bool write) {
  uint32_t lanes = 0;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    if ((addresses[lane] & (bytes - 1)) != 0) lanes |= 1u << lane;
  }
  const FaultKind kind = write ? kWriteMisaligned : kReadMisaligned;
  if (counted_with_known(warp, instruction, kind, 0, lanes)) return;
  report_fault(
      warp, instruction, LaunchStatus::misaligned_address, kind, 0, lanes,
      say("memory.misaligned", {{"act", act(write)},
                                {"bytes", bytes},
                                {"address", fmt::format("0x{:x}", addresses[first_lane(lanes)])},
                                {"alignment", bytes}}));
}

}  // namespace warpgrade::emulator
