// SPDX-License-Identifier: MIT
#include "emulator/checkers/stream_order.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

constexpr StreamOfWork kDefault{0, 0, true}, kBlocking{1, 0, true}, kOther{2, 0, true},
    kFree{3, 0, false}, kOnDevice1{4, 1, true};
constexpr uint64_t kEvent = 7;

bool is_before(const Moment& first, const Moment& second) {
  return second.after.covers(first.lane, first.number);
}

TEST(StreamOrder, OrdersTheWorkOfOneStream) {
  StreamOrder order;
  const Moment first = order.add(kFree), second = order.add(kFree);
  EXPECT_TRUE(is_before(first, second));
  EXPECT_FALSE(is_before(second, first));
  EXPECT_FALSE(order.has_lanes());
}

TEST(StreamOrder, OrdersNothingBetweenTwoStreams) {
  StreamOrder order;
  const Moment first = order.add(kBlocking), second = order.add(kOther);
  EXPECT_FALSE(is_before(first, second));
  EXPECT_TRUE(order.has_lanes());
}

TEST(StreamOrder, LetsTheDefaultStreamAndBlockingStreamsOfItsDeviceWaitForEachOther) {
  StreamOrder order;
  const Moment blocking = order.add(kBlocking), free = order.add(kFree),
               elsewhere = order.add(kOnDevice1);
  const Moment middle = order.add(kDefault);
  EXPECT_TRUE(is_before(blocking, middle));
  EXPECT_FALSE(is_before(free, middle));
  EXPECT_FALSE(is_before(elsewhere, middle));
  const Moment later = order.add(kOther);
  EXPECT_TRUE(is_before(middle, later));
  EXPECT_TRUE(is_before(blocking, later));
  EXPECT_FALSE(is_before(middle, order.add(kFree)));
}

TEST(StreamOrder, LetsAStreamWaitForWhatAnEventRecordedOnly) {
  StreamOrder order;
  const Moment before = order.add(kBlocking);
  order.record(kEvent, kBlocking);
  const Moment behind = order.add(kBlocking);
  order.wait(kFree, kEvent);
  const Moment waiting = order.add(kFree);
  EXPECT_TRUE(is_before(before, waiting));
  EXPECT_FALSE(is_before(behind, waiting));
}

TEST(StreamOrder, PutsAllThatTheHostWaitedForBeforeWhatItGivesOut) {
  StreamOrder order;
  const Moment first = order.add(kBlocking);
  order.host_waits_for(kBlocking);
  EXPECT_TRUE(order.host_knows(first));
  EXPECT_TRUE(is_before(first, order.add(kFree)));
  const Moment second = order.add(kFree), third = order.add(kOnDevice1);
  order.host_waits_for_device(0);
  EXPECT_TRUE(order.host_knows(second));
  EXPECT_FALSE(order.host_knows(third));
}

TEST(StreamOrder, OrdersAllStreamsOfSomeDevices) {
  StreamOrder order;
  const Moment free = order.add(kFree), elsewhere = order.add(kOnDevice1);
  order.order_devices({0});
  const Moment here = order.add(kOther), there = order.add(kOnDevice1);
  EXPECT_TRUE(is_before(free, here));
  EXPECT_FALSE(is_before(elsewhere, here));
  EXPECT_FALSE(is_before(free, there));
  order.order_devices({0, 1});
  EXPECT_TRUE(is_before(elsewhere, order.add(kFree)));
}

TEST(StreamOrder, OrdersTheNodesOfAGraphByTheirEdges) {
  StreamOrder order;
  const int a = 0, b = 0, c = 0, d = 0;
  const Moment before = order.add(kFree);
  order.begin_graph(kFree);
  const auto run = [&](const int* node, const std::vector<const void*>& after) {
    order.begin_node(node, after);
    const Moment moment = order.add(kFree);
    order.end_node();
    return moment;
  };
  const Moment root = run(&a, {});
  EXPECT_FALSE(order.has_lanes());
  const Moment left = run(&b, {&a}), right = run(&c, {&a}), joined = run(&d, {&b, &c});
  order.end_graph(kFree);
  const Moment behind = order.add(kFree);
  EXPECT_TRUE(is_before(before, root));
  EXPECT_TRUE(is_before(root, right));
  EXPECT_FALSE(is_before(left, right));
  EXPECT_TRUE(is_before(left, joined));
  EXPECT_TRUE(is_before(right, joined));
  EXPECT_TRUE(is_before(left, behind));
  EXPECT_FALSE(is_before(left, order.add(kBlocking)));
}

}  // namespace
}  // namespace warpgrade::emulator
