// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/line_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warpgrade::emulator {
namespace {

LineMetrics a_line(int number) {
  return {"k.cu", number, {{"ptx__inst_executed.sum", 4}, {"ptx__thread_inst_executed.sum", 64}}};
}

TEST(LinesRecord, HoldsTransfersBesideTheFewestThatWouldDo) {
  LineMetrics line = a_line(7);
  line.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 2;
  line.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 64;
  line.metrics["smsp__sass_data_bytes_mem_global_op_ld.sum"] = 256;
  line.metrics["ptx__requests_mem_shared_op_st.sum"] = 3;
  line.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"] = 96;
  line.metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"] = 93;
  line.metrics["ptx__inst_executed_op_branch.sum"] = 2;
  line.metrics["ptx__branches_threads_divergent.sum"] = 1;
  line.ms = 0.5;
  EXPECT_EQ(lines_record({line}).dump(),
            R"([{"file":"k.cu","line":7,"warps":4,"threads":64,"ms":0.5,"global_ld":[2,64,8],)"
            R"("shared_st":[3,96,3],"branches":[2,1]}])");
}

TEST(LinesRecord, AsksNoLessThanATransferARequestAndNoMoreThanThereWere) {
  LineMetrics line = a_line(1);
  line.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 8;
  line.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 8;
  line.metrics["smsp__sass_data_bytes_mem_global_op_ld.sum"] = 1024;  // all lanes at one address
  EXPECT_EQ(lines_record({line})[0]["global_ld"].dump(), "[8,8,8]");
  line.metrics["smsp__sass_data_bytes_mem_global_op_ld.sum"] = 32;
  EXPECT_EQ(lines_record({line})[0]["global_ld"].dump(), "[8,8,8]");
}

TEST(LinesRecord, LeavesOutWhatHasNoLine) { EXPECT_TRUE(lines_record({a_line(0)}).empty()); }

TEST(LineRecords, TakeTheFirstLaunchesOfEachKernel) {
  LineRecords records;
  for (uint64_t i = 0; i < LineRecords::kMostLaunches; ++i)
    EXPECT_FALSE(records.take("a", {a_line(1)}).empty());
  EXPECT_FALSE(records.wants("a"));
  EXPECT_TRUE(records.take("a", {a_line(1)}).empty());
  EXPECT_TRUE(records.wants("b"));
}

TEST(LineRecords, TakeNoMoreLinesThanARecordHasRoomFor) {
  LineRecords records;
  const std::vector<LineMetrics> many(LineRecords::kMostLines, a_line(1));
  EXPECT_FALSE(records.take("a", many).empty());
  EXPECT_TRUE(records.take("b", {a_line(1)}).empty());
}

}  // namespace
}  // namespace warpgrade::emulator
