// SPDX-License-Identifier: MIT
#include "emulator/exec/predication.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "emulator/exec/register_uses.h"
#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

ptx::Module parsed(const std::string& body, const std::string& target = "sm_75") {
  Result<ptx::Module> module =
      ptx::parse(".version 9.0\n.target " + target +
                 "\n.address_size 64\n.visible .entry k(.param .u64 to) {\n.reg .f32 %f<9>;\n.reg "
                 ".f64 %d<9>;\n"
                 ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n" +
                 body + "ret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  return std::move(module).value();
}

/// The opcodes of a kernel as predicate() leaves them: "add" under a predicate is "@add", or "@!add".
std::string predicated(const std::string& body, int sm = 90, const std::string& target = "sm_75") {
  ptx::Module module = parsed(body, target);
  predicate(module, sm);
  std::string all;
  for (const ptx::Instruction& each : module.functions.at(0).body) {
    all += all.empty() ? "" : " ";
    all += each.guard < 0 ? "" : each.guard_negated ? "@!" : "@";
    all += each.opcode;
  }
  return all;
}

const std::string kStoreOfThird = "st.global.f32 [%rd1], %f3;\n";

TEST(Predication, GivesASumThePredicateOfTheSelectThatAloneUsesIt) {
  const std::string sum = "sub.f32 %f2, %f1, %f0;\nsetp.gt.f32 %p1, %f1, %f0;\n";
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird),
            "setp @sub selp st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f1, %f2, %p1;\n" + kStoreOfThird),
            "setp @!sub selp st ret");
}

TEST(Predication, LeavesASumWhereTheOtherValueLivesOnOrIsAConstant) {
  const std::string sum = "sub.f32 %f2, %f1, %f0;\nsetp.gt.f32 %p1, %f1, %f0;\n";
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird +
                       "st.global.f32 [%rd2], %f1;\n"),
            "sub setp selp st st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, 0f00000000, %p1;\n" + kStoreOfThird),
            "sub setp selp st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\nst.global.f32 [%rd2], %f2;\n" +
                       kStoreOfThird),
            "sub setp selp st st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird, 90, "sm_75, debug"),
            "sub setp selp st ret");
}

TEST(Predication, LeavesDoublesWhoseHalvesAreChosenApart) {
  EXPECT_EQ(predicated("mul.f64 %d2, %d1, %d0;\nsetp.gt.f64 %p1, %d1, %d0;\n"
                       "selp.f64 %d3, %d2, %d1, %p1;\nst.global.f64 [%rd1], %d3;\n"),
            "mul setp selp st ret");
}

TEST(Predication, LeavesTheEarlierOfTwoArms) {
  EXPECT_EQ(predicated("add.f32 %f2, %f1, %f0;\nmul.f32 %f4, %f1, %f0;\n"
                       "setp.gt.f32 %p1, %f1, %f0;\nselp.f32 %f3, %f2, %f4, %p1;\n" +
                       kStoreOfThird),
            "add setp @!mul selp st ret");
}

TEST(Predication, LeavesWhatAnEarlierSelectTakesThePlaceOf) {
  EXPECT_EQ(predicated("setp.lt.f32 %p1, %f1, %f0;\nadd.f32 %f2, %f1, %f0;\n"
                       "setp.ge.f32 %p2, %f1, %f0;\nsub.f32 %f4, %f1, %f0;\n"
                       "selp.f32 %f5, %f4, %f1, %p2;\nselp.f32 %f3, %f2, %f5, %p1;\n" +
                       kStoreOfThird),
            "setp add setp @sub selp selp st ret");
}

const std::string kLastSum =
    "ld.param.u64 %rd1, [to];\nadd.f32 %f3, %f1, %f0;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra $end;\n";

TEST(Predication, SinksBehindTheExitWhatOnlyLanesThatStayUse) {
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\n"), "ld setp @bra add st ret");
  EXPECT_EQ(
      predicated(kLastSum + "mul.wide.s32 %rd2, %r1, 4;\nst.global.f32 [%rd2], %f3;\n$end:\n", 75),
      "ld setp @bra add mul st ret");
}

TEST(Predication, SinksNothingWhereNoWorkWaitsBehindTheExit) {
  // The address is in registers already, or may be a parameter.
  EXPECT_EQ(
      predicated("ld.global.f32 %f0, [%rd1];\nadd.f32 %f3, %f1, %f0;\nsetp.ne.s32 %p1, %r1, 0;\n"
                 "@%p1 bra $end;\n" +
                 kStoreOfThird + "$end:\n"),
      "ld add setp @bra st ret");
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\n", 86), "ld add setp @bra st ret");
}

TEST(Predication, SinksNothingThatReadsConstantMemory) {
  EXPECT_EQ(predicated("ld.const.f32 %f0, [%rd2];\n" + kLastSum + kStoreOfThird + "$end:\n"),
            "ld ld add setp @bra st ret");
}

TEST(Predication, SinksNothingThatTheExitOrTheOthersNeed) {
  EXPECT_EQ(predicated("add.f32 %f3, %f1, %f0;\nsetp.gt.f32 %p1, %f3, %f0;\n@%p1 bra $end;\n" +
                       kStoreOfThird + "$end:\n"),
            "add setp @bra st ret");
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\nst.global.f32 [%rd2], %f3;\n"),
            "ld add setp @bra st st ret");
}

TEST(Predication, SinksNothingThatASumWithAPredicateBeforeTheExitNeeds) {
  const std::string shuffled =
      "ld.param.u64 %rd1, [to];\nmov.b32 %f2, %r2;\nsetp.lt.s32 %p2, %r3, %r4;\n"
      "add.f32 %f4, %f1, %f2;\nselp.f32 %f3, %f4, %f1, %p2;\nmov.b32 %r5, %f3;\n"
      "shfl.sync.down.b32 %r6, %r5, 4, 31, -1;\nmov.b32 %f5, %r6;\nsetp.ne.s32 %p1, %r1, 0;\n"
      "@%p1 bra $end;\nst.global.f32 [%rd1], %f5;\n$end:\n";
  EXPECT_EQ(predicated(shuffled), "ld mov setp @add selp mov shfl setp @bra mov st ret");
}

/// What one lane does that others see, in order: the values that it shuffles and stores. Values are hashes of how they are
/// computed, so that two of them are equal only where the same was done.
std::vector<size_t> seen_of(const ptx::Function& function, size_t lane) {
  std::map<int, size_t> registers;
  const auto value = [&](const ptx::Operand& operand) {
    if (operand.reg < 0) return std::hash<uint64_t>()(operand.bits);
    return registers.try_emplace(operand.reg, lane * 977 + static_cast<size_t>(operand.reg))
        .first->second;
  };
  const auto holds = [&](int reg, bool negated) {
    ptx::Operand predicate;
    predicate.reg = reg;
    return (std::hash<std::string>()(std::to_string(value(predicate))) % 2 == 1) != negated;
  };
  std::vector<size_t> seen;
  for (const ptx::Instruction& each : function.body) {
    if (each.guard >= 0 && !holds(each.guard, each.guard_negated)) continue;
    if (is_one_of(each, {"bra", "ret"})) break;
    const std::vector<ptx::Operand>& operands = each.operands;
    if (each.opcode == "st") {
      seen.push_back(value(operands[1]));
    } else if (each.opcode == "selp") {
      const bool is_first = holds(operands[3].reg, operands[3].negated);
      registers[operands[0].reg] = value(operands[is_first ? 1 : 2]);
    } else {
      size_t result =
          each.opcode == "mov" ? value(operands[1]) : std::hash<std::string_view>()(each.opcode);
      for (size_t i = 1; each.opcode != "mov" && i < operands.size(); ++i)
        result = result * 31 + value(operands[i]);
      registers[operands[0].reg] = result;
      if (each.opcode == "shfl") seen.push_back(result);
    }
  }
  return seen;
}

class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : random_(seed) {}

  std::string body() {
    std::string text = "ld.param.u64 %rd1, [to];\n";
    for (uint32_t i = 4 + one_of(12); i > 0; --i) text += instruction();
    text += "@" + predicate() + " bra $end;\n";
    for (uint32_t i = one_of(4); i > 0; --i) text += instruction();
    return text + "st.global.f32 [%rd1], " + number() + ";\n$end:\n";
  }

 private:
  uint32_t one_of(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  std::string number() { return "%f" + std::to_string(one_of(6)); }
  std::string word() { return "%r" + std::to_string(one_of(2)); }
  std::string predicate() { return "%p" + std::to_string(one_of(2)); }

  std::string instruction() {
    switch (one_of(8)) {
      case 0:
        return "selp.f32 " + number() + ", " + number() + ", " + number() + ", " + predicate() +
               ";\n";
      case 1:
        return "setp.lt.f32 " + predicate() + ", " + number() + ", " + number() + ";\n";
      case 2:
        return "shfl.sync.down.b32 " + word() + ", " + word() + ", 4, 31, -1;\n";
      case 3:
        return "mov.b32 " + word() + ", " + number() + ";\n";
      case 4:
        return "mov.b32 " + number() + ", " + word() + ";\n";
      case 5:
        return "st.global.f32 [%rd1], " + number() + ";\n";
      default:
        return "add.f32 " + number() + ", " + number() + ", " + number() + ";\n";
    }
  }

  std::mt19937 random_;
};

TEST(Predication, LeavesWhatLanesShuffleAndStore) {
  size_t changed = 0;
  for (uint32_t seed = 0; seed < 8'000; ++seed) {
    const std::string body = RandomKernel(seed).body();
    const ptx::Module before = parsed(body);
    ptx::Module after = parsed(body);
    predicate(after, 90);
    const ptx::Function &one = before.functions.at(0), &two = after.functions.at(0);
    changed += predicated(body) != predicated(body, 90, "sm_75, debug");
    for (const size_t lane : {1, 2, 3, 4, 5, 6, 7, 8})
      ASSERT_EQ(seen_of(one, lane), seen_of(two, lane)) << "seed " << seed << ":\n" << body;
  }
  EXPECT_GT(changed, 400U);
}

}  // namespace
}  // namespace warpgrade::emulator
