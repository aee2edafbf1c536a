// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9 shfl and 9.7.13 vote, match, redux, activemask, elect: what the lanes of a warp do
// together.

#include <algorithm>

#include "emulator/checkers/undefined_sources.h"
#include "emulator/checkers/watch.h"
#include "emulator/exec/meeting.h"
#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/ops/members.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/shuffle.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// True where the members named by register `offset` are not all here yet, or the exchange is done already.
bool members_missing(Warp& warp, const Instruction& i, uint32_t offset) {
  if (warp.meets) {
    run_where_groups_meet(warp, i);
    return true;
  }
  if (wait_for_members(warp, i, named_members(warp, i, offset))) return true;
  if (warp.worker->launch->watch != nullptr) watch_exchange(warp);
  return false;
}

/// The lanes in `idle` get what lanes hold that take no part.
void note_idle_sources(Warp& warp, const Instruction& i, uint32_t members, uint32_t idle,
                       const int* sources) {
  // Members that never came to it are reported as such.
  const uint32_t never_came = members & warp.live & ~warp.mask;
  for_each_lane(idle, [&](int lane) {
    if ((never_came >> sources[lane] & 1) == 0)
      follow_idle_source(warp, i, lane, sources[lane], members);
  });
}

void shfl(Warp& warp, const Instruction& i) {
  if (members_missing(warp, i, i.e)) return;
  const uint32_t *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  const uint32_t members = warp.reg<uint32_t>(i.e)[first_lane(warp.mask)];
  uint32_t values[kWarpSize];
  std::fill_n(values, kWarpSize, kIdleLaneValue);
  const uint32_t* a = warp.reg<uint32_t>(i.a);
  if (warp.mask == kFullMask)
    std::memcpy(values, a, sizeof values);
  else
    for_each_lane(warp.mask, [&](int lane) { values[lane] = a[lane]; });
  uint32_t in_range = 0, idle = 0;
  int sources[kWarpSize];
  for_each_lane(warp.mask, [&](int lane) {
    const ShuffleSource source = shuffle_source(i.mode, lane, b[lane], c[lane]);
    sources[lane] = source.lane;
    if (i.d != kNoRegister) warp.reg<uint32_t>(i.d)[lane] = values[source.lane];
    in_range |= static_cast<uint32_t>(source.in_range) << lane;
    idle |= (~warp.mask >> source.lane & 1) << lane;
  });
  write_predicate(warp, static_cast<uint32_t>(i.immediate), in_range);
  if (idle != 0) note_idle_sources(warp, i, members, idle, sources);
}

void decode_shfl(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 5);
  into.run = shfl;
  into.flags |= Instruction::kControl;
  into.mode = from.has("up")     ? kUp
              : from.has("down") ? kDown
              : from.has("bfly") ? kButterfly
                                 : kIndex;
  const ptx::Operand& target = from.operands[0];
  const bool pair = target.kind == ptx::Operand::Kind::vector;
  require(!pair || target.elements.size() == 2, from);
  into.d = decoder.destination(pair ? target.elements[0] : target);
  into.immediate = pair ? decoder.destination(target.elements[1]) : kNoRegister;
  into.a = decoder.source(from.operands[1], Type::b32);
  into.b = decoder.source(from.operands[2], Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
  into.e = decoder.source(from.operands[4], Type::b32);
}

enum VoteMode : uint8_t { kAll, kAny, kUniform, kBallot };

void vote(Warp& warp, const Instruction& i) {
  if (members_missing(warp, i, i.b)) return;
  const uint32_t holds =
      (i.immediate != 0 ? ~warp.predicate(i.a) : warp.predicate(i.a)) & warp.mask;
  if (i.mode == kBallot) return write_lanes<uint32_t>(warp, i.d, [=](int) { return holds; });
  const bool result = i.mode == kAll   ? holds == warp.mask
                      : i.mode == kAny ? holds != 0
                                       : holds == 0 || holds == warp.mask;
  write_predicate(warp, i.d, result ? kFullMask : 0);
}

void decode_vote(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(from.has("sync"), from);
  require_operands(from, 3);
  into.run = vote;
  into.flags |= Instruction::kControl;
  into.mode = from.has("all")   ? kAll
              : from.has("any") ? kAny
              : from.has("uni") ? kUniform
                                : kBallot;
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], Type::pred);
  into.immediate = from.operands[1].negated;
  into.b = decoder.source(from.operands[2], Type::b32);
}

/// Lanes with the same value; for match.all, all of them or none.
template <class T>
void match(Warp& warp, const Instruction& i) {
  if (members_missing(warp, i, i.b)) return;
  const T* a = warp.reg<T>(i.a);
  T values[kWarpSize];
  std::memcpy(values, a, sizeof values);
  const bool all = i.mode != 0;
  uint32_t unanimous = kFullMask;
  uint32_t results[kWarpSize] = {};
  for_each_lane(warp.mask, [&](int lane) {
    for_each_lane(warp.mask, [&](int other) {
      results[lane] |= static_cast<uint32_t>(values[other] == values[lane]) << other;
    });
    if (results[lane] != warp.mask) unanimous = 0;
  });
  write_lanes<uint32_t>(warp, i.d,
                        [&](int lane) { return all && unanimous == 0 ? 0 : results[lane]; });
  if (all) write_predicate(warp, i.e, unanimous);
}

void decode_match(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 3);
  const Type type = last_type(from);
  into.run = ptx::size_of(type) == 8 ? match<uint64_t> : match<uint32_t>;
  into.flags |= Instruction::kControl;
  into.mode = from.has("all");
  const ptx::Operand& target = from.operands[0];
  const bool pair = target.kind == ptx::Operand::Kind::vector;
  require(!pair || target.elements.size() == 2, from);
  into.d = decoder.destination(pair ? target.elements[0] : target);
  if (pair) into.e = decoder.destination(target.elements[1]);
  into.a = decoder.source(from.operands[1], type);
  into.b = decoder.source(from.operands[2], Type::b32);
}

template <class Op, class T>
void redux(Warp& warp, const Instruction& i) {
  if (members_missing(warp, i, i.b)) return;
  const T* a = warp.reg<T>(i.a);
  const int first = first_lane(warp.mask);
  T total = a[first];
  for_each_lane(warp.mask & ~(1u << first), [&](int lane) { total = Op{}(total, a[lane]); });
  write_lanes<T>(warp, i.d, [=](int) { return total; });
}

Handler redux_handler(const ptx::Instruction& from, bool is_signed) {
  if (from.has("add")) return redux<Add, uint32_t>;
  if (from.has("min")) return is_signed ? redux<Min, int32_t> : redux<Min, uint32_t>;
  if (from.has("max")) return is_signed ? redux<Max, int32_t> : redux<Max, uint32_t>;
  if (from.has("and")) return redux<And, uint32_t>;
  if (from.has("or")) return redux<Or, uint32_t>;
  return from.has("xor") ? redux<Xor, uint32_t> : nullptr;
}

void decode_redux(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 3);
  into.run = redux_handler(from, type == Type::s32);
  require(into.run != nullptr && ptx::size_of(type) == 4 && type != Type::f32, from);
  into.flags |= Instruction::kControl;
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], type);
  into.b = decoder.source(from.operands[2], Type::b32);
}

void activemask(Warp& warp, const Instruction& i) {
  const uint32_t mask = warp.mask;
  write_lanes<uint32_t>(warp, i.d, [=](int) { return mask; });
}
void decode_activemask(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  into.run = activemask;
  into.d = decoder.destination(from.operands[0]);
}

/// d = the chosen lane, p = whether this is the one; the lowest lane is chosen.
void elect(Warp& warp, const Instruction& i) {
  if (members_missing(warp, i, i.a)) return;
  const auto leader = static_cast<uint32_t>(first_lane(warp.mask));
  if (i.d != kNoRegister) write_lanes<uint32_t>(warp, i.d, [=](int) { return leader; });
  write_predicate(warp, i.e, 1u << leader);
}
void decode_elect(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const ptx::Operand& target = from.operands[0];
  require(target.kind == ptx::Operand::Kind::vector && target.elements.size() == 2, from);
  into.run = elect;
  into.flags |= Instruction::kControl;
  into.d = decoder.destination(target.elements[0]);
  into.e = decoder.destination(target.elements[1]);
  into.a = decoder.source(from.operands[1], Type::b32);
}

constexpr OpRow kRows[] = {
    {"elect", decode_elect}, {"shfl", decode_shfl},   {"vote", decode_vote},
    {"match", decode_match}, {"redux", decode_redux}, {"activemask", decode_activemask},
};

}  // namespace

const std::span<const OpRow> kWarpOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
