// SPDX-License-Identifier: MIT
#include "emulator/exec/data_loads.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

std::vector<size_t> loads_of(const std::string& body) {
  Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<4>;\n"
      ".shared .align 4 .b8 s[128];\n" +
      body + "$end:\nret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  return data_loads(module->functions.at(0));
}

using Loads = std::vector<size_t>;

const std::string kFloatLoad = "ld.volatile.global.f32 %f1, [%rd1];\n";

TEST(DataLoads, HandAFloatOnToSumsAndToMemory) {
  EXPECT_EQ(loads_of(kFloatLoad + "add.f32 %f2, %f1, %f3;\nst.global.f32 [%rd2], %f2;\n"),
            Loads{0});
  EXPECT_EQ(loads_of(kFloatLoad + "st.shared.f32 [%rd2], %f1;\n"), Loads{0});
  EXPECT_EQ(loads_of(kFloatLoad + "shfl.sync.down.b32 %f2, %f1, 16, 31, -1;\n"), Loads{0});
  EXPECT_EQ(loads_of("ld.global.cg.f32 %f1, [%rd1];\nred.global.add.f32 [%rd2], %f1;\n"), Loads{0});
}

TEST(DataLoads, AreFloatsWhateverTheCompilerCallsThem) {
  EXPECT_EQ(loads_of("ld.volatile.global.b32 %r1, [%rd1];\nadd.f32 %r2, %r1, %r3;\n"), Loads{0});
  EXPECT_EQ(loads_of("ld.volatile.global.b32 %r1, [%rd1];\nadd.s32 %r2, %r1, %r3;\n"), Loads{});
  EXPECT_EQ(loads_of("ld.volatile.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\n"), Loads{});
}

TEST(DataLoads, AreNoneWhereTheValueIsComparedOrUsedAsAnAddress) {
  EXPECT_EQ(loads_of(kFloatLoad + "setp.eq.f32 %p1, %f1, 0f00000000;\n@%p1 bra $end;\n"), Loads{});
  EXPECT_EQ(loads_of(kFloatLoad + "mul.f32 %f2, %f1, %f3;\nsetp.eq.f32 %p1, %f2, %f4;\n"), Loads{});
  EXPECT_EQ(loads_of(kFloatLoad + "cvt.rzi.s64.f32 %rd2, %f1;\nld.global.f32 %f2, [%rd2];\n"),
            Loads{});
  EXPECT_EQ(
      loads_of(kFloatLoad + "mov.b32 %r1, %f1;\natom.global.cas.b32 %r2, [%rd1], %r1, %r3;\n"),
      Loads{});
}

TEST(DataLoads, AreNoneWhereTheLoadIsAPlainOneOrOfSharedMemory) {
  EXPECT_EQ(loads_of("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\n"), Loads{});
  EXPECT_EQ(loads_of("ld.volatile.shared.f32 %f1, [s];\nst.global.f32 [%rd2], %f1;\n"), Loads{});
}

}  // namespace
}  // namespace warpgrade::emulator
