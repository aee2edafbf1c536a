// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/exec/members.h"
#include "emulator/exec/split_updates.h"
#include "emulator/exec/warp_size.h"
#include "emulator/ptx/module.h"
#include "emulator/ptxas/other_steps.h"

namespace warpgrade::emulator {

constexpr uint32_t kFullMask = 0xFFFF'FFFF;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&);

/// A function's address is this plus its index in Program::functions.
constexpr uint64_t kFunctionBase = 0x3300'0000'0000;

constexpr uint32_t kNoRegister = 0xFFFF'FFFF;
constexpr uint32_t kNoDetail = 0xFFFF'FFFF;

/// A decoded instruction. Registers are byte offsets into a frame's register file, where each
/// register is 32 lanes wide; immediates and special registers are registers, too, filled when a
/// frame is made.
struct Instruction {
  enum Flag : uint8_t {
    kGuardNegated = 1,
    kControl = 2,         ///< may change the groups of lanes
    kBeforeLeader = 4,    ///< another group may wait at the next instruction
    kAligned = 8,         ///< all lanes of a warp must execute it together
    kStrong = 16,         ///< each lane's elements go to or from memory as one
    kRepeated = 32,       ///< its lanes' addresses form the pattern in its memo: repeated.h
    kLoads = 64,          ///< ld: memory's values go to its registers and nowhere else
    kConstantData = 128,  ///< reads through a cache that does not see what the kernel writes
  };

  Handler run = nullptr;
  uint32_t d = kNoRegister;  ///< destination
  uint32_t a = kNoRegister, b = kNoRegister, c = kNoRegister;
  uint32_t e = kNoRegister;  ///< a fourth source, or a second destination
  uint32_t guard = kNoRegister;
  uint8_t flags = 0;
  uint8_t bytes = 0;                 ///< memory: of one element
  uint8_t elements = 1;              ///< memory: 1, 2 or 4
  uint8_t mode = 0;                  ///< op-specific
  int64_t immediate = 0;             ///< address offset, branch target, barrier number...
  uint32_t pc = 0;                   ///< own index
  uint32_t detail = kNoDetail;       ///< index into Program::details
  uint32_t memory_slot = kNoDetail;  ///< numbers the memory instructions of the program
  uint16_t ordering = 0;             ///< what its accesses mean to other threads: the bits below
  uint8_t joined = 1;                ///< accesses that ptxas makes into this one: joined.h
  uint8_t moved = 0;                 ///< of a load, a bit for each element: moved_elements()
};

constexpr unsigned kStrong = 1;         ///< volatile, relaxed or stronger; fences and atomics
constexpr unsigned kAtomic = 2;         ///< reads and writes as one
constexpr unsigned kInBlock = 4;        ///< of .cta scope
constexpr unsigned kAcquires = 8;       ///< what it reads tells what others have done
constexpr unsigned kReleases = 16;      ///< what it writes tells others, without a fence before
constexpr unsigned kReadsNothing = 32;  ///< atomic, but the old value does not matter
constexpr unsigned kCopies = 64;        ///< cp.async: done only when it is waited for
constexpr unsigned kByWholeWarp = 128;  ///< the lanes together
constexpr unsigned kRelaxed =
    256;  ///< acquires only with a fence behind it (PTX ISA, acquire pattern)
constexpr unsigned kLooks = 512;     ///< in a waiting loop: waiting_loops.h
constexpr unsigned kMayDrop = 1024;  ///< Program::drops says which lanes drop what this load gets
constexpr unsigned kIsPart = 2048;   ///< a read that a write of Program::split_updates is made of
constexpr unsigned kCounts = 4096;  ///< of a strong store of what was loaded and changed: updates.h
constexpr unsigned kIsMade = 8192;  ///< one of Program::split_updates
constexpr unsigned kIsTurn = 32768;  ///< one of SplitUpdates::turns
constexpr unsigned kSwaps = 16384;  ///< compares before it writes, or exchanges: may lock the place

/// Which lanes drop what a load gets: those for which all values of one clause hold. discarded_loads.h.
struct Drop {
  struct Condition {
    uint32_t reg = kNoRegister;
    bool is_predicate = true;  ///< else: a register of 32 bits, which is not 0
    bool value = true;
  };
  /// The checkers run these before they look at the registers. No instruction uses those registers earlier.
  std::vector<uint32_t> before;
  std::vector<std::vector<Condition>> clauses;
};

/// What does not fit an Instruction: vector registers, calls, branch tables, what was not
/// understood.
struct Detail {
  std::vector<uint32_t> registers;
  std::vector<uint32_t> more;
  std::vector<uint32_t> slot_bytes;  ///< of a call's parameters: those in `registers`, then `more`
  std::string text;
  uint32_t function = 0;
  Handler inner = nullptr;  ///< of a handler that wraps another
};

enum class SpecialRegister : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  dynamic_smem_size,
  total_smem_size,
  envreg1,
  envreg2,
  reserved_smem_offset,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  is_explicit_cluster,
  zero,
};

/// A `.param` variable of a call: rows of 32 four-byte words in the register file.
struct ParameterSlot {
  std::string_view name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// An immediate: every lane of the register at `offset` holds the low `bytes` of `bits`.
struct Constant {
  uint32_t offset = 0;
  uint64_t bits = 0;
  uint8_t bytes = 4;
};

/// A `.shared` array at `offset` in the block's shared memory. Arrays lie kSharedRedZoneBytes
/// apart, so that running off one is seen; a multiple of 128 keeps every array's banks what they
/// are on a GPU.
struct SharedVariable {
  std::string name;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};
constexpr uint32_t kSharedRedZoneBytes = 128;
/// What a device of compute capability 8 or later keeps of each block's shared memory for
/// cooperative groups.
constexpr uint32_t kReservedSharedBytes = 1024;

struct FunctionCode {
  std::string name;
  bool is_entry = false;
  bool is_of_toolkit = false;  ///< from the CUDA Toolkit's headers, or without lines
  bool is_of_library = false;  ///< a kernel of CUB's or Thrust's
  uint32_t first = 0;          ///< index of its first instruction in Program::code
  uint32_t count = 0;
  uint32_t frame_bytes = 0;         ///< size of its register file
  std::vector<uint32_t> registers;  ///< offset of each register that the PTX declares
  std::vector<Constant> constants;
  std::vector<std::pair<SpecialRegister, uint32_t>> specials;
  std::vector<ParameterSlot> parameters, returns;
  uint32_t local_bytes = 0;          ///< per thread
  bool has_ordered_atomics = false;  ///< its result may depend on the order of blocks
  KernelInfo info;
  std::vector<SharedVariable> shared;  ///< static arrays that it, or a function it may call, uses
  SharedVariable dynamic_shared;       ///< the `extern __shared__` array, named as it is there
  ptx::Location location;
};

/// A module's code, shared by all its functions.
struct Program {
  std::vector<Instruction> code;
  std::vector<Detail> details;
  std::vector<ptx::Location> locations;   ///< one per instruction
  std::vector<std::string_view> opcodes;  ///< one per instruction, "ld.global.f32"
  std::vector<uint32_t>
      places;  ///< one per instruction: lanes at the lowest run first, block_order.h
  std::vector<FunctionCode> functions;
  std::unordered_map<uint32_t, MemberAccess> members;  ///< by index in `code`
  std::unordered_map<uint32_t, Drop> drops;            ///< of loads, by index in `code`
  std::unordered_set<uint32_t> data_loads;             ///< data_loads.h, by index in `code`
  std::unordered_map<uint32_t, SplitUpdate>
      split_updates;                          ///< by index in `code`, as its reads are
  std::unordered_set<uint32_t> kept_atomics;  ///< by index in `code`: ptxas/kept_atomics.h
  std::unordered_map<uint32_t, OtherSteps>
      other_steps;                ///< by index in `code`: ptxas/other_steps.h
  SharedVariable dynamic_shared;  ///< where `extern __shared__` arrays begin; bytes is 0
  uint32_t memory_slots = 0;
  bool uses_reserved_shared = false;
};

struct CostProfile;
struct FlowTable;

class LoadedModule {
 public:
  ptx::Module ptx;
  Program program;
  std::map<std::string, Symbol, std::less<>> symbols;

  const FunctionCode* find_entry(std::string_view name) const;
  /// Base name of the source file an instruction came from, empty where unknown.
  std::string file_of(uint32_t pc) const;
  int line_of(uint32_t pc) const { return static_cast<int>(program.locations[pc].line); }
  /// For the time model; made when first asked for.
  const CostProfile& cost_profile() const;
  /// For the checkers that follow undefined values; made when first asked for.
  const FlowTable& flow() const;

 private:
  mutable std::once_flag profiled_;
  mutable std::shared_ptr<const CostProfile> cost_profile_;
  mutable std::once_flag flow_made_;
  mutable std::shared_ptr<const FlowTable> flow_;
};

}  // namespace warpgrade::emulator
