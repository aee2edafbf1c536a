// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/streams.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

TEST(Streams, RunSideBySideInModelledTime) {
  Streams streams;
  CUstream_st* a = streams.find(streams.create(0, cudaStreamDefault, 0), 0);
  CUstream_st* b = streams.find(streams.create(0, cudaStreamDefault, 0), 0);
  streams.advance(*a, 5);
  streams.advance(*b, 3);
  EXPECT_EQ(a->ready_ms, 5);
  EXPECT_EQ(b->ready_ms, 3);
}

TEST(Streams, ShareTheBusEachWay) {
  Streams streams;
  CUstream_st* a = streams.find(streams.create(0, cudaStreamNonBlocking, 0), 0);
  CUstream_st* b = streams.find(streams.create(0, cudaStreamNonBlocking, 0), 0);
  CUstream_st* elsewhere = streams.find(streams.create(1, cudaStreamNonBlocking, 0), 1);
  streams.advance_on_bus(*a, 5, true);
  streams.advance_on_bus(*b, 3, true);
  EXPECT_EQ(b->ready_ms, 8);
  streams.advance_on_bus(*a, 1, false);
  EXPECT_EQ(a->ready_ms, 6);
  streams.advance_on_bus(*elsewhere, 2, true);
  EXPECT_EQ(elsewhere->ready_ms, 2);
}

TEST(Streams, TheDefaultStreamWaitsForBlockingOnesOnly) {
  Streams streams;
  CUstream_st* blocking = streams.find(streams.create(0, cudaStreamDefault, 0), 0);
  CUstream_st* apart = streams.find(streams.create(0, cudaStreamNonBlocking, 0), 0);
  streams.advance(*blocking, 5);
  streams.advance(*apart, 50);
  CUstream_st* standard = streams.find(nullptr, 0);
  streams.advance(*standard, 1);
  EXPECT_EQ(standard->ready_ms, 6);
  streams.advance(*blocking, 1);
  EXPECT_EQ(blocking->ready_ms, 7);
}

TEST(Streams, WaitForRecordedEvents) {
  Streams streams;
  CUstream_st* a = streams.find(streams.create(0, cudaStreamNonBlocking, 0), 0);
  CUstream_st* b = streams.find(streams.create(0, cudaStreamNonBlocking, 0), 0);
  CUevent_st* event = streams.find(streams.create_event(0, 0));
  streams.advance(*a, 5);
  streams.record(*event, *a);
  streams.wait(*b, *event);
  EXPECT_EQ(b->ready_ms, *event->recorded_ms);
  EXPECT_GT(*event->recorded_ms, 5);
}

TEST(Streams, KnowWhichHandlesAreTheirs) {
  Streams streams;
  const cudaStream_t stream = streams.create(0, 0, 0);
  EXPECT_NE(streams.find(stream, 0), nullptr);
  EXPECT_TRUE(streams.destroy(stream));
  EXPECT_EQ(streams.find(stream, 0), nullptr);
  EXPECT_FALSE(streams.destroy(cudaStream_t{nullptr}));
}

TEST(Streams, GiveEachHostThreadADefaultStreamOfItsOwn) {
  Streams streams;
  const HostThread one = {1, false}, other = {2, true};
  CUstream_st* const mine = streams.find(cudaStreamPerThread, 0, one);
  EXPECT_EQ(streams.find(cudaStreamPerThread, 0, one), mine);
  EXPECT_NE(streams.find(cudaStreamPerThread, 0, other), mine);
  EXPECT_NE(streams.find(cudaStreamPerThread, 1, one), mine);
  EXPECT_NE(streams.find(cudaStreamLegacy, 0, one), mine);
  EXPECT_EQ(streams.find(nullptr, 0, one), streams.find(cudaStreamLegacy, 0, one));
  EXPECT_EQ(streams.find(nullptr, 0, other), streams.find(cudaStreamPerThread, 0, other));
  EXPECT_EQ(streams.stream_count(), 0U);
  streams.advance(*mine, 5);
  streams.advance(*streams.find(nullptr, 0), 1);
  EXPECT_EQ(streams.find(nullptr, 0)->ready_ms, 6);
  streams.reset(0);
  EXPECT_EQ(streams.stream_count(), 0U);
  EXPECT_NE(streams.find(cudaStreamPerThread, 0, one), nullptr);
  EXPECT_EQ(streams.stream_count(), 0U);
}

}  // namespace
}  // namespace warpgrade::emulator
