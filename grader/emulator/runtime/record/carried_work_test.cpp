// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/carried_work.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

constexpr size_t kCarriedBytes = 4096;

class CarriedWorkTest : public testing::Test {
 protected:
  void SetUp() override {
    memory_.watch();
    buffer_ = allocate();
  }

  uint64_t allocate() { return memory_.allocate(0, kCarriedBytes, "cudaMalloc")->begin; }

  /// Has a kernel of `range` write the first bytes of the buffer, as a launch does.
  void write(const std::string& range, size_t bytes) {
    note_writer(*memory_.find(buffer_), buffer_, bytes, memory_.origins().of_kernel(range, "f"));
    work_.after(range, "f", {{.ptr = buffer_, .written = true}}, {});
  }

  std::string read(const std::string& range) {
    const auto there = work_.before(range, memory_);
    const auto found = work_.after(range, "g", {{.ptr = buffer_, .read = true}}, there);
    return found ? found->message.key() : "";
  }

  DeviceMemory memory_{{size_t{1} << 30}};
  CarriedWork work_;
  uint64_t buffer_ = 0;
};

TEST_F(CarriedWorkTest, AKernelThatReadsAnotherRangesWorkIsFound) {
  write("naive", kCarriedBytes);
  EXPECT_EQ(read("fast"), "carried.memory(bytes=4096, range=naive)");
}

TEST_F(CarriedWorkTest, ARangeMayReadItsOwnWork) {
  write("naive", kCarriedBytes);
  EXPECT_EQ(read("naive"), "");
  write("fast", kCarriedBytes);
  EXPECT_EQ(read("fast"), "");
}

TEST_F(CarriedWorkTest, CopiesWithinTheDevicePassWorkOn) {
  write("naive", kCarriedBytes);
  const uint64_t from = buffer_;
  buffer_ = allocate();
  EXPECT_EQ(read("fast"), "");
  memory_.note_copied(buffer_, from, kCarriedBytes);
  EXPECT_NE(read("fast"), "");
}

TEST_F(CarriedWorkTest, WhatACopyWroteSinceIsNotCarried) {
  write("naive", kCarriedBytes);
  memory_.note_filled(buffer_, kCarriedBytes);
  EXPECT_EQ(read("fast"), "");
}

TEST_F(CarriedWorkTest, AFewBytesMayLiveOn) {
  write("naive", 64);
  EXPECT_EQ(read("fast"), "");
}

TEST_F(CarriedWorkTest, KernelsOutsideOfRangesAreNotAsked) {
  write("naive", kCarriedBytes);
  EXPECT_EQ(read(""), "");
}

}  // namespace
}  // namespace warpgrade::emulator
