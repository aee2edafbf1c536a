// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

enum class CountedSpace : uint8_t { none, global, shared, local, generic };

/// How ncu names an instruction's memory traffic: "ld", "st", "atom" or "red" of a space. What
/// reads constants or parameters, or no memory at all, has the space none.
struct Traffic {
  CountedSpace space = CountedSpace::none;
  std::string_view op;
};
Traffic traffic_of(const Instruction& instruction, std::string_view opcode);

/// Bytes that each lane loads from constant memory; 0 where the opcode does not.
unsigned constant_load_bytes(std::string_view opcode);

/// "fadd", "fmul", "ffma", "dadd", "dmul", "dfma", or empty: arithmetic that ncu counts by itself.
std::string arithmetic_kind(std::string_view opcode);

/// What kind of work a PTX opcode is: "integer", "fp32", "memory", "control"...
std::string_view kind_of(std::string_view opcode);

}  // namespace warpgrade::emulator
