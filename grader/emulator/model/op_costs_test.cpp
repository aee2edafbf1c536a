// SPDX-License-Identifier: MIT
#include "emulator/model/op_costs.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(OpCosts, KnowArithmeticThatPtxasMakesBranchesOf) {
  for (const char* opcode : {"div.rn.f32", "sqrt.rn.f32", "rcp.rn.f64", "div.s64", "rem.u64"})
    EXPECT_TRUE(op_cost(opcode, false).branches) << opcode;
  for (const char* opcode : {"div.full.f32", "sqrt.approx.f32", "div.s32", "fma.rn.f64"})
    EXPECT_FALSE(op_cost(opcode, false).branches) << opcode;
}

TEST(OpCosts, TellTexturesAndConstantMemoryFromLoads) {
  EXPECT_EQ(op_cost("ld.const.f32", false).kind, OpKind::constant_load);
  EXPECT_EQ(op_cost("ld.global.f32", false).kind, OpKind::global_load);
  EXPECT_EQ(op_cost("tex.2d.v4.f32.f32", false).kind, OpKind::texture);
  EXPECT_DOUBLE_EQ(op_cost("tex.3d.v4.f32.f32", false).texture,
                   2 * op_cost("tex.2d.v4.f32.f32", false).texture);
}

TEST(OpCosts, KnowWhatMeetsOtherBlocks) {
  for (const char* opcode :
       {"atom.global.add.u32", "red.global.add.f32", "membar.gl", "fence.acq_rel.gpu",
        "ld.acquire.gpu.u32", "ld.acquire.gpu.global.u32"})
    EXPECT_TRUE(op_cost(opcode, false).meets) << opcode;
  for (const char* opcode : {"atom.shared.add.u32", "ld.global.u32", "st.global.u32", "bar.sync"})
    EXPECT_FALSE(op_cost(opcode, false).meets) << opcode;
  EXPECT_EQ(op_cost("atom.add.release.gpu.u32", false).clocks, op_cost("membar.gl", false).clocks);
}

TEST(OpCosts, TakeAFenceForABlockForOneThatWaitsForNoOtherBlock) {
  for (const char* opcode : {"membar.cta", "fence.sc.cta", "fence.acq_rel.cta"}) {
    EXPECT_EQ(op_cost(opcode, false).kind, OpKind::fence) << opcode;
    EXPECT_FALSE(op_cost(opcode, false).meets) << opcode;
    EXPECT_LT(op_cost(opcode, false).clocks, op_cost("membar.gl", false).clocks / 10) << opcode;
  }
  EXPECT_EQ(op_cost("atom.add.release.cta.u32", false).clocks, op_cost("membar.cta", false).clocks);
}

TEST(OpCosts, TellMatricesThatAreStoredFromThoseThatAreLoaded) {
  const auto kind = [](const char* opcode) { return op_cost(opcode, false).kind; };
  EXPECT_EQ(kind("wmma.load.a.sync.aligned.row.m16n16k16.global.f16"), OpKind::global_load);
  EXPECT_EQ(kind("wmma.store.d.sync.aligned.row.m16n16k16.global.f32"), OpKind::global_store);
  EXPECT_EQ(kind("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32"), OpKind::shared_store);
}

TEST(OpCosts, TakeMatrixProductsByShapeAndType) {
  const auto cost = [](const char* opcode) { return op_cost(opcode, false); };
  const OpCost half = cost("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_DOUBLE_EQ(half.tensor, 2.048);
  EXPECT_DOUBLE_EQ(cost("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32").tensor, 2.048);
  EXPECT_DOUBLE_EQ(cost("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32").tensor, 2.048);
  EXPECT_DOUBLE_EQ(cost("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").tensor, 4.096);
  EXPECT_DOUBLE_EQ(cost("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").issue, 2);
  const OpCost small = cost("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32");
  EXPECT_LT(small.clocks, half.clocks);
  EXPECT_GT(small.tensor, half.tensor / 2) << "half the work takes more than half the time";
  EXPECT_GT(cost("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64").tensor, 2 * half.tensor);
}

TEST(OpCosts, TakeABulkCopyForALoadOrAStoreOfGlobalMemory) {
  const auto kind = [](const char* opcode) { return op_cost(opcode, false).kind; };
  EXPECT_EQ(kind("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"),
            OpKind::global_load);
  EXPECT_EQ(kind("cp.async.bulk.global.shared::cta.bulk_group"), OpKind::global_store);
  EXPECT_EQ(kind("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"),
            OpKind::global_store);
  for (const char* none : {"cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read",
                           "cp.async.bulk.prefetch.L2.global"})
    EXPECT_NE(kind(none), OpKind::global_load) << none;
}

}  // namespace
}  // namespace warpgrade::emulator
