// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/checkers/sync.h"
#include "emulator/checkers/watch.h"
#include "emulator/exec/flow.h"

// Values that come from nowhere: loaded where nothing was written, or taken by a shuffle from a lane
// that takes no part. Compilers load early and choose later, and libraries load one element more
// than they use; such a value is wrong only where it decides something. Theory of operation: a load
// or shuffle that gets such a value notes it for its register and lane, and the warp goes on with
// the twin of its program, in which track() stands around each instruction. It hands the note on
// from sources to results and reports it, at the line of the load, where the value decides a branch
// or an address or leaves the thread: by a store, an atomic, a barrier, a vote, a call of the runtime. A call of another
// function hands it on, and so does the return. Once no
// register that may still be read holds such a value, the warp goes back to its program, so that
// kernels without such loads pay nothing.

namespace warpgrade::emulator {

struct Frame;

/// A pseudo register: CC.CF.
constexpr uint32_t kCarry = 0xFFFF'FFFE;

/// A lane that a shuffle takes from although it takes no part, as UndefinedValues::Origin::where holds it.
struct IdleSource {
  int lane = 0;
  IdleLane why{};

  uint64_t packed() const { return static_cast<uint64_t>(lane) << 8 | static_cast<uint64_t>(why); }
  static IdleSource of(uint64_t packed) {
    return {static_cast<int>(packed >> 8), static_cast<IdleLane>(packed & 0xFF)};
  }
};

/// The undefined values of one warp.
class UndefinedValues {
 public:
  enum class Source : uint8_t { memory, local, shuffle };
  /// An instruction that gets such values. Those of one kind and object are told as one.
  struct Origin {
    const Instruction* instruction = nullptr;
    Source source = Source::memory;
    uint64_t object = 0;
    const Allocation* allocation = nullptr;
    unsigned bytes = 0;
    std::array<uint64_t, kWarpSize> where{};  ///< of each lane: an address, or an IdleSource
  };
  /// A bit for each origin of a lane's value.
  using Origins = uint64_t;
  using Lanes = std::array<Origins, kWarpSize>;

  /// The origin's bit, `where` being noted for the lane; 0 where there are too many of them.
  Origins origin(const Origin& like, int lane, uint64_t where);
  /// The register of the running group's frame holds such a value in that lane.
  void mark(Warp& warp, uint32_t reg, int lane, Origins origins);
  /// What st.local has put at the words of a lane's local memory from `offset` on, or 0.
  Origins in_local(uint64_t offset, unsigned bytes, int lane) const;
  /// Local memory from word `first` on is that of a new frame.
  void forget_local(uint32_t lanes, size_t first);
  /// Before another block.
  void clear();

  /// Executes an instruction for the lanes in warp.mask.
  void run(Warp& warp, const Instruction& instruction, const Flow& flow);
  /// The lanes' values in a register decide something: reports those that are undefined.
  void observe(Warp& warp, uint32_t reg, uint32_t lanes);
  /// Whether no more than `count` registers hold such a value.
  bool few(size_t count) const { return values_.size() <= count; }
  /// Drops the values of the running lanes that nothing reads any more; true where none is left.
  bool expire(const Warp& warp);

 private:
  struct Place {
    const Frame* frame;
    uint32_t reg;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const {
      return (reinterpret_cast<uintptr_t>(place.frame) ^ uint64_t{place.reg} << 20) *
                 0x9E37'79B9'7F4A'7C15u >>
             16;
    }
  };

  /// Whether some value of the lane comes from there.
  bool holds(size_t lane, Origins origin) const;
  Lanes lanes_of(const Frame* frame, uint32_t reg) const;
  Lanes result(const Warp& warp, const Instruction& instruction, const Flow& flow) const;
  void assign(const Frame* frame, const std::vector<uint32_t>& registers, uint32_t lanes,
              const Lanes& origins);
  void leave(const Frame* frame, uint32_t lanes, bool all_frames);
  void shuffle(Warp& warp, const Instruction& instruction, const Flow& flow);
  void store(Warp& warp, const Instruction& instruction, const Flow& flow);
  void move_parameter(Warp& warp, const Instruction& instruction, const Flow& flow);
  void call(Warp& warp, const Instruction& instruction, const Flow& flow);
  void give_back(Warp& warp, const Instruction& instruction);
  std::vector<Lanes> lanes_of_words(const Frame* frame, uint32_t slot, uint32_t bytes) const;
  void assign_words(const Frame* frame, uint32_t slot, uint32_t lanes,
                    const std::vector<Lanes>& words);
  void report(Warp& warp, Origins origins, int lane);
  /// Calls change(place, lanes) for all registers and drops those that hold nothing any more.
  template <class Change>
  void change_all(Change change);

  std::vector<Origin> origins_;
  std::unordered_map<Place, Lanes, PlaceHash> values_;
  std::unordered_map<uint64_t, Origins> local_;  ///< by word and lane
};

/// Follows the warp's undefined values through one instruction: Instruction::run of FlowTable::code.
void track(Warp& warp, const Instruction& instruction);

}  // namespace warpgrade::emulator
