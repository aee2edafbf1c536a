// SPDX-License-Identifier: MIT
#include "emulator/exec/discarded_loads.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// "2 unless %p1": the second instruction's value is dropped where %p1 does not hold; "2 where %p1" where it does.
std::vector<std::string> discarded(const std::string& body) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<6>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n" +
      body + "}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  const ptx::Function& function = module->functions.at(0);
  std::vector<std::string> found;
  for (const DiscardedLoad& load : discarded_loads(function))
    found.push_back(fmt::format("{} {} %p{}", load.load, load.discarded_where ? "where" : "unless",
                                load.predicate));
  return found;
}

using Found = std::vector<std::string>;

constexpr const char* kFirst = "setp.ne.s32 %p1, %r1, 0;\n";
constexpr const char* kLoadAndCompare = "ld.shared.u32 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, 0;\n";

TEST(DiscardedLoads, AreThoseOfAConditionThatAnotherHasDecided) {
  const std::string start = std::string(kFirst) + kLoadAndCompare;
  const std::string store = "st.global.u32 [%rd2], %r2;\n$end:\nret;\n";
  EXPECT_EQ(discarded(start + "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\n" + store),
            Found{"1 where %p1"});
  EXPECT_EQ(discarded(start + "and.pred %p3, %p2, %p1;\n@!%p3 bra $end;\n" + store),
            Found{"1 unless %p1"});
}

TEST(DiscardedLoads, AreThoseOfAChoiceThatIsKnown) {
  EXPECT_EQ(discarded(std::string(kFirst) +
                      "ld.shared.u32 %r2, [%rd1];\nselp.b32 %r3, 0, %r2, %p1;\nret;\n"),
            Found{"1 where %p1"});
  EXPECT_EQ(discarded(std::string(kFirst) +
                      "ld.shared.u32 %r2, [%rd1];\nselp.b32 %r3, %r2, 0, %p1;\nret;\n"),
            Found{"1 unless %p1"});
}

TEST(DiscardedLoads, AreNotThoseThatTheOtherWayUses) {
  EXPECT_EQ(discarded(std::string(kFirst) + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r1;\n"
                      "$end:\nst.global.u32 [%rd2], %r2;\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreNotThoseWhoseComparisonIsUsedElsewhere) {
  EXPECT_EQ(discarded(std::string(kFirst) + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\n$end:\n"
                      "selp.b32 %r3, 1, 0, %p2;\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreNotThoseBeforeTheOtherConditionIsKnown) {
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + kFirst +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n"
                      "$end:\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreNotThoseOfARegisterThatOthersSet) {
  EXPECT_EQ(discarded(std::string(kFirst) + "add.s32 %r2, %r1, 1;\n" + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n"
                      "$end:\nret;\n"),
            Found{});
}

}  // namespace
}  // namespace warpgrade::emulator
