// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// The files emulator/testdata/*.ptx. Each line is one or more instructions, its operand types and
// cases:
//   add.s32 d, a, b;   // s32 s32 -> s32 : 1 2 -> 3 | -1 1 -> 0
// Case n runs in thread n of one block, so that warp-wide instructions can be stated as well.
// Operands are called a, b, c, e, f...; predicates p and q, t and u (32 bits), v and w (64 bits) and
// 1024 bytes of shared `memory` may be used besides.

namespace warpgrade::testing {

struct OpCase {
  std::vector<std::string> operands;
  std::string expected;
};

/// One line of a file.
struct OpTest {
  std::string file;
  int line = 0;
  std::string instruction;
  std::vector<std::string> types;
  std::string result_type;
  std::vector<OpCase> cases;
};

/// All lines of all files, in the order of their names.
std::vector<OpTest> read_op_tests(const std::filesystem::path& folder);

/// Bytes that a value of the type takes in memory; a predicate takes 4.
unsigned bytes_of(const std::string& type);

/// "3", "-1", "0xFF", "1.5", "nan", "inf" as bits of the type; a pair is "1.5,nan", lower half
/// first. Floats may also be given by their bits: "0x7FFFFFFF".
uint64_t value_bits(const std::string& text, const std::string& type);

/// Equal bits, or both NaN.
bool same_value(uint64_t got, uint64_t expected, const std::string& type);

/// Module with one kernel `test(out, in0, in1...)`: thread n reads its operands from element n of
/// each array and writes its result to element n of `out`.
std::string op_kernel(const OpTest& test, int sm);

}  // namespace warpgrade::testing
