// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/ptxas.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(ParseResources, ReadsWhatPtxasSaysOfEachKernel) {
  const ModuleResources resources = parse_resources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "    320 bytes stack frame, 472 bytes spill stores, 564 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 1 barriers, 320 bytes cumulative stack size\n"
      "ptxas info    : Function properties for helper\n"
      "    48 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(resources.at("first").registers, 24);
  EXPECT_EQ(resources.at("first").barriers, 1);
  EXPECT_EQ(resources.at("first").stack_bytes, 320);
  EXPECT_EQ(resources.at("first").spill_store_bytes, 472);
  EXPECT_EQ(resources.at("first").spill_load_bytes, 564);
  EXPECT_EQ(resources.at("second").registers, 8);
  EXPECT_EQ(resources.at("second").stack_bytes, 0);
}

TEST(Ptxas, KnowsNothingWhereThereIsNone) {
  EXPECT_TRUE(Ptxas("none", "").resources(".version 9.0", 90).empty());
  EXPECT_TRUE(Ptxas("no-such-program", "").resources(".version 9.0", 90).empty());
}

}  // namespace
}  // namespace warpgrade::emulator
