// SPDX-License-Identifier: MIT
// Runs testdata/*.ptx. Each line there is one instruction, its operand types and cases:
//   add.s32 d, a, b;   // s32 s32 -> s32 : 1 2 -> 3 | -1 1 -> 0
// Case n runs in thread n of one block, so that warp-wide instructions can be stated as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/ops/ops.h"

namespace warpgrade::emulator {
namespace {

constexpr int kDevice = 0, kSm = 90;

struct Case {
  std::vector<std::string> operands;
  std::string expected;
};

struct OpTest {
  std::string file;
  int line = 0;
  std::string instruction;
  std::vector<std::string> types;
  std::string result_type;
  std::vector<Case> cases;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

OpTest parse_line(const std::string& text) {
  OpTest test;
  const size_t comment = text.find("//"), colon = text.find(" : ", comment);
  test.instruction = std::string(trim(text.substr(0, comment)));
  std::vector<std::string> signature = words(text.substr(comment + 2, colon - comment - 2));
  test.result_type = signature.back();
  signature.resize(signature.size() - 2);
  test.types = signature;
  for (const std::string& piece : split(text.substr(colon + 3), '|')) {
    const size_t arrow = piece.find("->");
    test.cases.push_back(
        {words(piece.substr(0, arrow)), std::string(trim(piece.substr(arrow + 2)))});
  }
  return test;
}

std::vector<OpTest> read_tests() {
  std::vector<OpTest> tests;
  const RealFiles files;
  const fs::path folder = WARPGRADE_TESTDATA;
  const auto names = files.list(folder);
  for (const std::string& name : names.value()) {
    std::ifstream stream(folder / name);
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (line.empty() || line.starts_with("//")) continue;
      tests.push_back(parse_line(line));
      tests.back().file = name;
      tests.back().line = number;
    }
  }
  return tests;
}

unsigned bytes_of(const std::string& type) {
  return type == "pred" ? 4 : ptx::size_of(ptx::type_named(type));
}

/// Bytes and halves lie in registers of 16 bits.
std::string register_type(const std::string& type) {
  return bytes_of(type) < 2 ? "b16" : type == "f16" ? "b16" : type;
}

std::string source_of(const OpTest& test) {
  std::string body, registers = fmt::format(".reg .{} d;\n", register_type(test.result_type));
  for (size_t n = 0; n < test.types.size(); ++n) {
    const char name = static_cast<char>('a' + n + (n >= 3 ? 1 : 0));
    const std::string& type = test.types[n];
    registers += fmt::format(".reg .{} {};\n", register_type(type), name);
    body += fmt::format("ld.param.u64 base, [in{}];\nmad.wide.u32 base, tid, {}, base;\n", n,
                        bytes_of(type));
    if (type == "pred") {
      body += fmt::format("ld.global.u32 word, [base];\nsetp.ne.u32 {}, word, 0;\n", name);
    } else {
      body += fmt::format("ld.global.{} {}, [base];\n", type == "f16" ? "b16" : type, name);
    }
  }
  body += test.instruction + "\n";
  body += fmt::format("ld.param.u64 base, [out];\nmad.wide.u32 base, tid, {}, base;\n",
                      bytes_of(test.result_type));
  if (test.result_type == "pred") {
    body += "selp.u32 word, 1, 0, d;\nst.global.u32 [base], word;\n";
  } else {
    body += fmt::format("st.global.{} [base], d;\n",
                        test.result_type == "f16" ? "b16" : test.result_type);
  }
  std::string parameters = ".param .u64 out";
  for (size_t n = 0; n < test.types.size(); ++n) parameters += fmt::format(", .param .u64 in{}", n);
  return fmt::format(
      ".version 8.0\n.target sm_{}\n.address_size 64\n.shared .align 16 .b8 memory[256];\n"
      ".visible .entry test({}) {{\n.reg .u64 base;\n.reg .u32 tid, word;\n.reg .pred p, q;\n.reg "
      ".b32 t, u;\n.reg .b64 v;\n"
      "{}mov.u32 tid, %tid.x;\n{}ret;\n}}\n",
      kSm, parameters, registers, body);
}

template <class T>
uint64_t bits_of(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// "3", "-1", "0xFF", "1.5", "nan", "inf" as bits of the type. Floats may also be given by their bits: "0x7FFFFFFF".
uint64_t parse_value(const std::string& text, const std::string& type) {
  if (text.find("0x") == std::string::npos && type == "f32")
    return bits_of(std::strtof(text.c_str(), nullptr));
  if (text.find("0x") == std::string::npos && type == "f64")
    return bits_of(std::strtod(text.c_str(), nullptr));
  const uint64_t bits = text[0] == '-'
                            ? static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 0))
                            : std::strtoull(text.c_str(), nullptr, 0);
  const unsigned bytes = bytes_of(type);
  return bytes == 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

bool same(uint64_t got, uint64_t expected, const std::string& type) {
  if (got == expected) return true;
  const auto is_nan32 = [](uint64_t bits) { return (bits & 0x7FFF'FFFF) > 0x7F80'0000; };
  const auto is_nan64 = [](uint64_t bits) {
    return (bits & ~(uint64_t{1} << 63)) > 0x7FF0'0000'0000'0000;
  };
  if (type == "f32") return is_nan32(got) && is_nan32(expected);
  return type == "f64" && is_nan64(got) && is_nan64(expected);
}

class Machine {
 public:
  Machine() : memory_({size_t{1} << 30}) {}

  std::string run(const OpTest& test) {
    const auto module = load_module(source_of(test), kDevice, kSm, memory_);
    if (!module) return module.error().message;
    LaunchRequest request;
    request.module = module->get();
    request.kernel = "test";
    request.block.x = static_cast<uint32_t>(test.cases.size());
    request.sm = kSm;
    const uint64_t out = allocate(test.cases.size() * bytes_of(test.result_type));
    std::vector<uint64_t> parameters{out};
    for (size_t n = 0; n < test.types.size(); ++n) parameters.push_back(operand(test, n));
    request.parameters.resize(parameters.size() * sizeof(uint64_t));
    std::memcpy(request.parameters.data(), parameters.data(), request.parameters.size());
    const LaunchResult result = launch(request, LaunchOptions{}, memory_);
    if (!result.findings.empty()) return result.findings.front().message;
    return compare(test, out);
  }

 private:
  uint64_t allocate(size_t bytes) {
    return memory_.allocate(kDevice, std::max<size_t>(bytes, 16), "test")->begin;
  }

  uint64_t operand(const OpTest& test, size_t index) {
    const unsigned bytes = bytes_of(test.types[index]);
    const uint64_t address = allocate(test.cases.size() * bytes);
    for (size_t n = 0; n < test.cases.size(); ++n) {
      const uint64_t value = parse_value(test.cases[n].operands.at(index), test.types[index]);
      std::memcpy(memory_.host_address(address + n * bytes, bytes), &value, bytes);
    }
    return address;
  }

  std::string compare(const OpTest& test, uint64_t out) {
    const unsigned bytes = bytes_of(test.result_type);
    for (size_t n = 0; n < test.cases.size(); ++n) {
      uint64_t got = 0;
      std::memcpy(&got, memory_.host_address(out + n * bytes, bytes), bytes);
      const uint64_t expected = parse_value(test.cases[n].expected, test.result_type);
      if (same(got, expected, test.result_type)) continue;
      return fmt::format("case {}: expected {} (0x{:x}), got 0x{:x}", n + 1, test.cases[n].expected,
                         expected, got);
    }
    return {};
  }

  DeviceMemory memory_;
};

TEST(Ops, GiveTheResultsThatTheirTestFilesState) {
  Machine machine;
  for (const OpTest& test : read_tests()) {
    const std::string difference = machine.run(test);
    EXPECT_EQ(difference, "") << test.file << ":" << test.line << ": " << test.instruction;
  }
}

TEST(Ops, HaveATestEachAndNoOpcodeTwice) {
  std::set<std::string> tested;
  for (const OpTest& test : read_tests()) {
    for (const std::string& statement : split(test.instruction, ';')) {
      for (const std::string& word : words(statement)) {
        if (!word.starts_with("@") && word != "{") tested.insert(word.substr(0, word.find('.')));
      }
    }
  }
  // Every test kernel is made of these, or they have tests of their own in launch_test.cpp.
  for (const char* other : {"ld", "st", "mov", "ret", "exit", "bra", "brx", "call", "trap"})
    tested.insert(other);
  std::set<std::string_view> seen;
  for (const auto& chapter : engine().chapters) {
    for (const OpRow& row : chapter) {
      EXPECT_TRUE(seen.insert(row.opcode).second) << row.opcode << " is registered twice";
      EXPECT_TRUE(tested.contains(std::string(row.opcode))) << row.opcode << " has no test";
    }
  }
}

}  // namespace
}  // namespace warpgrade::emulator
