// SPDX-License-Identifier: MIT
#include "emulator/analysis/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// The names of the blocks' labels, in the blocks' order.
std::string order_of(const std::string& body) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n" +
      body + "}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  const ptx::Function& function = module->functions.at(0);
  const std::vector<uint32_t> places = block_order(function);
  std::vector<uint32_t> sorted = places, all(function.body.size() + 1);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(sorted, all);
  std::map<uint32_t, std::string_view> by_place;
  for (const auto& [label, index] : function.labels) by_place.emplace(places[index], label);
  std::string names;
  for (const auto& [place, label] : by_place) names += std::string(label.substr(1));
  return names;
}

TEST(BlockOrder, IsTheLayoutWhereLoopsAreLaidAsTheyRun) {
  EXPECT_EQ(order_of("$a:\n@%p1 bra $d;\n$b:\n@%p2 bra $b;\n$c:\n@%p3 bra $a;\n$d:\nret;\n"),
            "abcd");
  // The arms of an if.
  EXPECT_EQ(order_of("$a:\n@%p1 bra $c;\n$b:\nbra.uni $d;\n$c:\nmov.u32 %r1, 0;\n$d:\nret;\n"),
            "abcd");
}

TEST(BlockOrder, PutsALoopsLastBlockThatIsLaidFirstBehindTheLoopsInIt) {
  // for (;;) { if (p1) return; while (p2) { if (p3) break; } b }
  EXPECT_EQ(order_of("bra.uni $c;\n$b:\nst.global.u32 [%rd1], %r1;\n$c:\n@%p1 bra $f;\n"
                     "$d:\n@%p2 bra $b;\n$e:\n@%p3 bra $b;\nbra.uni $d;\n$f:\nret;\n"),
            "cdebf");
}

TEST(BlockOrder, PutsWhatALoopLeadsToBehindTheLoop) {
  // The loop a, c is laid around b, to which its lanes go on.
  EXPECT_EQ(order_of("$a:\n@%p1 bra $c;\n$b:\nret;\n$c:\n@%p2 bra $a;\nbra.uni $b;\n"), "acb");
}

TEST(BlockOrder, PutsAWayOutThatSomeLanesTakeBeforeTheLoop) {
  const std::string end = "$d:\nmov.u32 %r1, 0;\nret;\n";
  // It is laid behind the loop, or inside.
  EXPECT_EQ(order_of("$a:\n@%p1 bra $d;\n$b:\n@%p2 bra $c;\nbra.uni $a;\n"
                     "$c:\nst.global.u32 [%rd1], %r1;\n" +
                     end),
            "cabd");
  EXPECT_EQ(
      order_of("$a:\n@%p1 bra $c;\n$b:\nmov.u32 %r1, 0;\nbra.uni $d;\n$c:\n@%p2 bra $a;\n" + end),
      "bacd");
}

TEST(BlockOrder, LeavesAWayOutToTheEndWhereItIsLaid) {
  EXPECT_EQ(order_of("$a:\n@%p1 bra $c;\n$b:\nmov.u32 %r1, 0;\nbra.uni $d;\n$c:\n@%p2 bra $a;\n"
                     "$d:\nret;\n"),
            "abcd");
}

TEST(BlockOrder, FollowsBranchTables) {
  EXPECT_EQ(order_of("bra.uni $b;\n$a:\nst.global.u32 [%rd1], %r1;\n$b:\n@%p1 bra $d;\n"
                     "$t: .branchtargets $a, $c;\nbrx.idx %r1, $t;\n$c:\n@%p2 bra $c;\n"
                     "bra.uni $a;\n$d:\nret;\n"),
            "btcad");
}

TEST(BlockOrder, IsTheLayoutWhereALoopHasTwoEntrances) {
  EXPECT_EQ(order_of("@%p1 bra $c;\n$b:\nmov.u32 %r1, 0;\n$c:\n@%p2 bra $b;\n$d:\nret;\n"), "bcd");
}

TEST(BlockOrder, IsTheLayoutWhereLoopsInLoopsHaveNoEnd) {
  std::string body = "bra.uni $h0;\n$z:\nbra.uni $h0;\n", names = "z";
  for (int depth = 0; depth < 100; ++depth)
    body += "$h" + std::to_string(depth) + ":\nmov.u32 %r1, 0;\n";
  body += "@%p1 bra $z;\n";
  for (int depth = 99; depth > 0; --depth) body += "@%p1 bra $h" + std::to_string(depth) + ";\n";
  body += "ret;\n";
  EXPECT_EQ(order_of(body).substr(0, 5), "zh0h1");
}

}  // namespace
}  // namespace warpgrade::emulator
