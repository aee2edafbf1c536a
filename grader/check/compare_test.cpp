// SPDX-License-Identifier: MIT
#include "check/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/content_hash.h"
#include "base/hash.h"

namespace warpgrade {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

CaseFacts got(NpyArray array) {
  CaseFacts facts;
  facts.outputs.emplace("C", std::move(array));
  facts.values = {{"N", 64}};
  return facts;
}

Sentence message(const Tolerance& tolerance, const std::vector<float>& expected,
                 const std::vector<float>& found) {
  return compare({"C", tolerance, Layout::kArray}, make_npy({expected.size()}, expected),
                 got(make_npy({found.size()}, found)))
      .message;
}

TEST(Compare, PassesOnlyEqualElementsWhenExact) {
  EXPECT_EQ(message(Exact{}, {1, -0.0f, 3}, {1, 0.0f, 3}), "");
  EXPECT_EQ(message(Exact{}, {1, 2, 3}, {1, 2, 3.0000002f}),
            "pattern.rounding(error=7.9e-08, what=output.wrong(array=C, count=3, expected=3, "
            "got=3.0000002, owner=, place=[2], wrong=1))");
}

TEST(Compare, NeverPassesNanOrInfinity) {
  for (const Tolerance& tolerance :
       {Tolerance{Exact{}}, Tolerance{Relative{1e30}}, Tolerance{Absolute{1e30}}}) {
    EXPECT_EQ(message(tolerance, {1}, {kNan}), "output.one(array=C, expected=1, got=nan)");
    EXPECT_EQ(message(tolerance, {1}, {kInfinity}), "output.one(array=C, expected=1, got=inf)");
    EXPECT_NE(message(tolerance, {kNan}, {kNan}), "");
    EXPECT_NE(message(tolerance, {kInfinity}, {kInfinity}), "");
  }
}

TEST(Compare, HoldsTolerancesFromBothSides) {
  EXPECT_EQ(message(Relative{0.5}, {4}, {6}), "");
  EXPECT_NE(message(Relative{0.5}, {4}, {6.01f}), "");
  EXPECT_EQ(message(Absolute{0.5}, {4}, {4.5}), "");
  EXPECT_NE(message(Absolute{0.5}, {4}, {4.51f}), "");
  const DotProduct product{*Expression::parse("N")};  // 8 * sqrt(64) * 2^-24 = 2^-18
  EXPECT_EQ(message(product, {1}, {1 + 0x1p-18f}), "");
  EXPECT_NE(message(product, {1}, {1 + 0x1.1p-18f}), "");
}

double used(const Tolerance& tolerance, const std::vector<float>& expected,
            const std::vector<float>& found) {
  return tolerance_used({"C", tolerance, Layout::kArray}, make_npy({expected.size()}, expected),
                        make_npy({found.size()}, found), {{"N", 64}});
}

TEST(ToleranceUsed, IsTheLargestErrorAsAFractionOfWhatIsAllowed) {
  EXPECT_EQ(used(Relative{0.5}, {4, 2}, {5, 2}), 0.5);
  EXPECT_EQ(used(Absolute{2}, {4, 2}, {5, 0.5}), 0.75);
  const DotProduct product{*Expression::parse("N")};
  EXPECT_EQ(used(product, {1}, {1 + 0x1p-20f}), 0.25);
  EXPECT_EQ(used(Exact{}, {1}, {1}), 0);
}

TEST(Compare, TellsMissingAndMisshapenArraysFromWrongOnes) {
  const NpyArray expected = make_npy<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(compare({"D", Exact{}, Layout::kArray}, expected, got(expected)).message,
            "output.missing(array=D)");
  EXPECT_EQ(
      compare({"C", Exact{}, Layout::kArray}, expected, got(make_npy<float>({4}, {1, 2, 3, 4})))
          .message,
      "output.shape(array=C, seen=float32 [4], wanted=float32 [2, 2])");
  EXPECT_EQ(compare({"C", Exact{}, Layout::kArray}, expected,
                    got(make_npy<int32_t>({2, 2}, {1, 2, 3, 4})))
                .message,
            "output.shape(array=C, seen=int32 [2, 2], wanted=float32 [2, 2])");
}

TEST(Compare, DistinguishesIntegersBeyondDoubles) {
  const uint64_t big = (uint64_t{1} << 60) + 1;
  EXPECT_EQ(compare({"C", Exact{}, Layout::kArray}, make_npy<uint64_t>({1}, {big}),
                    got(make_npy<uint64_t>({1}, {big - 1})))
                .message,
            "output.one(array=C, expected=1152921504606846977, got=1152921504606846976)");
}

/// The wrong array came by a copy from memory that a kernel with 2 x 2 blocks wrote.
CaseFacts computed(const NpyArray& array, Extent3 grid) {
  CaseFacts facts = got(array);
  const std::string hash =
      hex64(content_hash({reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}));
  facts.trace.calls.push_back({1, "cudaMalloc", 0, 0, "", {{"ptr", 4096}, {"size", 64}}});
  facts.trace.calls.push_back(
      {3,
       "cudaMemcpy",
       0,
       0,
       "",
       {{"src", 4096}, {"count", 64}, {"direction", "DtoH"}, {"content_hash", hash}}});
  KernelLaunch launch;
  launch.seq = 2;
  launch.grid = grid;
  launch.block = {2, 2, 1};
  launch.memory.push_back({4096, false, true});
  facts.trace.launches.push_back(launch);
  return facts;
}

TEST(Compare, NamesTheThreadThatOwnsTheFirstWrongElement) {
  const NpyArray expected = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const NpyArray wrong = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, -8, 9, 10, -11, 12});
  EXPECT_EQ(compare({"C", Exact{}, Layout::kMatrix}, expected, computed(wrong, {2, 2, 1})).message,
            "output.wrong(array=C, count=12, expected=8, got=-8, owner=owner.thread(block=1, 0, "
            "thread=1, 1), place=place.matrix(column=3, row=1), wrong=2)");
}

TEST(Compare, NoticesThatTheGridDoesNotCoverTheElement) {
  const NpyArray expected = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const NpyArray wrong = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, -9, -10, -11, -12});
  EXPECT_EQ(
      compare({"C", Exact{}, Layout::kMatrix}, expected, computed(wrong, {2, 1, 1})).message,
      "pattern.last_row(row=2, what=output.wrong(array=C, count=12, expected=9, got=-9, "
      "owner=owner.none(block=2 x 2, grid=2 x 1), place=place.matrix(column=0, row=2), wrong=4))");
}

TEST(Compare, NamesNoOwnerByAnotherRangesLaunch) {
  const NpyArray expected = make_npy<float>({2, 2}, {1, 2, 3, 4});
  const NpyArray wrong = make_npy<float>({2, 2}, {1, 2, 3, -4});
  CaseFacts facts = computed(wrong, {2, 2, 1});
  facts.trace.launches[0].range = "copy";
  const auto owner_of = [&](const char* range) {
    const std::string message =
        compare({"C", Exact{}, Layout::kMatrix, range}, expected, facts).message.key();
    return message.find("owner=owner.thread") != std::string::npos;
  };
  EXPECT_TRUE(owner_of("copy"));
  EXPECT_FALSE(owner_of("naive"));
}

TEST(Compare, NamesNoOwnerWhereThreadsHaveSeveralElements) {
  const NpyArray expected = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const NpyArray wrong = make_npy<float>({3, 4}, {1, 2, 3, 4, 5, 6, 7, -8, 9, 10, -11, 12});
  EXPECT_EQ(compare({"C", Exact{}, Layout::kMatrix}, expected, computed(wrong, {1, 1, 1})).message,
            "output.wrong(array=C, count=12, expected=8, got=-8, owner=, "
            "place=place.matrix(column=3, row=1), wrong=2)");
}

}  // namespace
}  // namespace warpgrade
