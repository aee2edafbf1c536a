// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "emulator/memory/device_memory.h"
#include "testing/units.h"

namespace warpgrade::emulator {
namespace {

using Runs = std::vector<OriginRun>;

class Provenance : public testing::Test {
 protected:
  void SetUp() override { memory_.watch(); }
  uint64_t allocate(size_t bytes) { return memory_.allocate(0, bytes, "cudaMalloc")->begin; }
  Runs runs(uint64_t address, size_t bytes) const {
    OriginRuns found;
    memory_.add_origins(address, bytes, found);
    return found.runs();
  }
  void written_by(OriginId kernel, uint64_t address, size_t bytes) {
    note_writer(*memory_.find(address), address, bytes, kernel);
  }

  DeviceMemory memory_{{kGiB}};
  const OriginId kernel_ = memory_.origins().of_kernel("sum", "reduce");
  char host_[64] = {};
};

TEST_F(Provenance, KnowsTheLastWriterOfEachByte) {
  const uint64_t a = allocate(100);
  EXPECT_EQ(runs(a, 100), (Runs{{100, Origins::kNothing}}));
  memory_.note_copied(a, reinterpret_cast<uint64_t>(host_), 64);
  memory_.note_filled(a + 50, 30);
  written_by(kernel_, a + 3, 1);
  EXPECT_EQ(runs(a, 100), (Runs{{3, Origins::kHost},
                                {1, kernel_},
                                {46, Origins::kHost},
                                {30, Origins::kFill},
                                {20, Origins::kNothing}}));
}

TEST_F(Provenance, GoesWithTheBytesOfACopyWithinTheDevice) {
  const uint64_t a = allocate(100), b = allocate(100);
  written_by(kernel_, a + 10, 20);
  memory_.note_filled(b, 100);
  memory_.note_copied(b + 4, a, 50);
  EXPECT_EQ(runs(b, 100), (Runs{{4, Origins::kFill},
                                {10, Origins::kNothing},
                                {20, kernel_},
                                {20, Origins::kNothing},
                                {46, Origins::kFill}}));
}

TEST_F(Provenance, IsTheHostsWhereTheHostCanWriteUnseen) {
  const uint64_t pinned = memory_.allocate_host(64, "cudaMallocHost")->begin, a = allocate(64);
  written_by(kernel_, pinned, 64);
  EXPECT_EQ(runs(pinned, 64), (Runs{{64, Origins::kHost}}));
  memory_.note_copied(a, pinned, 64);
  EXPECT_EQ(runs(a, 64), (Runs{{64, Origins::kHost}}));
}

TEST_F(Provenance, OfMemoryThatWasFreedIsForgotten) {
  const uint64_t begin = *memory_.reserve(0, 1000);
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(memory_.allocate_at(begin, 0, 1000, "a graph").ok());
    EXPECT_EQ(runs(begin, 1000), (Runs{{1000, Origins::kNothing}}));
    written_by(kernel_, begin, 1000);
    ASSERT_TRUE(memory_.free(begin).ok());
  }
}

TEST_F(Provenance, OfFreshHeapBlocksIsNothing) {
  const uint64_t a = allocate(100);
  written_by(kernel_, a, 100);
  memory_.note_fresh(a + 8, 16);
  EXPECT_EQ(runs(a, 100), (Runs{{8, kernel_}, {16, Origins::kNothing}, {76, kernel_}}));
}

TEST_F(Provenance, OfLargeCopiesIsThatOfEachPage) {
  const uint64_t a = allocate(4 * kMiB), b = allocate(4 * kMiB);
  written_by(kernel_, a + kMiB, 5);
  memory_.note_filled(b + 2 * kMiB, 100);
  memory_.note_copied(b, a, 4 * kMiB);
  EXPECT_EQ(runs(b, 4 * kMiB),
            (Runs{{kMiB, Origins::kNothing}, {5, kernel_}, {3 * kMiB - 5, Origins::kNothing}}));
}

TEST_F(Provenance, OfOverlappingPartsOfOneAllocationIsThatOfBefore) {
  const uint64_t a = allocate(1 * kMiB);
  written_by(kernel_, a, 100'000);
  memory_.note_copied(a + 1, a, 200'000);
  EXPECT_EQ(runs(a, 200'002), (Runs{{100'001, kernel_}, {100'001, Origins::kNothing}}));
}

}  // namespace
}  // namespace warpgrade::emulator
