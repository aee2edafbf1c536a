// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

struct Block;
struct Worker;
class UndefinedValues;

/// The lowest lane of a mask that is not empty. (The & tells the compiler so.)
inline int first_lane(uint32_t mask) { return std::countr_zero(mask) & (kWarpSize - 1); }

/// One activation of a function for the lanes that called it together.
struct Frame {
  const FunctionCode* function = nullptr;
  std::unique_ptr<uint8_t[]> storage;  ///< keeps `registers`, which is aligned for SIMD
  uint8_t* registers = nullptr;
  Frame* caller = nullptr;
  uint32_t return_pc = 0;
  uint32_t call_detail = kNoDetail;
  uint32_t depth = 0;
  uint32_t lanes = 0;        ///< that have not returned from it
  uint32_t local_base = 0;   ///< where its local memory begins in the lane's
  uint32_t taken_local = 0;  ///< bytes that alloca took behind what the function declares
  uint64_t stack_bytes = 0;  ///< of the registers of this and all callers; a spare one: of its own
};

/// Lanes of a warp that stand at the same place. Independent thread scheduling (Volta and later)
/// lets any number of groups exist; they merge as soon as they meet.
struct Group {
  enum class State : uint8_t { ready, at_barrier, at_warp_sync };
  Frame* frame = nullptr;
  uint32_t pc = 0;
  uint32_t mask = 0;
  State state = State::ready;
  uint8_t barrier = 0;
  bool leaves = false;     ///< to end, without meeting others again: early_exit.h
  uint32_t waits_at = 0;   ///< pc of the instruction that made it wait
  uint32_t waits_for = 0;  ///< lanes, at_warp_sync
  bool is_stuck = false;   ///< some of which can never come, which is reported
  bool meets = false;      ///< the lanes that run next do its exchange, too: meeting.h
};

/// Why a handler wants the interpreter loop to stop and think.
enum class Signal : uint8_t { none, regroup, stop };

/// 32 threads. The loop works on a copy of the running group (frame, pc, active) and stores it back
/// when it changes groups.
struct Warp {
  uint8_t* registers = nullptr;       ///< of the running group's frame
  const Instruction* code = nullptr;  ///< the program, or its twin that follows undefined values
  const uint32_t* places = nullptr;   ///< Program::places
  uint32_t mask = 0;                  ///< lanes the current instruction acts on
  uint32_t carry = 0;                 ///< CC.CF of each lane
  uint32_t active = 0;                ///< lanes of the running group
  uint32_t pc = 0;                    ///< of the next instruction
  Signal signal = Signal::none;
  Frame* frame = nullptr;
  Block* block = nullptr;
  Worker* worker = nullptr;

  uint64_t executed = 0;   ///< instructions so far
  uint64_t slice_end = 0;  ///< value of `executed` at which other warps get their turn
  uint32_t index = 0;      ///< in its block
  uint32_t live = 0;       ///< lanes that have not exited
  int running = -1;        ///< index into groups, -1 while none runs
  uint32_t met = 0;        ///< lanes that met at the last bar.warp.sync
  bool forced = false;     ///< the running group no longer waits for missing members
  bool meets = false;      ///< the running group does the exchange of others, too: meeting.h
  bool spins = false;      ///< an instruction ran that waits for other threads' writes
  bool waits = false;      ///< its slice ended in a waiting loop
  uint64_t last_turn = 0;  ///< of a waiting loop: a fingerprint of what it left
  uint32_t picks = 0;      ///< times in a row that the same lanes were chosen, others waiting
  int favoured_lane = -1;  ///< whose group is chosen for the next `favour_left` times
  uint32_t favour_left = 0;
  int turned_lane = -1;         ///< which was next in the order when others got their last turn
  uint32_t same_turns = 0;      ///< in a row that the same lane was
  uint32_t turns_in_order = 0;  ///< since one behind it was let before
  int last_lane = -1;           ///< of the group that was
  std::vector<Group> groups;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<Frame>> spare_frames;
  std::vector<uint8_t> local;  ///< rows of 32 four-byte words, as the hardware interleaves lanes
  std::vector<uint8_t> local_written;  ///< by the init checker: bits of the bytes of each word
  std::shared_ptr<UndefinedValues> undefined;  ///< null until it has held one
  std::vector<std::pair<uint64_t, uint32_t>>
      wrote;  ///< lanes that wrote to an allocation, by its begin

  template <class T>
  T* reg(uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  uint32_t predicate(uint32_t offset) const { return *reg<uint32_t>(offset); }
};

/// Makes the warp ready to run `entry` from its first instruction.
void start_warp(Warp& warp, const FunctionCode& entry, uint32_t lanes);
/// Picks the group to run next and loads it; false where no group can run.
bool choose_group(Warp& warp);
/// Stores the running group back.
void park_group(Warp& warp);
/// Where the local memory of the frame's callees begins.
uint64_t end_of_local(const Frame& frame);
/// Makes room for local memory that nothing has written.
void provide_local(Warp& warp, uint32_t lanes, uint64_t begin, uint64_t bytes);
/// What a thread's local memory may take (CUDA C++ Programming Guide, "Technical Specifications").
constexpr uint64_t kMaxLocalBytes = 512 << 10;
/// A frame for `function`, its constants and special registers filled in.
Frame* make_frame(Warp& warp, const FunctionCode& function, Frame* caller, uint32_t lanes);
/// `lanes` leave the frame; it is put aside for reuse when it has none left.
void leave_frame(Warp& warp, Frame* frame, uint32_t lanes);
/// `lanes` have ended: they leave every frame and count no more at barriers.
void exit_lanes(Warp& warp, uint32_t lanes);
/// Lets groups go on that wait for members of their warp, none of which is missing: those have ended, or wait in other places
/// for the same exchange. True where there were any.
bool end_waits(Warp& warp);
/// Lets the groups that wait for members of their warp go on without them; true where there were
/// any.
bool give_up_waiting(Warp& warp);

/// Address of byte `offset` of lane `lane` in rows of 32 four-byte words.
inline uint8_t* interleaved(uint8_t* rows, uint64_t offset, int lane) {
  return rows + (offset >> 2) * (4 * kWarpSize) + static_cast<unsigned>(lane) * 4 + (offset & 3);
}

}  // namespace warpgrade::emulator
