// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpgrade::emulator {

enum class CountedSpace : uint8_t { none, global, shared, local, generic };

/// How ncu names an instruction's memory traffic: "ld", "st", "atom" or "red" of a space. What
/// reads constants or parameters, or no memory at all, has the space none. `may_reduce`: the kernel drops what an `atom` returns.
struct Traffic {
  CountedSpace space = CountedSpace::none;
  std::string_view op;
};
Traffic traffic_of(std::string_view opcode, bool may_reduce);

/// "ld" where a bulk copy reads global memory and "st" where it, or a bulk reduction, writes it; empty where the opcode is no such.
std::string_view bulk_op(std::string_view opcode);

/// Bytes that each lane loads from constant memory; 0 where the opcode does not.
unsigned constant_load_bytes(std::string_view opcode);

/// Machine instructions of one kind: "fadd", "fmul", "ffma", "dadd", "dmul" or "dfma", as ncu calls them.
struct Arithmetic {
  std::string_view op;
  unsigned times = 1;
};
/// What ptxas 13.0 makes of an opcode on numbers in the middle of their range; slow paths for the others are not counted.
std::span<const Arithmetic> arithmetic_of(std::string_view opcode);

/// What kind of work a PTX opcode is: "integer", "fp32", "memory", "control"...
std::string_view kind_of(std::string_view opcode);

}  // namespace warpgrade::emulator
