// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/fatbin.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {
namespace {

template <class T>
void put(std::string& bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::string region(uint16_t kind, uint32_t sm, std::string payload, uint64_t flags = 0,
                   size_t uncompressed = 0) {
  const size_t header_bytes = kind == toolkit::kRegionPtx ? 80 : 64;
  std::string bytes(header_bytes, '\0');
  const auto stored = static_cast<uint32_t>(payload.size());
  payload.resize((payload.size() + 7) / 8 * 8, '\0');
  put(bytes, toolkit::kRegionKindAt, kind);
  put(bytes, toolkit::kRegionHeaderSizeAt, static_cast<uint32_t>(header_bytes));
  put(bytes, toolkit::kRegionPayloadSizeAt, static_cast<uint64_t>(payload.size()));
  put(bytes, toolkit::kRegionCompressedSizeAt, flags != 0 ? stored : 0u);
  put(bytes, toolkit::kRegionSmAt, sm);
  put(bytes, toolkit::kRegionFlagsAt, flags);
  put(bytes, toolkit::kRegionUncompressedSizeAt, static_cast<uint64_t>(uncompressed));
  return bytes + payload;
}

std::string container(const std::string& regions) {
  std::string bytes(toolkit::kFatbinHeaderBytes, '\0');
  put(bytes, 0, toolkit::kFatbinMagic);
  put(bytes, 4, uint16_t{1});
  put(bytes, toolkit::kFatbinHeaderSizeAt, static_cast<uint16_t>(toolkit::kFatbinHeaderBytes));
  put(bytes, toolkit::kFatbinBodySizeAt, static_cast<uint64_t>(regions.size()));
  return bytes + regions;
}

const std::string kText = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string zstd_region(uint32_t sm = 75) {
  std::string packed(ZSTD_compressBound(kText.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), kText.data(), kText.size(), 3));
  return region(toolkit::kRegionPtx, sm, packed, toolkit::kFlagZstd, kText.size());
}

std::string lz4_region() {
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(kText.size()))), '\0');
  packed.resize(static_cast<size_t>(LZ4_compress_default(kText.data(), packed.data(),
                                                         static_cast<int>(kText.size()),
                                                         static_cast<int>(packed.size()))));
  return region(toolkit::kRegionPtx, 75, packed, toolkit::kFlagLz4, kText.size());
}

std::string raw_region(uint32_t sm = 75) { return region(toolkit::kRegionPtx, sm, kText); }

TEST(ReadFatbin, ReadsRawZstdAndLz4Ptx) {
  for (const std::string& one : {raw_region(), zstd_region(), lz4_region()}) {
    const auto entries = read_fatbin(container(one));
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    ASSERT_EQ(entries->size(), 1u);
    EXPECT_EQ((*entries)[0].kind, FatbinKind::ptx);
    EXPECT_EQ((*entries)[0].sm, 75);
    EXPECT_EQ((*entries)[0].ptx, kText);
  }
}

TEST(ReadFatbin, KeepsMachineCodeClosed) {
  const auto entries = read_fatbin(container(region(toolkit::kRegionElf, 90,
                                                    "\x7f"
                                                    "ELF")));
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ((*entries)[0].kind, FatbinKind::elf);
  EXPECT_EQ((*entries)[0].ptx, "");
}

TEST(ReadFatbin, RefusesEveryTruncation) {
  const std::string image = container(raw_region() + zstd_region(80) + lz4_region());
  for (size_t length = 0; length < image.size(); ++length) {
    EXPECT_FALSE(read_fatbin(std::string_view(image).substr(0, length)).ok()) << length;
  }
}

TEST(ReadFatbin, SurvivesEveryTruncationWithAFittingHeader) {
  const std::string regions = raw_region() + zstd_region(80) + lz4_region();
  for (size_t length = 1; length < regions.size(); ++length) {
    const auto entries = read_fatbin(container(regions.substr(0, length)));
    const bool at_boundary =
        length == raw_region().size() || length == raw_region().size() + zstd_region(80).size();
    EXPECT_EQ(entries.ok(), at_boundary) << length;
  }
}

TEST(ReadFatbin, SurvivesEveryFlippedByte) {
  const std::string image = container(zstd_region() + lz4_region());
  for (size_t at = 0; at < image.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = image;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      (void)read_fatbin(damaged).ok();
    }
  }
}

TEST(ReadFatbin, RefusesABomb) {
  const auto entries = read_fatbin(
      container(region(toolkit::kRegionPtx, 75, "x", toolkit::kFlagZstd, size_t{1} << 40)));
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().message,
            "the program's embedded device code cannot be read: PTX of 1099511627776 bytes is too "
            "large");
}

TEST(ChoosePtx, TakesTheHighestNotAboveTheDevice) {
  const auto entries = *read_fatbin(container(raw_region(75) + raw_region(86) + raw_region(90)));
  EXPECT_EQ(choose_ptx(entries, 89)->sm, 86);
  EXPECT_EQ(choose_ptx(entries, 75)->sm, 75);
  EXPECT_EQ(choose_ptx(entries, 70), nullptr);
  EXPECT_EQ(explain_no_ptx(entries, 70),
            "the program's PTX is for compute capability 7.5 and above, the device has 7.0");
}

TEST(ChoosePtx, TakesWhatIsForOneArchitectureThereAndNowhereElse) {
  const auto entry = [](int sm, bool is_specific) {
    return FatbinEntry{FatbinKind::ptx, sm, is_specific, ""};
  };
  const std::vector<FatbinEntry> entries = {entry(90, false), entry(90, true), entry(75, false)};
  EXPECT_EQ(choose_ptx(entries, 90), &entries[1]);
  EXPECT_EQ(choose_ptx(entries, 100), &entries[0]);
  EXPECT_EQ(choose_ptx(entries, 86), &entries[2]);
  EXPECT_EQ(choose_ptx({entry(90, true)}, 100), nullptr);
  for (const char* const target : {"sm_90a", "sm_100f, texmode_independent"}) {
    const std::string ptx = std::string(".version 8.7\n.target ") + target + "\n.address_size 64\n";
    EXPECT_TRUE(read_fatbin(container(region(toolkit::kRegionPtx, 90, ptx)))->front().is_specific);
  }
  EXPECT_FALSE(read_fatbin(container(region(toolkit::kRegionPtx, 90, ".target sm_90, debug\n")))
                   ->front()
                   .is_specific);
}

TEST(ChoosePtx, SaysHowToBuildWithPtx) {
  const auto entries = *read_fatbin(container(region(toolkit::kRegionElf, 90, "ELF")));
  EXPECT_EQ(choose_ptx(entries, 90), nullptr);
  EXPECT_EQ(explain_no_ptx(entries, 90),
            "the program was built with no PTX: use -gencode arch=compute_75,code=compute_75");
  EXPECT_EQ(explain_no_ptx(*read_fatbin(container(raw_region(120))), 86),
            "the program's PTX is for compute capability 12.0 and above, the device has 8.6: add "
            "-gencode arch=compute_75,code=compute_75");
}

}  // namespace
}  // namespace warpgrade::emulator
