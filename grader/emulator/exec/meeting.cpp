// SPDX-License-Identifier: MIT
#include "emulator/exec/meeting.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

const Program& program_of(const Warp& warp) { return warp.worker->launch->module->program; }

/// Whether a thread at `from` may come to the later `to` of the same function without going back.
bool leads_to(const Program& program, uint32_t from, uint32_t to) {
  std::vector<bool> seen(to - from + 1);
  std::vector<uint32_t> open = {from + 1};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (at > to || at <= from || seen[at - from]) continue;
    if (at == to) return true;
    seen[at - from] = true;
    const Instruction& instruction = program.code[at];
    const std::string_view opcode = program.opcodes[at];
    const bool is_branch = opcode.starts_with("bra"), is_table = opcode.starts_with("brx");
    if (is_branch) open.push_back(static_cast<uint32_t>(instruction.immediate));
    if (is_table)
      for (const uint32_t target : program.details[instruction.detail].registers)
        open.push_back(target);
    const bool ends = opcode.starts_with("ret") || opcode.starts_with("exit");
    if (instruction.guard != kNoRegister || !(is_branch || is_table || ends))
      open.push_back(at + 1);
  }
  return false;
}

/// Whether no thread passes both places, which lie in the same frame once callers are followed.
bool exclude_each_other(const Warp& warp, const Group& one, const Group& two) {
  const Frame *a = one.frame, *b = two.frame;
  uint32_t at = one.waits_at, bt = two.waits_at;
  const auto climb = [](const Frame*& frame, uint32_t& place) {
    place = frame->return_pc - 1;
    frame = frame->caller;
  };
  while (a != b) {
    const bool level = a->depth == b->depth;
    const bool is_deeper = a->depth > b->depth;
    if (level || is_deeper) climb(a, at);
    if (level || !is_deeper) climb(b, bt);
  }
  return at == bt || !leads_to(program_of(warp), std::min(at, bt), std::max(at, bt));
}

bool is_exchange(std::string_view opcode) {
  return opcode.starts_with("shfl") || opcode.starts_with("vote") || opcode.starts_with("match") ||
         opcode.starts_with("redux") || opcode.starts_with("elect");
}

bool waits_for_the_same(const Warp& warp, const Group& one, const Group& two) {
  const auto& opcodes = program_of(warp).opcodes;
  return two.state == Group::State::at_warp_sync && one.waits_for == two.waits_for &&
         opcodes[one.waits_at] == opcodes[two.waits_at] && exclude_each_other(warp, one, two);
}

/// The rows of an instruction's operand: 32 words or double words, or the bits of a predicate.
struct Operand {
  uint32_t offset = kNoRegister;
  uint32_t bytes = 4;  ///< of a lane; 0: a predicate
  bool is_written = false;
  bool is_negated = false;
};

/// As ops/warp.cpp decodes them.
std::vector<Operand> operands_of(const Instruction& i, std::string_view opcode) {
  const auto has = [&](std::string_view part) {
    return opcode.find(part) != std::string_view::npos;
  };
  if (opcode.starts_with("shfl"))
    return {{i.a}, {i.b},          {i.c},
            {i.e}, {i.d, 4, true}, {static_cast<uint32_t>(i.immediate), 0, true}};
  if (opcode.starts_with("vote"))
    return {{i.a, 0, false, i.immediate != 0}, {i.b}, {i.d, has("ballot") ? 4u : 0u, true}};
  if (opcode.starts_with("match"))
    return {{i.a, has("b64") ? 8u : 4u}, {i.b}, {i.d, 4, true}, {i.e, 0, true}};
  if (opcode.starts_with("redux")) return {{i.a}, {i.b}, {i.d, 4, true}};
  return {{i.a}, {i.d, 4, true}, {i.e, 0, true}};
}

/// Copies the lanes of an operand's rows; `flips` changes a predicate's bits.
void copy_lanes(const uint8_t* from, uint8_t* to, uint32_t bytes, uint32_t lanes,
                bool flips = false) {
  if (bytes == 0) {
    uint32_t source, target;
    std::memcpy(&source, from, sizeof source);
    std::memcpy(&target, to, sizeof target);
    target = (target & ~lanes) | ((flips ? ~source : source) & lanes);
    std::memcpy(to, &target, sizeof target);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const size_t at = static_cast<size_t>(first_lane(lanes)) * bytes;
    std::memcpy(to + at, from + at, bytes);
  }
}

using Rows = std::vector<std::vector<uint8_t>>;  ///< of each operand

/// What the running group's frame holds in the operands' rows.
Rows rows_of(const Warp& warp, const std::vector<Operand>& operands) {
  Rows all;
  for (const Operand& operand : operands) {
    const uint32_t bytes = operand.bytes == 0 ? 4 : kWarpSize * operand.bytes;
    const uint8_t* const rows = warp.registers + operand.offset;
    all.emplace_back();
    if (operand.offset != kNoRegister) all.back().assign(rows, rows + bytes);
  }
  return all;
}

/// Calls `each` with the operands of the running and of the guests' instruction, where both name a register.
template <class Each>
void for_each_pair(const Warp& warp, const std::vector<Operand>& hosts, const Group& guest,
                   const Each& each) {
  const Program& program = program_of(warp);
  const std::vector<Operand> guests =
      operands_of(program.code[guest.waits_at], program.opcodes[guest.waits_at]);
  for (size_t index = 0; index < hosts.size(); ++index) {
    if (hosts[index].offset != kNoRegister && guests[index].offset != kNoRegister)
      each(index, hosts[index], guests[index]);
  }
}

/// The running group's frame gets what the guests hold in operands that are read.
void invite(Warp& warp, const std::vector<Operand>& operands, const Group& guest) {
  for_each_pair(warp, operands, guest, [&](size_t, const Operand& host, const Operand& own) {
    if (!host.is_written)
      copy_lanes(guest.frame->registers + own.offset, warp.registers + host.offset, host.bytes,
                 guest.mask, host.is_negated != own.is_negated);
  });
}

/// The guests' frame gets their part of the results.
void hand_over(Warp& warp, const std::vector<Operand>& operands, const Rows& results,
               const Group& guest) {
  for_each_pair(warp, operands, guest, [&](size_t index, const Operand& host, const Operand& own) {
    if (host.is_written)
      copy_lanes(results[index].data(), guest.frame->registers + own.offset, host.bytes,
                 guest.mask);
  });
}

}  // namespace

bool let_groups_meet(Warp& warp) {
  for (Group& host : warp.groups) {
    if (host.state != Group::State::at_warp_sync ||
        !is_exchange(program_of(warp).opcodes[host.waits_at]))
      continue;
    uint32_t met = host.mask;
    for (const Group& guest : warp.groups)
      if (&guest != &host && waits_for_the_same(warp, host, guest)) met |= guest.mask;
    if (met == host.mask || (host.waits_for & warp.live & ~met) != 0) continue;
    for (Group& guest : warp.groups)
      guest.meets = &guest != &host && waits_for_the_same(warp, host, guest);
    host.state = Group::State::ready;
    warp.meets = true;
    return true;
  }
  return false;
}

void run_where_groups_meet(Warp& warp, const Instruction& instruction) {
  const Program& program = program_of(warp);
  const uint32_t lanes = warp.mask;
  // The twin that follows undefined values runs for the running lanes alone.
  const Instruction& plain = program.code[instruction.pc];
  const std::vector<Operand> operands = operands_of(plain, program.opcodes[plain.pc]);
  uint32_t guests = 0;
  for (const Group& group : warp.groups) guests |= group.meets ? group.mask : 0;
  warp.meets = false;
  // The frame may be the guests' own, whose lanes keep other values in these rows.
  const Rows before = rows_of(warp, operands);
  for (const Group& group : warp.groups)
    if (group.meets) invite(warp, operands, group);
  warp.mask = lanes | guests;
  plain.run(warp, plain);
  warp.mask = lanes;
  const Rows results = rows_of(warp, operands);
  for (size_t index = 0; index < operands.size(); ++index) {
    if (operands[index].offset != kNoRegister)
      copy_lanes(before[index].data(), warp.registers + operands[index].offset,
                 operands[index].bytes, guests);
  }
  for (Group& group : warp.groups) {
    if (!std::exchange(group.meets, false)) continue;
    hand_over(warp, operands, results, group);
    group.state = Group::State::ready;
    group.pc = group.waits_at + 1;
  }
}

}  // namespace warpgrade::emulator
