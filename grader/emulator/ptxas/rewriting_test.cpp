// SPDX-License-Identifier: MIT
// The emulated device rewrites kernels as ptxas does. No rewriting changes what lanes shuffle or store.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "emulator/analysis/register_uses.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptxas/contraction.h"
#include "emulator/ptxas/negation.h"
#include "emulator/ptxas/predication.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

ptx::Module random_module(const std::string& body) {
  Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 to) {\n"
      ".reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n" +
      body + "ret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  return std::move(module).value();
}

/// Any other number.
uint64_t scattered(uint64_t number) {
  number *= 0x9E3779B97F4A7C15;
  return (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
}

/// One lane that computes with whole numbers modulo 2^64, in which fma(a, b, c) is a * b + c exactly.
class Lane {
 public:
  Lane(const ptx::Function& function, uint64_t number) : function_(function), number_(number) {}

  /// The numbers that it shuffles and stores, in order.
  std::vector<uint64_t> seen() {
    std::vector<uint64_t> found;
    for (size_t index = 0; index < function_.body.size();) {
      const ptx::Instruction& each = function_.body[index++];
      if (each.guard >= 0 && !holds(each.guard, each.guard_negated)) continue;
      if (each.opcode == "ret") break;
      if (each.opcode == "bra") {
        index = function_.labels.at(each.operands[0].name);
      } else if (each.opcode == "st") {
        found.push_back(value(each.operands[1]));
      } else {
        registers_[each.operands[0].reg] = result_of(each);
        if (each.opcode == "shfl") found.push_back(registers_[each.operands[0].reg]);
      }
    }
    return found;
  }

 private:
  /// Registers that no instruction has set hold other numbers in each lane.
  uint64_t& in(int reg) {
    const uint64_t first = scattered(number_ * 64 + static_cast<uint64_t>(reg) + 1);
    return registers_.try_emplace(reg, first).first->second;
  }
  uint64_t value(const Operand& operand) {
    constexpr uint64_t kMinusZero = uint64_t{1} << 31;
    if (operand.reg < 0) return operand.bits == kMinusZero ? 0 : operand.bits;
    return operand.negated ? -in(operand.reg) : in(operand.reg);
  }
  bool holds(int reg, bool negated) { return (in(reg) >> 40) % 2 != (negated ? 1 : 0); }

  uint64_t result_of(const ptx::Instruction& each) {
    const auto from = [&](size_t operand) { return value(each.operands[operand]); };
    if (is_one_of(each, {"mov", "ld"})) return from(1);
    if (each.opcode == "add") return from(1) + from(2);
    if (each.opcode == "sub") return from(1) - from(2);
    if (each.opcode == "neg") return -from(1);
    if (each.opcode == "mul") return from(1) * from(2);
    if (each.opcode == "fma") return from(1) * from(2) + from(3);
    if (each.opcode == "shfl") return from(1) * 5 + 3;
    if (each.opcode == "setp") return scattered(from(1) * 3 + from(2));
    if (each.opcode == "selp")
      return from(holds(each.operands[3].reg, each.operands[3].negated) ? 1 : 2);
    throw std::runtime_error("no rule for " + std::string(each.opcode));
  }

  const ptx::Function& function_;
  const uint64_t number_;
  std::map<int, uint64_t> registers_;
};

/// Sums, products, selects and shuffles of few registers, with branches forward, and an exit before the last store.
class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : random_(seed) {}

  std::string body() {
    std::string text = "ld.param.u64 %rd1, [to];\n";
    for (int label = 0; label < 2; ++label) {
      text += instructions(6);
      const std::string name = "$skip" + std::to_string(label);
      if (one_of(2) == 0) text += "@" + predicate() + " bra " + name + ";\n";
      text += instructions(4) + name + ":\n";
    }
    text += instructions(12) + "@" + predicate() + " bra $end;\n" + instructions(4);
    return text + "st.global.f32 [%rd1], " + number() + ";\n$end:\n";
  }

 private:
  uint32_t one_of(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  std::string number() { return "%f" + std::to_string(one_of(6)); }
  std::string word() { return "%r" + std::to_string(one_of(2)); }
  std::string predicate() { return "%p" + std::to_string(one_of(2)); }

  std::string instructions(uint32_t most) {
    std::string text;
    for (uint32_t i = one_of(most + 1); i > 0; --i) text += instruction();
    return text;
  }
  std::string instruction() {
    const std::string to = number(), one = number(), two = number(),
                      numbers = to + ", " + one + ", " + two;
    const std::string guard = one_of(8) == 0 ? "@" + predicate() + " " : "";
    switch (one_of(12)) {
      case 0:
        return "selp.f32 " + numbers + ", " + predicate() + ";\n";
      case 1:
        return "setp.lt.f32 " + predicate() + ", " + one + ", " + two + ";\n";
      case 2:
        return "shfl.sync.down.b32 " + word() + ", " + word() + ", 4, 31, -1;\n";
      case 3:
        return "mov.b32 " + word() + ", " + one + ";\n";
      case 4:
        return guard + "mov.b32 " + to + ", " + word() + ";\n";
      case 5:
        return "st.global.f32 [%rd1], " + one + ";\n";
      case 6:
        return "neg.f32 " + to + ", " + one + ";\n";
      case 7:
        return guard + "sub.f32 " + numbers + ";\n";
      case 8:
        return "fma.rn.f32 " + numbers + ", " + number() + ";\n";
      case 9:
      case 10:
        return guard + "mul.f32 " + numbers + ";\n";
      default:
        return guard + "add.f32 " + numbers + ";\n";
    }
  }

  std::mt19937 random_;
};

std::string opcodes(const ptx::Function& function) {
  std::string all;
  for (const ptx::Instruction& each : function.body)
    all += std::string(each.guard >= 0 ? " @" : " ") + std::string(each.opcode);
  return all;
}

TEST(Rewriting, LeavesWhatLanesShuffleAndStore) {
  int negations = 0, contractions = 0, predications = 0;
  for (uint32_t seed = 0; seed < 8'000; ++seed) {
    const std::string body = RandomKernel(seed).body();
    const ptx::Module before = random_module(body);
    ptx::Module after = random_module(body);
    const ptx::Function &one = before.functions.at(0), &two = after.functions.at(0);
    std::string last = opcodes(two);
    const auto count = [&](int& changed) {
      changed += opcodes(two) != last;
      last = opcodes(two);
    };
    spell_out_negations(after);
    count(negations);
    contract(after);
    count(contractions);
    predicate(after, 90);
    count(predications);
    for (uint64_t lane = 1; lane <= 8; ++lane)
      ASSERT_EQ(Lane(one, lane).seen(), Lane(two, lane).seen()) << "seed " << seed << ":\n" << body;
  }
  EXPECT_GT(std::min({negations, contractions, predications}), 200);
}

}  // namespace
}  // namespace warpgrade::emulator
