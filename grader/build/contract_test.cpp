// SPDX-License-Identifier: MIT
#include "build/contract.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(ContractIn, HoldsKernelsThatTheLinkerMayNotLeaveUndefined) {
  const std::string said =
      "/usr/bin/ld.bfd: driver.o: in function `main':\n"
      "driver.cpp:(.text+0x21): warning: undefined reference to `_Z3addPfi'\n"
      "driver.cpp:(.text+0x42): undefined reference to `_Z4stirPji'\n"
      "/usr/bin/ld.bfd: alone: hidden symbol `_Z4stirPji' isn't defined\n"
      "/usr/bin/ld.bfd: final link failed: bad value\n";
  EXPECT_TRUE(misses_kernels_alone(said));
  EXPECT_EQ(contract_in(said), (Contract{kContractSection, "_Z3addPfi", "_Z4stirPji"}));
  EXPECT_FALSE(misses_kernels_alone("ld: cannot find -lcudart\n"));
}

TEST(Contract, IsWhatTheLinkerMisses) {
  EXPECT_EQ(contract_in("/usr/bin/ld: driver.o: in function `main':\n"
                        "driver.cu:(.text+0x1): warning: undefined reference to `_Z3addPfi'\n"
                        "driver.cu:(.text+0x9): warning: undefined reference to `_Z3addPfi'\n"
                        "driver.cu:(.text+0x19): warning: undefined reference to `scale'\n"),
            (Contract{kContractSection, "_Z3addPfi", "scale"}));
}

TEST(Contract, IsNeverAnEmptyListForObjcopy) {
  EXPECT_EQ(format_contract(contract_in("")), ".warpgrade.contract\n");
}

TEST(Contract, IsAnErrorWhereADriverHasNone) { EXPECT_FALSE(read_contract("no object").ok()); }

}  // namespace
}  // namespace warpgrade
