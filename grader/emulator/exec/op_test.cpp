// SPDX-License-Identifier: MIT
// Runs testdata/*.ptx, whose form testing/op_cases.h describes. testing/gpu/op_truth.cpp holds them
// against a real GPU.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "base/text.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/ops/ops.h"
#include "testing/op_cases.h"

namespace warpgrade::emulator {
namespace {

constexpr int kDevice = 0, kOpSm = 90;

using testing::bytes_of;
using testing::OpTest;
using testing::read_op_tests;
using testing::value_bits;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

class Machine {
 public:
  Machine() : memory_({size_t{1} << 30}) {}

  std::string run(const OpTest& test) {
    const auto module = load_module(testing::op_kernel(test, kOpSm), kDevice, kOpSm, memory_);
    if (!module) return module.error().message;
    LaunchRequest request;
    request.module = module->get();
    request.kernel = "test";
    request.block.x = static_cast<uint32_t>(test.cases.size());
    request.sm = kOpSm;
    const uint64_t out = allocate(test.cases.size() * bytes_of(test.result_type));
    std::vector<uint64_t> parameters{out};
    for (size_t n = 0; n < test.types.size(); ++n) parameters.push_back(operand(test, n));
    request.parameters.resize(parameters.size() * sizeof(uint64_t));
    std::memcpy(request.parameters.data(), parameters.data(), request.parameters.size());
    const LaunchResult result = launch(request, LaunchOptions{}, memory_);
    if (!result.findings.empty()) return result.findings.front().message.text;
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
      const uint64_t value = value_bits(test.cases[n].operands.at(index), test.types[index]);
      std::memcpy(memory_.host_address(address + n * bytes, bytes), &value, bytes);
    }
    return address;
  }

  std::string compare(const OpTest& test, uint64_t out) {
    const unsigned bytes = bytes_of(test.result_type);
    for (size_t n = 0; n < test.cases.size(); ++n) {
      uint64_t got = 0;
      std::memcpy(&got, memory_.host_address(out + n * bytes, bytes), bytes);
      const uint64_t expected = value_bits(test.cases[n].expected, test.result_type);
      if (testing::same_value(got, expected, test.result_type)) continue;
      return fmt::format("case {}: expected {} (0x{:x}), got 0x{:x}", n + 1, test.cases[n].expected,
                         expected, got);
    }
    return {};
  }

  DeviceMemory memory_;
};

TEST(Ops, GiveTheResultsThatTheirTestFilesState) {
  Machine machine;
  for (const OpTest& test : read_op_tests(WARPGRADE_TESTDATA)) {
    const std::string difference = machine.run(test);
    EXPECT_EQ(difference, "") << test.file << ":" << test.line << ": " << test.instruction;
  }
}

TEST(Ops, HaveATestEachAndNoOpcodeTwice) {
  std::set<std::string> tested;
  for (const OpTest& test : read_op_tests(WARPGRADE_TESTDATA)) {
    for (const std::string& statement : split(test.instruction, ';')) {
      for (const std::string& word : words(statement)) {
        if (!word.starts_with("@") && word != "{") tested.insert(word.substr(0, word.find('.')));
      }
    }
  }
  // Every test kernel is made of these, or they have tests of their own in launch_test.cpp and
  // runtime/testdata/textures.cu.
  for (const char* other : {"ld", "st", "mov", "ret", "exit", "bra", "brx", "call", "trap", "brkpt",
                            "tex", "tld4", "suld", "sust"})
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
