// SPDX-License-Identifier: MIT
#include "observe/work.h"

#include <gtest/gtest.h>

#include "observe/trace.h"

namespace warpgrade {
namespace {

WorkPiece kernel(const char* name, long blocks, long count = 1) {
  return {name, {blocks, 1, 1}, {256, 1, 1}, 0, "", 0, count};
}
WorkPiece copy(const char* direction, uint64_t bytes) {
  return {"", {}, {}, 0, direction, bytes, 1};
}
WorkPiece fill(uint64_t bytes) { return copy("", bytes); }

using Lines = std::vector<std::string>;

TEST(WorkByRange, TakesLaunchesThatRanAndWhatWasCopiedAndFilled) {
  Trace trace;
  KernelLaunch launch;
  launch.kernel = "add(float*)";
  launch.range = "sum";
  launch.grid = {4, 1, 1};
  launch.block = {256, 1, 1};
  launch.dynamic_shared_bytes = 64;
  trace.launches = {launch, launch, launch, launch};
  trace.launches[1].result = trace.launches[3].result = 1;
  trace.launches[2].range = "";
  trace.launches[3].has_faulted = true;
  const auto call = [&](const char* name, int result, std::vector<Transfers> transfers) {
    trace.calls.push_back({1, name, result, 0, "sum", {{"count", 9}}, std::move(transfers)});
  };
  call("cudaMemcpy", 0, {{"HtoD", 1, 100}});
  call("cudaMemcpy", 1, {});
  call("cudaMemcpy", 0, {{"HtoH", 1, 7}});
  call("cudaMemcpyBatchAsync", 1, {{"DtoH", 3, 24}, {"DtoD", 1, 2}});
  call("cudaMemcpyPeer", 0, {{"PtoP", 1, 3}});
  call("cudaGraphAddMemsetNode", 0, {{"fill", 1, 12}});
  const WorkByRange work = work_by_range(trace);
  EXPECT_EQ(work.size(), 2u);
  EXPECT_EQ(lines_of(work.at("sum")),
            (Lines{"2 x kernel add(float*), grid 4 x 1 x 1, block 256 x 1 x 1, 64 bytes of dynamic "
                   "shared memory",
                   "copies DtoD, 5 bytes", "copies DtoH, 24 bytes", "copies HtoD, 100 bytes",
                   "fills, 12 bytes"}));
}

TEST(CompareWork, AsksForNoOrderAndNoCertainPiecesOfACopy) {
  EXPECT_FALSE(compare_work({kernel("f()", 4), kernel("g()", 1), copy("HtoD", 8)},
                            {copy("HtoD", 3), kernel("g()", 1), copy("HtoD", 5), kernel("f()", 4)},
                            Sizes::kSame));
  EXPECT_FALSE(
      compare_work({kernel("f()", 4, 2)}, {kernel("f()", 4), kernel("f()", 4)}, Sizes::kSame));
}

TEST(CompareWork, SeesAnotherKernelGridBlockNumberSizeOrDirection) {
  const Work judged = {kernel("f()", 4), copy("HtoD", 8), fill(4)};
  WorkPiece block = kernel("f()", 4), shared = block;
  block.block = {128, 2, 1};
  shared.dynamic_shared_bytes = 1;
  for (const WorkPiece& other :
       {kernel("g()", 4), kernel("f()", 5), kernel("f()", 4, 2), block, shared})
    EXPECT_TRUE(compare_work(judged, {other, copy("HtoD", 8), fill(4)}, Sizes::kSame));
  for (const WorkPiece& other : {copy("HtoD", 9), copy("DtoH", 8), fill(8)})
    EXPECT_TRUE(compare_work(judged, {kernel("f()", 4), other, fill(4)}, Sizes::kSame));
  const auto fewer = compare_work(judged, {kernel("f()", 4), copy("HtoD", 8)}, Sizes::kSame);
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->judged.size(), 3u);
  EXPECT_EQ(fewer->timed.size(), 2u);
}

TEST(CompareWork, ComparesNamesBlocksAndDirectionsWhereSizesDiffer) {
  const Work judged = {kernel("f()", 4), copy("HtoD", 8)};
  EXPECT_FALSE(compare_work(judged, {kernel("f()", 400, 9), copy("HtoD", 800)}, Sizes::kOther));
  EXPECT_TRUE(compare_work(judged, {kernel("g()", 400), copy("HtoD", 800)}, Sizes::kOther));
  EXPECT_TRUE(compare_work(judged, {kernel("f()", 400)}, Sizes::kOther));
  EXPECT_TRUE(compare_work(judged, {kernel("f()", 4), copy("HtoD", 8), fill(1)}, Sizes::kOther));
}

TEST(CompareWork, LeavesShapesToLibraries) {
  const char* const here = "void cub::N::DeviceReduceKernel<cub::Policy<86>, int>(int*)";
  const char* const there = "void cub::N::DeviceReduceKernel<cub::Policy<90>, int>(int*)";
  EXPECT_FALSE(compare_work({kernel(here, 4)}, {kernel(there, 9, 2)}, Sizes::kSame));
  EXPECT_TRUE(
      compare_work({kernel(here, 4)}, {kernel("void cub::N::Other<int>()", 4)}, Sizes::kSame));
  EXPECT_TRUE(compare_work({kernel("void mine<cub::Sum>()", 4)},
                           {kernel("void mine<cub::Sum>()", 5)}, Sizes::kSame))
      << "a student's own kernel with a type of CUB's";
}

TEST(IsPartOf, HoldsWhereRecordsWereLostAndNotWhereOtherWorkWasDone) {
  const Work judged = {kernel("f()", 4, 2), copy("HtoD", 8)};
  EXPECT_TRUE(is_part_of({kernel("f()", 4)}, judged, Sizes::kSame));
  EXPECT_TRUE(is_part_of({}, judged, Sizes::kSame));
  EXPECT_FALSE(is_part_of({kernel("f()", 4, 3)}, judged, Sizes::kSame));
  EXPECT_FALSE(is_part_of({kernel("g()", 4)}, judged, Sizes::kSame));
}

TEST(InWords, NamesWhatOnlyOneOfTheRunsDid) {
  const auto difference =
      compare_work({kernel("f()", 4), copy("HtoD", 8)}, {kernel("f()", 4), fill(3)}, Sizes::kSame);
  ASSERT_TRUE(difference);
  EXPECT_EQ(in_words(*difference), "only timed: fills, 3 bytes; only judged: copies HtoD, 8 bytes");
  Work many;
  for (long i = 1; i <= 5; ++i) many.push_back(kernel("f()", i));
  EXPECT_TRUE(in_words(*compare_work({}, many, Sizes::kSame)).ends_with(" and 2 more"));
}

}  // namespace
}  // namespace warpgrade
