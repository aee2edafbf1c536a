// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// How a result depends on its sources.
enum class Through : uint8_t {
  any,          ///< on all of them
  selection,    ///< selp: on the predicate, and on the source that it chooses
  sign,         ///< slct: likewise, by a sign
  conjunction,  ///< and: a source of zero bits decides alone
  disjunction,  ///< or: a source of one bits decides alone
  comparison,   ///< setp, set: a third predicate may decide alone
  load,         ///< on memory
  store,        ///< st: memory depends on it
  shuffle,      ///< on the source of another lane
  parameter,    ///< ld.param, st.param: word by word
};

/// The registers of one instruction, by their offsets in a frame; a word of a call's parameter is one, too.
struct Flow {
  Through through = Through::any;
  uint8_t bytes = 0;    ///< of one element or operand; 0: predicates
  bool ends = false;    ///< ret, exit: its lanes leave their frame,
  bool exits = false;   ///< exit: and all others
  bool calls = false;   ///< call: its parameters lie in `reads`, its results in `writes`
  bool either = false;  ///< comparison: combined by or
  bool local = false;   ///< st.local
  bool shared = false;  ///< st.shared
  bool copies = false;  ///< st of a structure's member: an undefined value shows nowhere yet
  bool loads = false;   ///< ld.param
  std::vector<uint32_t> writes;
  std::vector<uint32_t> reads;    ///< what the results depend on; of st, element by element
  std::vector<uint32_t> decides;  ///< what the instruction does depends on: addresses, barriers...
};

/// The place of a word of a call's parameter that lies at `slot` of a frame.
constexpr uint32_t word_of(uint32_t slot, uint64_t word) {
  return slot + static_cast<uint32_t>(word * 4 * kWarpSize);
}

/// The instructions between which a register's value may be needed.
struct Lifetime {
  uint32_t after = 0, last = 0;  ///< by index in Program::code
  bool contains(uint32_t pc) const { return pc > after && pc <= last; }
};

/// The flow of a program's values.
struct FlowTable {
  std::vector<Flow> flows;        ///< one for each instruction
  std::vector<Instruction> code;  ///< the program, each instruction followed by track()
  std::vector<std::unordered_map<uint32_t, Lifetime>> lifetimes;  ///< of each function's registers
};

FlowTable make_flow(const ptx::Module& module, const Program& program);

}  // namespace warpgrade::emulator
