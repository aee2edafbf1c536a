// SPDX-License-Identifier: MIT
#include "emulator/memory/device_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "testing/units.h"

namespace warpgrade::emulator {
namespace {

TEST(DeviceMemory, GivesTheSameAddressesInEveryRun) {
  uint64_t first = 0;
  for (int run = 0; run < 2; ++run) {
    DeviceMemory memory({kGiB});
    const uint64_t begin = memory.allocate(0, 100, "cudaMalloc")->begin;
    if (run == 0) first = begin;
    EXPECT_EQ(begin, first);
    EXPECT_EQ(begin % DeviceMemory::kAlignment, 0u);
  }
}

TEST(DeviceMemory, KeepsARedZoneBetweenNeighbours) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 1, "cudaMalloc");
  const Allocation b = *memory.allocate(0, 1, "cudaMalloc");
  EXPECT_GE(b.begin - a.end(), DeviceMemory::kRedZoneBytes);
}

TEST(DeviceMemory, GivesEachDeviceItsOwnSlice) {
  DeviceMemory memory({kGiB, kGiB});
  const Allocation b = *memory.allocate(1, 16, "cudaMalloc");
  EXPECT_EQ(device_of_address(b.begin), 1);
  EXPECT_EQ(b.device, 1);
}

TEST(DeviceMemory, PoisonsNewMemory) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 1000, "cudaMalloc");
  EXPECT_TRUE(std::all_of(a.host, a.host + a.size, [](uint8_t byte) { return byte == 0xFF; }));
}

TEST(DeviceMemory, GivesReservedAddressesMemoryAgainAndAgain) {
  DeviceMemory memory({kGiB});
  const uint64_t begin = *memory.reserve(0, 1000);
  const Allocation other = *memory.allocate(0, 16, "cudaMalloc");
  EXPECT_GE(other.begin, begin + 1000);
  EXPECT_EQ(memory.find(begin), nullptr);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(memory.allocate_at(begin, 0, 1000, "a graph")->begin, begin);
    EXPECT_EQ(memory.find(begin + 999)->origin, "a graph");
    EXPECT_FALSE(memory.allocate_at(begin, 0, 1000, "a graph").ok());
    EXPECT_TRUE(memory.free(begin).ok());
  }
  EXPECT_FALSE(memory.allocate_at(begin, 0, 2 * kGiB, "a graph").ok());
}

TEST(DeviceMemory, FindsAllocationsToTheByte) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 1000, "cudaMalloc");
  EXPECT_EQ(memory.find(a.begin - 1), nullptr);
  ASSERT_NE(memory.find(a.begin), nullptr);
  EXPECT_EQ(memory.find(a.begin + 999)->id, a.id);
  EXPECT_EQ(memory.find(a.begin + 1000), nullptr);
  EXPECT_EQ(memory.host_address(a.begin + 996, 4), a.host + 996);
  EXPECT_EQ(memory.host_address(a.begin + 997, 4), nullptr);
}

TEST(DeviceMemory, RoundsPitchUpTo512AndKnowsThePadding) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate_pitched(0, 516, 3, 2, "cudaMallocPitch");
  EXPECT_EQ(a.pitch, 1024u);
  EXPECT_EQ(a.size, 6 * 1024u);
  EXPECT_EQ(a.begin % DeviceMemory::kPitchAlignment, 0u);
  EXPECT_FALSE(a.is_padding(a.begin + 515));
  EXPECT_TRUE(a.is_padding(a.begin + 516));
  EXPECT_FALSE(a.is_padding(a.begin + 1024));
}

TEST(DeviceMemory, RefusesMoreThanTheDeviceHas) {
  DeviceMemory memory({kGiB});
  ASSERT_TRUE(memory.allocate(0, kGiB / 2, "cudaMalloc").ok());
  const Result<Allocation> second = memory.allocate(0, kGiB, "cudaMalloc");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            "1073741824 bytes were asked for, 536870912 of the device's 1073741824 are free");
  EXPECT_EQ(memory.free_bytes(0), kGiB / 2);
}

TEST(DeviceMemory, TakesWholeUnitsAsADeviceDoes) {
  DeviceMemory memory({kGiB});
  const auto takes = [&](size_t bytes) {
    const size_t before = memory.free_bytes(0);
    EXPECT_TRUE(memory.allocate(0, bytes, "cudaMalloc").ok());
    return before - memory.free_bytes(0);
  };
  // What an H200 with driver 580 answered.
  EXPECT_EQ(takes(1), 2 * kMiB);
  EXPECT_EQ(takes(1), 0u);
  EXPECT_EQ(takes(512), 0u);
  EXPECT_EQ(takes(kMiB), 0u);
  EXPECT_EQ(takes(kMiB + 1), 2 * kMiB);
  EXPECT_EQ(takes(3 * kMiB), 4 * kMiB);
  EXPECT_EQ(takes(2 * kMiB), 2 * kMiB);
  EXPECT_EQ(takes(2 * kMiB - 1), 2 * kMiB);
  EXPECT_EQ(takes(200000), 0u);
}

TEST(DeviceMemory, HoldsAllThatTheDeviceHasAndNoMore) {
  const size_t t4 = 15843721216;
  DeviceMemory memory({t4});
  const auto fits = [&](size_t bytes) { return memory.allocate(0, bytes, "cudaMalloc").ok(); };
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(fits(size_t{5'000'000'000}));
    EXPECT_TRUE(fits(size_t{5'000'000'000}));
    EXPECT_TRUE(fits(size_t{5'000'000'000}));
    EXPECT_FALSE(fits(size_t{5'000'000'000}));
    EXPECT_LT(memory.free_bytes(0), t4 - size_t{15'000'000'000});
    memory.free_all(0);
    EXPECT_EQ(memory.free_bytes(0), t4);
  }
  EXPECT_TRUE(fits(8 * kGiB));
  EXPECT_FALSE(fits(8 * kGiB));
}

TEST(DeviceMemory, LimitsPageLockedMemoryAndNotManagedMemory) {
  DeviceMemory memory({kGiB});
  EXPECT_TRUE(memory.allocate_host(40 * kGiB, "cudaMallocHost").ok());
  EXPECT_FALSE(memory.allocate_host(40 * kGiB, "cudaMallocHost").ok());
  EXPECT_TRUE(memory.allocate_host(400 * kGiB, "cudaMallocManaged", HostMemory::managed).ok());
}

TEST(DeviceMemory, PoisonsABoundedPartOfLargeMemory) {
  DeviceMemory memory({64 * kGiB});
  const Allocation large = *memory.allocate(0, 5 * kGiB, "cudaMalloc");
  EXPECT_EQ(large.poisoned, DeviceMemory::kPoisonHeadBytes);
  EXPECT_EQ(large.host[DeviceMemory::kPoisonHeadBytes - 1], 0xFF);
  size_t sum = large.poisoned;
  for (int i = 0; i < 3; ++i) sum += memory.allocate(0, kGiB / 4, "cudaMalloc")->poisoned;
  EXPECT_EQ(sum, DeviceMemory::kPoisonTotalBytes);
  memory.free_all(0);
  EXPECT_EQ(memory.allocate(0, 1000, "cudaMalloc")->poisoned, 1000u);
}

TEST(DeviceMemory, FindsReusedAddressesUnmarked) {
  DeviceMemory memory({700 * kGiB});
  memory.watch();
  const Allocation first = *memory.allocate(0, 5000, "cudaMalloc");
  memory.note_written(first.begin + 8, 4);
  EXPECT_EQ(*memory.find(first.begin)->cell(first.begin + 8), kWrittenBits);
  ASSERT_TRUE(memory.free(first.begin).ok());
  for (int i = 0; i < 2; ++i) {
    const Allocation large = *memory.allocate(0, 600 * kGiB, "cudaMalloc");
    const Allocation* const live = memory.find(first.begin);
    if (live != nullptr) {
      EXPECT_EQ(*live->cell(first.begin + 8), 0u);
    } else {
      EXPECT_EQ(i, 0);
    }
    ASSERT_TRUE(memory.free(large.begin).ok());
  }
}

TEST(DeviceMemory, CopiesMarksOfLargeUntouchedMemoryWithoutTouchingIt) {
  DeviceMemory memory({64 * kGiB});
  memory.watch();
  const uint64_t from = memory.allocate(0, 8 * kGiB, "cudaMalloc")->begin;
  const uint64_t to = memory.allocate(0, 8 * kGiB, "cudaMalloc")->begin;
  const auto marks = [&](uint64_t address) {
    const Cell cell = *memory.find(address)->cell(address);
    return cell & kWrittenBits;
  };
  memory.note_written(from + 6 * kGiB + 5, 6);
  memory.note_written(to + kGiB, 100);
  memory.note_copied(to + 1, from + 1, 8 * kGiB - 1);
  EXPECT_EQ(marks(to + kGiB), 0u);
  EXPECT_EQ(marks(to + kGiB + 96), 0u);
  EXPECT_EQ(marks(to + 6 * kGiB + 4), 0xEu);
  EXPECT_EQ(marks(to + 6 * kGiB + 8), 0x7u);
}

TEST(DeviceMemory, SaysThatThisMachineAndNotTheDeviceIsFull) {
  const auto says = [] {
    const size_t bytes = 8 * kGiB;
    const rlimit both{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &both);
    DeviceMemory memory({64 * kGiB});
    memory.when_host_fails([](const std::string& why) {
      std::fputs(why.c_str(), stderr);
      std::exit(3);
    });
    (void)memory.allocate(0, 32 * kGiB, "cudaMalloc");
  };
  EXPECT_EXIT(says(), testing::ExitedWithCode(3),
              "this machine has no room for 34359738368 bytes of an emulated device");
}

TEST(DeviceMemory, RefusesPitchedSizesThatOverflow) {
  DeviceMemory memory({kGiB});
  EXPECT_FALSE(memory.allocate_pitched(0, 1024, SIZE_MAX / 512, 1, "cudaMallocPitch").ok());
  EXPECT_FALSE(memory.allocate_pitched(0, SIZE_MAX, 1, 1, "cudaMallocPitch").ok());
  EXPECT_FALSE(memory.allocate_pitched(0, 4, SIZE_MAX, SIZE_MAX, "cudaMalloc3D").ok());
}

TEST(DeviceMemory, DoesNotReuseFreedAddressesSoon) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 4000, "cudaMalloc");
  ASSERT_TRUE(memory.free(a.begin).ok());
  EXPECT_NE(memory.allocate(0, 4000, "cudaMalloc")->begin, a.begin);
  EXPECT_EQ(memory.find(a.begin), nullptr);
  EXPECT_EQ(memory.describe(a.begin + 8),
            "where.freed(where=where.into(allocation=allocation.made(bytes=4000, origin=cudaMalloc)"
            ", bytes=8))");
}

TEST(DeviceMemory, ReusesAddressesOnceTheSliceIsUsedUp) {
  DeviceMemory memory({700 * kGiB});
  for (int round = 0; round < 3; ++round) {
    const Allocation a = *memory.allocate(0, 600 * kGiB, "cudaMalloc");
    ASSERT_TRUE(memory.free(a.begin).ok()) << round;
  }
}

TEST(DeviceMemory, SaysWhatAWrongFreeWasGiven) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 4000, "cudaMalloc");
  EXPECT_FALSE(memory.free(a.begin + 4).ok());
  EXPECT_EQ(memory.describe(a.begin + 4),
            "where.into(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=4)");
  ASSERT_TRUE(memory.free(a.begin).ok());
  EXPECT_FALSE(memory.free(a.begin).ok());
  EXPECT_EQ(memory.describe(a.begin),
            "where.freed(where=where.start(allocation=allocation.made(bytes=4000, origin=cudaMalloc"
            ")))");
}

TEST(DeviceMemory, DescribesAddressesByTheirNearestAllocation) {
  DeviceMemory memory({kGiB});
  EXPECT_EQ(memory.describe(kDeviceBase), "where.never_allocated");
  const Allocation a = *memory.allocate(0, 4000, "cudaMalloc");
  EXPECT_EQ(memory.describe(a.end() + 4),
            "where.past(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=4)");
  EXPECT_EQ(memory.describe(a.begin - 8),
            "where.before(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=8)");
  EXPECT_EQ(memory.describe(a.end() + 1),
            "where.past(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=1)");
  EXPECT_EQ(memory.describe(a.end()),
            "where.right_past(allocation=allocation.made(bytes=4000, origin=cudaMalloc))");
  ASSERT_TRUE(memory.allocate(0, 16, "the variable $str$1").ok());
  EXPECT_EQ(
      memory.describe(a.end() + 600 * kGiB / 1024),
      "where.past(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=629145600)");
  const Allocation b = *memory.allocate(0, 8, "cudaMallocAsync");
  EXPECT_EQ(memory.describe(b.end() + 4096, &a),
            "where.past(allocation=allocation.made(bytes=8, origin=cudaMallocAsync), bytes=4096)");
  EXPECT_EQ(
      memory.describe(a.end() + kGiB, &a),
      "where.past(allocation=allocation.made(bytes=4000, origin=cudaMalloc), bytes=1073741824)");
  EXPECT_EQ(memory.describe(0), "where.null");
  EXPECT_EQ(memory.describe(4096), "where.not_device");
}

TEST(DeviceMemory, SharesHostMappedMemoryUnderOneAddress) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate_host(100, "cudaMallocHost");
  EXPECT_EQ(reinterpret_cast<uint64_t>(a.host), a.begin);
  a.host[99] = 7;
  EXPECT_EQ(*memory.host_address(a.begin + 99, 1), 7);
  EXPECT_TRUE(memory.free(a.begin).ok());
}

TEST(DeviceMemory, RegistersTheProgramsOwnMemoryOnce) {
  DeviceMemory memory({kGiB});
  std::vector<uint8_t> own(64, 1);
  const auto begin = reinterpret_cast<uint64_t>(own.data());
  ASSERT_EQ(memory.register_host(begin, own.size(), "cudaHostRegister"), Registering::done);
  EXPECT_EQ(memory.register_host(begin + 8, 8, "cudaHostRegister"), Registering::known);
  EXPECT_EQ(memory.register_host(begin, ~uint64_t{0}, "cudaHostRegister"), Registering::no_access);
  EXPECT_TRUE(memory.free(reinterpret_cast<uint64_t>(own.data())).ok());
  EXPECT_EQ(own[0], 1);
}

TEST(DeviceMemoryDeathTest, DeviceAddressesAreNoHostPointers) {
  DeviceMemory memory({kGiB});
  const Allocation a = *memory.allocate(0, 4, "cudaMalloc");
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(a.begin) = 1, "");
}

}  // namespace
}  // namespace warpgrade::emulator
