// SPDX-License-Identifier: MIT
#include "emulator/checkers/access_map.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kMapBase = kDeviceBase + (uint64_t{2} << 20);

struct Access {
  uint64_t offset, bytes;
  Use use;
  uint32_t pc = 1;
};

std::shared_ptr<AccessMap> map_of(std::initializer_list<Access> accesses) {
  auto map = std::make_shared<AccessMap>();
  for (const Access& access : accesses) {
    MemoryUser user;
    user.pc = access.pc;
    user.at = static_cast<uint16_t>(kMapBase + access.offset);
    user.step = 4;
    map->note(kMapBase + access.offset, access.bytes, access.use, user);
  }
  map->finish();
  return map;
}

MemoryUse kernel_of(std::initializer_list<Access> accesses) { return {{}, {}, map_of(accesses)}; }
MemoryUse copy(std::vector<ByteRange> read, std::vector<ByteRange> written) {
  for (auto* ranges : {&read, &written}) {
    for (ByteRange& range : *ranges) range = {kMapBase + range.begin, kMapBase + range.end};
  }
  return {read, written, nullptr};
}

std::string clash_of(const MemoryUse& first, const MemoryUse& second) {
  const std::optional<Clash> clash = find_clash(first, second);
  if (!clash) return "none";
  return std::to_string(clash->bytes.begin - kMapBase) + ".." +
         std::to_string(clash->bytes.end - kMapBase) + (clash->first_writes ? " w" : " r") +
         (clash->second_writes ? "w" : "r");
}

TEST(AccessMap, FindsTheFirstBytesThatTwoKernelsUseAndOneWrites) {
  const MemoryUse writer = kernel_of({{100, 10'000, Use::write}});
  EXPECT_EQ(clash_of(writer, kernel_of({{8, 40, Use::read}, {4000, 200, Use::read}})),
            "4000..4200 wr");
  EXPECT_EQ(clash_of(kernel_of({{0, 101, Use::read}}), writer), "100..101 rw");
  EXPECT_EQ(clash_of(writer, writer), "100..10100 ww");
  EXPECT_EQ(clash_of(writer, kernel_of({{0, 100, Use::write}, {10'100, 4, Use::write}})), "none");
}

TEST(AccessMap, LetsKernelsReadTheSame) {
  EXPECT_EQ(clash_of(kernel_of({{0, 64, Use::read}}), kernel_of({{0, 64, Use::read}})), "none");
}

TEST(AccessMap, LetsAtomicsAndVolatileAccessesMeet) {
  const MemoryUse counter = kernel_of({{0, 4, Use::atomic}});
  EXPECT_EQ(clash_of(counter, counter), "none");
  EXPECT_EQ(clash_of(counter, kernel_of({{0, 4, Use::volatile_read}})), "none");
  EXPECT_EQ(clash_of(counter, kernel_of({{0, 4, Use::read}})), "0..4 wr");
  EXPECT_EQ(clash_of(kernel_of({{0, 4, Use::write}}), counter), "0..4 ww");
}

TEST(AccessMap, ComparesCopiesByteByByte) {
  const MemoryUse rows = copy({}, {{0, 8}, {16, 24}});
  EXPECT_EQ(clash_of(rows, copy({}, {{8, 16}, {24, 32}})), "none");
  EXPECT_EQ(clash_of(rows, copy({{20, 30}}, {})), "20..24 wr");
  EXPECT_EQ(clash_of(rows, kernel_of({{8, 8, Use::write}, {22, 8, Use::read}})), "22..24 wr");
  EXPECT_EQ(clash_of(kernel_of({{8, 8, Use::write}}), rows), "none");
}

TEST(AccessMap, LetsSmallCopiesSetFlagsThatKernelsPoll) {
  const MemoryUse poll = kernel_of({{0, 4, Use::volatile_read}});
  EXPECT_EQ(clash_of(poll, copy({}, {{0, 4}})), "none");
  EXPECT_EQ(clash_of(poll, copy({}, {{0, 64}})), "0..4 rw");
  EXPECT_EQ(clash_of(kernel_of({{0, 4, Use::atomic}}), copy({{0, 4}}, {})), "0..4 wr");
}

TEST(AccessMap, NamesTheThreadOfAByte) {
  const MemoryUse writer = kernel_of({{0, 128, Use::write, 5}});
  const auto clash = find_clash(writer, copy({{40, 44}}, {}));
  ASSERT_TRUE(clash && clash->first_user);
  EXPECT_EQ(clash->first_user->pc, 5u);
  EXPECT_EQ(clash->first_user->thread, 10u);
  EXPECT_FALSE(clash->second_user);
}

TEST(AccessMap, MergesWhatSeveralWorkersNoted) {
  AccessMap sum;
  sum.merge(*map_of({{0, 4, Use::write, 3}}));
  sum.merge(*map_of({{4, 4, Use::read, 4}}));
  sum.finish();
  const MemoryUse merged{{}, {}, std::make_shared<AccessMap>(std::move(sum))};
  EXPECT_EQ(clash_of(merged, kernel_of({{0, 8, Use::read}})), "0..4 wr");
  EXPECT_EQ(clash_of(merged, kernel_of({{4, 4, Use::write}})), "4..8 rw");
}

TEST(AccessMap, KnowsWhetherOneKernelMaySignalTheOther) {
  const auto flag = map_of({{0, 4, Use::volatile_write}});
  EXPECT_TRUE(may_signal(*flag, *map_of({{0, 4, Use::volatile_read}})));
  EXPECT_TRUE(may_signal(*map_of({{0, 4, Use::volatile_read}}), *flag));
  EXPECT_FALSE(may_signal(*flag, *map_of({{4, 4, Use::volatile_read}})));
  EXPECT_FALSE(may_signal(*flag, *map_of({{0, 4, Use::read}})));
  EXPECT_FALSE(may_signal_host(*flag));
}

}  // namespace
}  // namespace warpgrade::emulator
