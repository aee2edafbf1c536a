// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgrade::emulator {

/// What an instruction waits for besides a fixed number of clocks.
enum class OpKind : uint8_t {
  plain,
  global_load,
  local_load,
  global_store,
  local_store,
  shared_load,
  shared_store,
  global_atomic,
  shared_atomic,
  shared_atomic_loop,
  barrier,
  fence,
  constant_load,  ///< by an address in a register
  texture,
  heap,   ///< a call of malloc or free
  print,  ///< a call of vprintf
};

/// What one PTX instruction of a warp costs once ptxas has turned it into machine instructions. A
/// unit of a pipe is one machine instruction of a warp.
struct OpCost {
  double issue = 1;  ///< machine instructions
  double fp32 = 0;   ///< pipe of single-precision arithmetic
  double imad = 0;   ///< integer products, which share that pipe at half its rate
  double alu = 0;    ///< logic, shifts to the right, comparisons, minimum
  double flex = 0;   ///< additions and moves, which ptxas puts on the pipe that has less to do
  double fp64 = 0;
  double xu = 0;       ///< special functions, conversions, bit counts
  double tensor = 0;   ///< multiply-adds of half precision, thousands
  double shuffle = 0;  ///< through the memory pipe
  double texture =
      0;  ///< points of a filter that the texture unit mixes, in those of two dimensions
  double clocks = 6;  ///< until its result can be used, memory aside
  OpKind kind = OpKind::plain;
  double saved = 0;    ///< registers of the callers that a function puts into local memory and back
  bool meets = false;  ///< tells other blocks what its thread has done, or learns what they have
  bool branches = false;  ///< machine code that tests for rare operands: nothing moves across it
};

/// Clocks that a warp needs where it is alone, by what it waits for: a fixed number, and how often
/// each kind of memory answers one after another.
struct WarpPath {
  double fixed = 0;
  double shared = 0, global = 0, atomic = 0, shared_atomic = 0, barrier = 0;
};

/// By opcode ("div.rn.f32"). `hoisted`: it divides by a number that its loop does not change or that
/// was divided by just before, so that the reciprocal is there.
OpCost op_cost(std::string_view opcode, bool hoisted);

}  // namespace warpgrade::emulator
