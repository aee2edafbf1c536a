// SPDX-License-Identifier: MIT
#include "build/contract.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

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
