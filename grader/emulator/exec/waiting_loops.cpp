// SPDX-License-Identifier: MIT
#include "emulator/exec/waiting_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "emulator/checkers/watch.h"
#include "emulator/exec/order.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kLongestLoop = 64;
/// More than Warp::picks may come to.
constexpr uint32_t kAllPatience = 1u << 30;
/// Opcodes whose whole effect is on the registers that they name first.
constexpr std::array<std::string_view, 34> kOnRegisters = {
    "mov",  "cvt", "cvta",     "add",  "sub",   "mul",  "mul24",     "mad",  "shl",
    "shr",  "and", "or",       "xor",  "not",   "min",  "max",       "neg",  "abs",
    "setp", "set", "selp",     "slct", "prmt",  "bfe",  "bfi",       "lop3", "shf",
    "popc", "clz", "isspacep", "vote", "match", "shfl", "activemask"};
/// Opcodes that only order or delay the others.
constexpr std::array<std::string_view, 5> kWithoutResult = {"bra", "membar", "fence", "nanosleep",
                                                            "exit"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& opcodes, std::string_view opcode) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

bool reads_others(const ptx::Instruction& instruction) {
  if (instruction.opcode == "atom") return true;
  return instruction.opcode == "ld" && (ordering_of(instruction) & kStrong) != 0;
}

bool may_wait(const ptx::Instruction& instruction) {
  const bool syncs_warp = instruction.opcode == "bar" && instruction.has("warp");
  return syncs_warp || instruction.opcode == "ld" || instruction.opcode == "atom" ||
         is_one_of(kOnRegisters, instruction.opcode) ||
         is_one_of(kWithoutResult, instruction.opcode);
}

void note_registers(const ptx::Operand& target, std::set<int>& registers) {
  if (target.reg >= 0 && !target.is_address) registers.insert(target.reg);
  for (const ptx::Operand& element : target.elements) note_registers(element, registers);
}

/// Registers that a turn of [first, last] may write; none where it does more than wait.
std::vector<int> registers_of(const ptx::Function& function, size_t first, size_t last) {
  std::set<int> registers;
  bool reads = false;
  for (size_t index = first; index <= last; ++index) {
    const ptx::Instruction& instruction = function.body[index];
    if (!may_wait(instruction)) return {};
    reads |= reads_others(instruction);
    const bool writes = instruction.opcode == "ld" || instruction.opcode == "atom" ||
                        is_one_of(kOnRegisters, instruction.opcode);
    if (writes && !instruction.operands.empty())
      note_registers(instruction.operands.front(), registers);
  }
  return reads ? std::vector<int>(registers.begin(), registers.end()) : std::vector<int>();
}

/// A hash of the place, the lanes of warp.mask, and the values that the loop's registers have in them.
uint64_t fingerprint(const Warp& warp, const Instruction& branch) {
  const Detail& detail = warp.worker->launch->module->program.details[branch.detail];
  uint64_t hash = mixed(branch.pc + 1, warp.mask, reinterpret_cast<uintptr_t>(warp.frame));
  for (size_t index = 0; index < detail.registers.size(); ++index) {
    const uint8_t* const row = warp.registers + detail.registers[index];
    const uint32_t bytes = detail.slot_bytes[index];
    if (bytes == 0) {
      hash = mixed(hash, *reinterpret_cast<const uint32_t*>(row) & warp.mask, index);
      continue;
    }
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
      uint64_t words[2] = {0, 0};
      std::memcpy(words, row + static_cast<size_t>(first_lane(mask)) * bytes,
                  std::min<size_t>(bytes, sizeof words));
      hash = mixed(hash, words[0], words[1]);
    }
  }
  return hash;
}

bool others_can_run(const Warp& warp) {
  for (size_t index = 0; index < warp.groups.size(); ++index) {
    const bool is_other = static_cast<int>(index) != warp.running;
    if (is_other && warp.groups[index].state == Group::State::ready) return true;
  }
  return warp.mask != warp.active;
}

}  // namespace

std::vector<WaitingLoop> waiting_loops(const ptx::Function& function) {
  std::vector<WaitingLoop> loops;
  for (size_t index = 0; index < function.body.size(); ++index) {
    const ptx::Instruction& branch = function.body[index];
    if (branch.opcode != "bra" || branch.operands.size() != 1) continue;
    const auto target = function.labels.find(branch.operands[0].name);
    if (target == function.labels.end() || target->second > index ||
        index - target->second >= kLongestLoop)
      continue;
    std::vector<int> registers = registers_of(function, target->second, index);
    if (registers.empty()) continue;
    WaitingLoop& loop = loops.emplace_back(WaitingLoop{index, std::move(registers), {}});
    for (size_t look = target->second; look < index; ++look) {
      const ptx::Instruction& reads = function.body[look];
      if (reads.opcode == "ld" && reads_others(reads)) loop.looks.push_back(look);
    }
  }
  return loops;
}

void note_turn(Warp& warp, const Instruction& branch) {
  const bool has_others = others_can_run(warp);
  const bool looks = warp.block->looks;
  if (!has_others && !warp.worker->gives_way) return;
  const uint64_t turn = fingerprint(warp, branch);
  const bool again = std::exchange(warp.last_turn, turn) == turn;
  if (!again && !looks) return;
  warp.spins = true;
  warp.block->waits = true;
  if (has_others) {
    // Where turns are short, other lanes would wait for theirs for long.
    if (looks) warp.picks = kAllPatience;
    return;
  }
  warp.waits = true;
  warp.slice_end = warp.executed;
}

void note_look(Warp& warp) {
  // Several lanes that look wait for each other, as for a lock, and not for all blocks.
  if (!warp.worker->others_wait || std::popcount(warp.mask) != 1) return;
  warp.block->looks = true;
  // Not before the branch behind it.
  warp.slice_end = warp.executed + 1;
}

}  // namespace warpgrade::emulator
