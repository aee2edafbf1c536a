// SPDX-License-Identifier: MIT
#include "emulator/runtime/swapped_inputs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/npy.h"

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kHost = 0x1000;
constexpr size_t kBytes = 512;

std::string numbers(unsigned seed) {
  std::string bytes(kBytes, '\0');
  for (char& byte : bytes) byte = static_cast<char>((seed = seed * 1664525u + 1013904223u) >> 24);
  return bytes;
}

const std::string kGiven = numbers(1), kHeld = numbers(2);

constexpr size_t kWords = kBytes / 4, kRow = 8;

std::string transposed(const std::string& matrix) {
  std::string turned;
  for (size_t i = 0; i < kWords; ++i)
    turned += matrix.substr((i % (kWords / kRow) * kRow + i / (kWords / kRow)) * 4, 4);
  return turned;
}

std::string interleaved(const std::string& a, const std::string& b) {
  std::string both;
  for (size_t at = 0; at < kBytes; at += 4) both += a.substr(at, 4) + b.substr(at, 4);
  return both;
}

SwappedInputs one_input() {
  SwappedInputs inputs;
  inputs.add("a", kGiven, kHeld);
  return inputs;
}

std::string upload(SwappedInputs& inputs, std::string bytes, uint64_t address = kHost) {
  inputs.swap(address, reinterpret_cast<uint8_t*>(bytes.data()), bytes.size());
  return bytes;
}

TEST(SwappedInputs, OtherBytesArriveForAWholeInput) {
  SwappedInputs inputs = one_input();
  EXPECT_EQ(upload(inputs, kGiven), kHeld);
}

TEST(SwappedInputs, InputsOfWhichSomethingWasSwappedAreNamed) {
  SwappedInputs inputs = one_input();
  inputs.add("b", numbers(4), numbers(5));
  EXPECT_TRUE(inputs.swapped().empty());
  upload(inputs, numbers(4).substr(0, 100));
  EXPECT_EQ(inputs.swapped(), std::set<std::string>{"b"});
}

TEST(SwappedInputs, WhatIsNoInputArrivesAsItIs) {
  SwappedInputs inputs = one_input();
  EXPECT_EQ(upload(inputs, numbers(3)), numbers(3));
  EXPECT_EQ(upload(inputs, std::string(kBytes, '\0')), std::string(kBytes, '\0'));
}

TEST(SwappedInputs, APartIsSwappedAtItsOwnPlace) {
  SwappedInputs inputs = one_input();
  EXPECT_EQ(upload(inputs, kGiven.substr(100, 200)), kHeld.substr(100, 200));
}

TEST(SwappedInputs, APartMayBeginAndEndAtAnyByte) {
  for (size_t begin = 0; begin < 70; ++begin) {
    SwappedInputs inputs = one_input();
    EXPECT_EQ(upload(inputs, kGiven.substr(begin, 64)), kHeld.substr(begin, 64)) << begin;
    EXPECT_EQ(upload(inputs, kGiven.substr(kBytes - begin - 64, 64)),
              kHeld.substr(kBytes - begin - 64, 64))
        << begin;
  }
}

TEST(SwappedInputs, AnInputBehindThousandsOfForeignBytesIsFound) {
  SwappedInputs inputs = one_input();
  std::string own;
  for (unsigned seed = 10; seed < 20; ++seed) own += numbers(seed);
  EXPECT_EQ(upload(inputs, own + kGiven), own + kHeld);
}

TEST(SwappedInputs, AShortPartIsKnownByItsAddressAlone) {
  SwappedInputs inputs = one_input();
  EXPECT_EQ(upload(inputs, kGiven.substr(500), kHost + 500), kGiven.substr(500));
  upload(inputs, kGiven.substr(0, 256));
  EXPECT_EQ(upload(inputs, kGiven.substr(500), kHost + 500), kHeld.substr(500));
}

TEST(SwappedInputs, MemoryThatHoldsSomethingElseNowIsNoInput) {
  SwappedInputs inputs = one_input();
  upload(inputs, kGiven);
  const std::string own = numbers(3).substr(0, 24) + kGiven.substr(24, 4);
  EXPECT_EQ(upload(inputs, own), own);
}

TEST(SwappedInputs, ChangedBytesAreTheProgramsOwn) {
  SwappedInputs inputs = one_input();
  std::string changed = kGiven;
  changed[300] ^= 1;
  const std::string arrived = upload(inputs, changed);
  EXPECT_EQ(arrived.substr(0, 300), kHeld.substr(0, 300));
  EXPECT_EQ(arrived[300], changed[300]);
}

TEST(SwappedInputs, RowsWithGapsAreFound) {
  SwappedInputs inputs = one_input();
  const std::string gap(40, '\0');
  EXPECT_EQ(upload(inputs, kGiven.substr(0, 128) + gap + kGiven.substr(128, 128) + gap),
            kHeld.substr(0, 128) + gap + kHeld.substr(128, 128) + gap);
}

TEST(SwappedInputs, AnElementThatBeginsLikeTheGapBeforeItIsSwappedWhole) {
  std::string given = kGiven;
  given.replace(128, 2, 2, '\0');
  SwappedInputs inputs;
  inputs.add("a", given, kHeld, sizeof(float));
  const std::string gap(40, '\0');
  EXPECT_EQ(upload(inputs, given.substr(0, 128) + gap + given.substr(128)),
            kHeld.substr(0, 128) + gap + kHeld.substr(128));
}

TEST(SwappedInputs, AGapThatBeginsLikeTheNextElementStaysAsItIs) {
  std::string given = kGiven;
  given.replace(128, 3, 3, '\0');
  SwappedInputs inputs;
  inputs.add("a", given, kHeld, sizeof(float));
  const std::string row = given.substr(0, 128), gap(40, '\0');
  EXPECT_EQ(upload(inputs, row + gap), kHeld.substr(0, 128) + gap);
}

TEST(SwappedInputs, ARowWhoseFrontEqualsTheEndOfAnotherPlaceIsStillItself) {
  std::string given = kGiven;
  given.replace(508, 4, given, 128, 4);
  SwappedInputs inputs;
  inputs.add("a", given, kHeld);
  upload(inputs, given.substr(0, 128));
  EXPECT_EQ(upload(inputs, given.substr(128, 128), kHost + 508), kHeld.substr(128, 128));
}

TEST(SwappedInputs, TwoInputsInOneUploadAreSwappedBoth) {
  SwappedInputs inputs = one_input();
  inputs.add("b", numbers(4), numbers(5));
  EXPECT_EQ(upload(inputs, numbers(4) + kGiven), numbers(5) + kHeld);
}

TEST(SwappedInputs, ElementsInAnotherOrderAreFoundOneByOne) {
  SwappedInputs inputs;
  inputs.add("a", kGiven, kHeld, sizeof(float), true);
  inputs.add("b", numbers(4), numbers(5), sizeof(float), true);
  EXPECT_EQ(upload(inputs, transposed(kGiven)), transposed(kHeld));
  EXPECT_EQ(upload(inputs, interleaved(kGiven, numbers(4))), interleaved(kHeld, numbers(5)));
  EXPECT_EQ(upload(inputs, numbers(3)), numbers(3));
}

TEST(SwappedInputs, ElementsStayWhereTheyMustNotMove) {
  SwappedInputs inputs = one_input();
  EXPECT_EQ(upload(inputs, transposed(kGiven)), transposed(kGiven));
}

TEST(SwappedInputs, SmallIntegersTellNoPlace) {
  std::string given, own;
  for (int32_t i = 0; i < 128; ++i) {
    const int32_t value = i % 9 + 1, other = i * i % 7 + 1;
    given.append(reinterpret_cast<const char*>(&value), sizeof(value));
    own.append(reinterpret_cast<const char*>(&other), sizeof(other));
  }
  SwappedInputs inputs;
  inputs.add("a", given, std::string(given.size(), '\1'), sizeof(int32_t), true);
  EXPECT_EQ(upload(inputs, own), own);
}

TEST(SwappedInputs, OfEqualElementsTheNextInStepIsTaken) {
  std::string given, held;
  for (int32_t i = 0; i < 128; ++i) {
    const int32_t value = i % 64 + 1, other = 1000 + i;
    given.append(reinterpret_cast<const char*>(&value), sizeof(value));
    held.append(reinterpret_cast<const char*>(&other), sizeof(other));
  }
  SwappedInputs inputs;
  inputs.add("a", given, held, sizeof(int32_t), true);
  // A gap after each 4 elements, in which there is something else.
  std::string padded, wanted;
  for (size_t at = 0; at < given.size(); at += 16) {
    padded += given.substr(at, 16) + std::string(4, '\xee');
    wanted += held.substr(at, 16) + std::string(4, '\xee');
  }
  EXPECT_EQ(upload(inputs, padded), wanted);
}

uint8_t* on_device(const DeviceMemory& memory, const Allocation& allocation) {
  return memory.find(allocation.begin)->host;
}

TEST(SwappedInputs, KernelsHaveSwappedMemoryToThemselves) {
  DeviceMemory memory({size_t{1} << 30});
  const Allocation shared = *memory.allocate_host(kBytes, "cudaMallocManaged", HostMemory::managed),
                   own = *memory.allocate(0, kBytes, "cudaMalloc");
  for (const Allocation& allocation : {shared, own})
    std::memcpy(allocation.host, kGiven.data(), kBytes);
  SwappedInputs inputs = one_input();
  EXPECT_EQ(inputs.swap_shared(memory), kBytes);
  EXPECT_EQ(std::memcmp(on_device(memory, shared), kHeld.data(), kBytes), 0);
  EXPECT_EQ(std::memcmp(shared.host, kGiven.data(), kBytes), 0) << "a thread of the host sees it";
  EXPECT_EQ(std::memcmp(own.host, kGiven.data(), kBytes), 0);
  EXPECT_EQ(inputs.swap_shared(memory), 0u) << "a second launch beside the first";
  inputs.restore_shared(memory);
  EXPECT_NE(on_device(memory, shared), shared.host) << "one is still under way";
  inputs.restore_shared(memory);
  EXPECT_EQ(on_device(memory, shared), shared.host);
}

TEST(SwappedInputs, TheHostFindsItsOwnInputsInSharedMemoryThatNoKernelWrote) {
  DeviceMemory memory({size_t{1} << 30});
  const Allocation read = *memory.allocate_host(kBytes, "cudaMallocManaged", HostMemory::managed),
                   written =
                       *memory.allocate_host(kBytes, "cudaMallocManaged", HostMemory::managed);
  for (const Allocation& allocation : {read, written})
    std::memcpy(allocation.host, kGiven.data(), kBytes);
  SwappedInputs inputs = one_input();
  ASSERT_EQ(inputs.swap_shared(memory), 2 * kBytes);
  on_device(memory, written)[3] = 0x77;
  written.host[9] = 0x55;
  inputs.restore_shared(memory);
  EXPECT_EQ(std::memcmp(read.host, kGiven.data(), kBytes), 0);
  std::string kept(kHeld);
  kept[3] = 0x77;
  kept[9] = 0x55;
  EXPECT_EQ(std::memcmp(written.host, kept.data(), kBytes), 0);
  EXPECT_EQ(inputs.swap_shared(memory), kBytes) << "for the next launch";
}

TEST(SwappedInputs, EqualInputsOfAFolderAreLeftOut) {
  char folder[] = "/tmp/swapped_inputs_testXXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const auto keep = [&](const char* name, const std::vector<int32_t>& values) {
    std::ofstream(fs::path(folder) / name, std::ios::binary)
        << format_npy(make_npy<int32_t>({values.size()}, values));
  };
  keep("a.given.npy", {1, 2, 3});
  keep("a.held.npy", {1, 2, 3});
  EXPECT_TRUE(SwappedInputs::read(folder)->empty());
  keep("a.held.npy", {4, 5, 6});
  EXPECT_FALSE(SwappedInputs::read(folder)->empty());
  fs::remove(fs::path(folder) / "a.held.npy");
  EXPECT_FALSE(SwappedInputs::read(folder).ok());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warpgrade::emulator
