// SPDX-License-Identifier: MIT
#include "observe/injection/range_ledger.h"

#include <gtest/gtest.h>

namespace warpgrade::injection {
namespace {

constexpr int64_t kMs = 1'000'000;

DeviceWork work(WorkKind kind, int64_t start_ms, int64_t end_ms, uint32_t stream = 7) {
  return {kind, {start_ms * kMs, end_ms * kMs}, 1, stream, 0, {}};
}

TimedRange range(int repetition, int64_t start_ms, int64_t end_ms) {
  return {"device", repetition, {start_ms * kMs, end_ms * kMs}, 1.5, 0};
}

TEST(UnionNs, CountsOverlapsOnceAndGapsNever) {
  EXPECT_EQ(union_ns({{10, 20}, {15, 30}, {40, 50}, {42, 44}}), 30);
  EXPECT_EQ(union_ns({{40, 50}, {10, 20}}), 20);
  EXPECT_EQ(union_ns({{20, 10}}), 0);
  EXPECT_EQ(union_ns({}), 0);
}

TEST(RangeLedger, TellsKernelsCopiesAndTheTimeOfBoth) {
  RangeLedger ledger;
  ledger.add(work(WorkKind::kTransfer, 101, 104));
  ledger.add(work(WorkKind::kKernel, 103, 106));
  ledger.add(work(WorkKind::kInternal, 106, 108));
  ledger.add(range(2, 100, 110));
  const std::vector<Json> lines = ledger.take_lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].dump(),
            R"({"range":"device","repetition":2,"kernel_ms":5.0,"copy_ms":3.0,"busy_ms":7.0,)"
            R"("event_ms":1.5,"wall_ms":10.0,"outside_kernel_ms":0.0,)"
            R"("start_ns":100000000,"end_ns":110000000})");
  EXPECT_TRUE(ledger.take_lines().empty());
}

/// A range of 1.5 ms by its events, with marks of which CUPTI says that they are so far apart.
void add_marked(RangeLedger& ledger, uint32_t number, int64_t apart_ns) {
  TimedRange timed = range(0, 100, 110);
  timed.mark = number;
  for (const uint32_t mark : {number, number + 1}) {
    DeviceWork fill = work(WorkKind::kInternal, 100, 100, 9);
    if (mark != number) fill.when = {100 * kMs + apart_ns, 100 * kMs + apart_ns};
    fill.mark = mark;
    ledger.add(fill);
  }
  ledger.add(timed);
}

TEST(RangeLedger, SeesThatCuptisClockIsSlowerThanTheDevicesInAQuarterOfTheRanges) {
  RangeLedger ledger;
  ledger.ignore_stream(1, 9);
  EXPECT_FALSE(ledger.has_slow_clock());
  for (uint32_t k = 0; k < 3; ++k) add_marked(ledger, 2 + 2 * k, 1'510'000);
  ledger.take_lines();
  EXPECT_FALSE(ledger.has_slow_clock());
  add_marked(ledger, 8, 1'190'000);
  add_marked(ledger, 10, 1'210'000);
  ledger.take_lines();
  EXPECT_FALSE(ledger.has_slow_clock()) << "one in five";
  add_marked(ledger, 12, 1'190'000);
  ledger.take_lines();
  EXPECT_TRUE(ledger.has_slow_clock());
}

TEST(RangeLedger, ListsWhatBeganInTheRangeWithItsNumber) {
  RangeLedger ledger;
  DeviceWork kernel = work(WorkKind::kKernel, 101, 103), copy = work(WorkKind::kTransfer, 103, 104),
             fill = work(WorkKind::kInternal, 105, 106);
  kernel.shape = {"_Z3addPf", {4, 1, 1}, {256, 1, 1}, 64, {}, 0};
  copy.shape = {{}, {}, {}, 0, "HtoD", 400};
  fill.shape = {{}, {}, {}, 0, {}, 8};
  DeviceWork earlier = kernel;
  earlier.when = {50 * kMs, 60 * kMs};
  for (const DeviceWork& each : {earlier, kernel, copy, kernel, fill}) ledger.add(each);
  ledger.add(range(2, 100, 110));
  const Json list = ledger.take_lines().at(0).at("work");
  const std::string wanted =
      R"x([{"direction":"","bytes":8,"count":1},{"direction":"HtoD","bytes":400,"count":1},)x"
      R"x({"kernel":"add(float*)","grid":[4,1,1],"block":[256,1,1],)x"
      R"x("dynamic_shared_bytes":64,"count":2}])x";
  EXPECT_EQ(list.dump(), wanted);
}

TEST(RangeLedger, CountsParallelStreamsOnce) {
  RangeLedger ledger;
  ledger.add(work(WorkKind::kKernel, 101, 105, 7));
  ledger.add(work(WorkKind::kKernel, 103, 107, 8));
  ledger.add(range(0, 100, 110));
  EXPECT_EQ(ledger.take_lines().at(0)["kernel_ms"], 6.0);
}

TEST(RangeLedger, ChargesKernelsBetweenTwoRangesToTheSecond) {
  RangeLedger ledger;
  ledger.add(work(WorkKind::kKernel, 50, 60));
  ledger.add(range(0, 100, 110));
  ledger.add(work(WorkKind::kKernel, 112, 115));
  ledger.add(work(WorkKind::kTransfer, 115, 118));
  ledger.add(work(WorkKind::kKernel, 121, 124));
  ledger.add(range(1, 120, 130));
  const std::vector<Json> lines = ledger.take_lines();
  EXPECT_EQ(lines.at(0)["outside_kernel_ms"], 10.0) << "what ran before the first range";
  EXPECT_EQ(lines.at(1)["outside_kernel_ms"], 3.0);
  EXPECT_EQ(lines.at(1)["kernel_ms"], 3.0);
}

TEST(RangeLedger, RemembersWhatCameAfterARangeUntilTheNextIsTaken) {
  RangeLedger ledger;
  ledger.add(range(0, 100, 110));
  ledger.add(work(WorkKind::kKernel, 112, 115));
  ledger.take_lines();
  ledger.add(range(1, 120, 130));
  EXPECT_EQ(ledger.take_lines().at(0)["outside_kernel_ms"], 3.0);
}

TEST(RangeLedger, DividesAKernelThatOutlastsTheGap) {
  RangeLedger ledger;
  ledger.add(range(0, 100, 110));
  ledger.add(work(WorkKind::kKernel, 119, 122));
  ledger.add(range(1, 120, 130));
  const Json line = ledger.take_lines().at(1);
  EXPECT_NEAR(line["outside_kernel_ms"].get<double>(), 1.0, 0.021);
  EXPECT_NEAR(line["kernel_ms"].get<double>(), 2.0, 0.021);
}

TEST(RangeLedger, ForgivesAClockThatIsALittleOff) {
  RangeLedger ledger;
  DeviceWork early = work(WorkKind::kKernel, 120, 122);
  early.when.start_ns -= kClockSlackNs;
  ledger.add(range(0, 100, 110));
  ledger.add(early);
  ledger.add(range(1, 120, 130));
  const Json line = ledger.take_lines().at(1);
  EXPECT_EQ(line["outside_kernel_ms"], 0.0);
  EXPECT_DOUBLE_EQ(line["kernel_ms"].get<double>(), 2.02);
}

TEST(RangeLedger, KnowsARangeOfWhichNoRecordHasCome) {
  RangeLedger ledger;
  EXPECT_TRUE(ledger.has_records_of_all_ranges());
  ledger.add(work(WorkKind::kKernel, 101, 105));
  ledger.add(range(0, 100, 110));
  EXPECT_TRUE(ledger.has_records_of_all_ranges());
  ledger.add(range(1, 120, 130));
  EXPECT_FALSE(ledger.has_records_of_all_ranges());
  ledger.add(work(WorkKind::kTransfer, 121, 122));
  EXPECT_TRUE(ledger.has_records_of_all_ranges());
}

DeviceWork fill(uint32_t mark, int64_t start_ms) {
  return {WorkKind::kInternal, {start_ms * kMs, start_ms * kMs + 1000}, 1, 99, mark};
}

TimedRange marked(TimedRange range, uint32_t mark) {
  range.mark = mark;
  return range;
}

TEST(RangeLedger, GoesByTheFillsAroundARangeWhereTheDevicesClockIsOff) {
  RangeLedger ledger;
  ledger.ignore_stream(1, 99);
  ledger.add(fill(1, 199));
  ledger.add(work(WorkKind::kKernel, 201, 205));
  ledger.add(fill(2, 211));
  ledger.add(marked(range(0, 100, 110), 1));
  ledger.add(work(WorkKind::kKernel, 213, 215));
  ledger.add(fill(3, 219));
  ledger.add(work(WorkKind::kKernel, 221, 224));
  ledger.add(fill(4, 231));
  ledger.add(marked(range(1, 120, 130), 3));
  const std::vector<Json> lines = ledger.take_lines();
  EXPECT_EQ(lines.at(0)["kernel_ms"], 4.0);
  EXPECT_EQ(lines.at(0)["outside_kernel_ms"], 0.0);
  EXPECT_EQ(lines.at(1)["kernel_ms"], 3.0);
  EXPECT_EQ(lines.at(1)["outside_kernel_ms"], 2.0);
}

TEST(RangeLedger, GoesByTheHostsClockForDevicesAndRangesThatWereNotMarked) {
  RangeLedger ledger;
  ledger.ignore_stream(1, 99);
  ledger.add(fill(1, 199));
  ledger.add(fill(2, 211));
  DeviceWork elsewhere = work(WorkKind::kKernel, 101, 105);
  elsewhere.context = 2;
  ledger.add(elsewhere);
  ledger.add(marked(range(0, 100, 110), 1));
  ledger.add(work(WorkKind::kKernel, 121, 124));
  ledger.add(marked(range(1, 120, 130), 3));
  const std::vector<Json> lines = ledger.take_lines();
  EXPECT_EQ(lines.at(0)["kernel_ms"], 4.0);
  EXPECT_EQ(lines.at(1)["kernel_ms"], 3.0) << "its marks never came";
}

TEST(RangeLedger, KnowsThatTheMarkAfterARangeIsMissingYet) {
  RangeLedger ledger;
  ledger.ignore_stream(1, 99);
  ledger.add(work(WorkKind::kKernel, 101, 105));
  ledger.add(marked(range(0, 100, 110), 1));
  EXPECT_FALSE(ledger.has_records_of_all_ranges());
  ledger.add(fill(2, 111));
  EXPECT_TRUE(ledger.has_records_of_all_ranges());
}

TEST(RangeLedger, LeavesOutTheLibrarysOwnStream) {
  RangeLedger ledger;
  ledger.ignore_stream(1, 99);
  ledger.add(work(WorkKind::kInternal, 112, 118, 99));
  ledger.add(work(WorkKind::kInternal, 101, 102, 99));
  ledger.add(range(0, 100, 110));
  ledger.add(range(1, 120, 130));
  const std::vector<Json> lines = ledger.take_lines();
  EXPECT_EQ(lines.at(0)["busy_ms"], 0.0);
  EXPECT_EQ(lines.at(1)["outside_kernel_ms"], 0.0);
}

TEST(WorkOf, TellsCopiesThatStayOnTheDeviceFromTransfers) {
  CUpti_ActivityMemcpy6 copy = {};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.start = 10;
  copy.end = 30;
  copy.contextId = 3;
  copy.streamId = 4;
  const auto kind_of = [&](uint8_t copy_kind) {
    copy.copyKind = copy_kind;
    return work_of(reinterpret_cast<const CUpti_Activity&>(copy))->kind;
  };
  EXPECT_EQ(kind_of(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD), WorkKind::kTransfer);
  EXPECT_EQ(kind_of(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH), WorkKind::kTransfer);
  EXPECT_EQ(kind_of(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD), WorkKind::kInternal);
  EXPECT_EQ(work_of(reinterpret_cast<const CUpti_Activity&>(copy))->stream, 4u);
}

TEST(WorkOf, LeavesOutWhatHasNoTimes) {
  CUpti_ActivityMemset4 fill = {};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.start = 10;
  EXPECT_FALSE(work_of(reinterpret_cast<const CUpti_Activity&>(fill)));
  fill.end = 12;
  EXPECT_EQ(work_of(reinterpret_cast<const CUpti_Activity&>(fill))->kind, WorkKind::kInternal);
}

TEST(IsUntimedKernel, IsAKernelWithoutTimesAndNothingElse) {
  CUpti_ActivityKernel10 kernel = {};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  EXPECT_TRUE(is_untimed_kernel(reinterpret_cast<const CUpti_Activity&>(kernel)));
  kernel.start = 10;
  kernel.end = 20;
  EXPECT_FALSE(is_untimed_kernel(reinterpret_cast<const CUpti_Activity&>(kernel)));
  CUpti_ActivityMemset4 fill = {};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  EXPECT_FALSE(is_untimed_kernel(reinterpret_cast<const CUpti_Activity&>(fill)));
}

TEST(KernelOf, ReadsWhatRan) {
  CUpti_ActivityKernel10 kernel = {};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "_Z1fPf";
  kernel.gridX = 5;
  kernel.blockY = 6;
  kernel.staticSharedMemory = 128;
  kernel.correlationId = 77;
  kernel.graphNodeId = 1;
  const auto run = kernel_of(reinterpret_cast<const CUpti_Activity&>(kernel));
  EXPECT_EQ(run->mangled, "_Z1fPf");
  EXPECT_EQ(run->grid[0], 5);
  EXPECT_EQ(run->block[1], 6);
  EXPECT_EQ(run->static_shared_bytes, 128);
  EXPECT_EQ(run->correlation, 77u);
  kernel.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  EXPECT_FALSE(kernel_of(reinterpret_cast<const CUpti_Activity&>(kernel)));
}

}  // namespace
}  // namespace warpgrade::injection
