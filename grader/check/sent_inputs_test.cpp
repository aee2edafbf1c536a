// SPDX-License-Identifier: MIT
#include "check/sent_inputs.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr uint64_t kHost = 0x5000;

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

ApiCall sent(uint64_t from, const std::vector<float>& values) {
  const std::string_view bytes = bytes_of(values);
  return {0,
          "cudaMemcpy",
          0,
          0,
          "add",
          {{"src", from},
           {"count", bytes.size()},
           {"direction", "HtoD"},
           {"content_hash", hex64(fnv1a_64(bytes))}}};
}

/// What the rule says of copies in a case with the inputs 1 to 6 and 10 to 60.
Sentence breach_of(std::vector<ApiCall> copies) {
  CaseFacts facts;
  facts.trace.source = "emulated";
  facts.trace.calls = std::move(copies);
  facts.inputs = [] {
    Arrays arrays;
    arrays["a"] = make_npy<float>({6}, {1, 2, 3, 4, 5, 6});
    arrays["b"] = make_npy<float>({2, 3}, {10, 20, 30, 40, 50, 60});
    return Result<Arrays>(arrays);
  };
  return breach(SendsInputsRule{"add"}, facts);
}

Sentence foreign() { return say("device_work.sent", {{"call", "cudaMemcpy"}, {"range", "add"}}); }

TEST(SendsInputs, HoldsForInputsThatAreSentWhole) {
  EXPECT_EQ(breach_of({sent(kHost, {1, 2, 3, 4, 5, 6}), sent(9, {10, 20, 30, 40, 50, 60})}).text,
            "");
  EXPECT_EQ(breach_of({}).text, "");
}

TEST(SendsInputs, HoldsForPiecesOfAnySizeThatLieSideBySide) {
  EXPECT_EQ(
      breach_of({sent(kHost, {1}), sent(kHost + 4, {2, 3, 4}), sent(kHost + 16, {5, 6})}).text, "");
  EXPECT_EQ(breach_of({sent(kHost, {1, 2, 3, 4}), sent(900000, {5, 6})}).text, "");
}

TEST(SendsInputs, HoldsForRowsOfAnInput) {
  ApiCall rows = sent(kHost, {40, 50, 60, 10, 20, 30});
  rows.args["width"] = 12;
  rows.args["row_hashes"] = std::vector<std::string>{hex64(fnv1a_64(bytes_of({40, 50, 60}))),
                                                     hex64(fnv1a_64(bytes_of({10, 20, 30})))};
  EXPECT_EQ(breach_of({rows}).text, "");
  rows.args["row_hashes"] = std::vector<std::string>{hex64(fnv1a_64(bytes_of({40, 50, 61})))};
  EXPECT_EQ(breach_of({rows}), foreign());
}

TEST(SendsInputs, NamesTheCopyThatSendsWhatTheHostComputed) {
  EXPECT_EQ(breach_of({sent(kHost, {11, 22, 33, 44, 55, 66})}), foreign());
  EXPECT_EQ(breach_of({sent(kHost, {1, 2, 3, 4, 5, 6}), sent(9, {0, 0, 0, 0, 0, 0})}), foreign());
}

TEST(SendsInputs, AllowsWhatNoKernelReads) {
  ApiCall allocation{0, "cudaMalloc", 0, 0, "add", {{"ptr", 4096}, {"size", 4}}};
  allocation.args["pitch"] = allocation.args["width"] = 4;
  ApiCall copy = sent(kHost, {11});
  copy.args["dst"] = 4096;
  copy.seq = 1;
  KernelLaunch launch;
  launch.seq = 2;
  launch.range = "add";
  launch.memory = {{4096, false, true}};
  CaseFacts facts;
  facts.trace.source = "emulated";
  facts.trace.calls = {allocation, copy};
  facts.trace.launches = {launch};
  facts.inputs = [] {
    Arrays arrays;
    arrays["a"] = make_npy<float>({1}, {1});
    return Result<Arrays>(arrays);
  };
  EXPECT_EQ(breach(SendsInputsRule{"add"}, facts).text, "");
  facts.trace.launches[0].memory[0].read = true;
  EXPECT_EQ(breach(SendsInputsRule{"add"}, facts), foreign());
}

TEST(SendsInputs, NamesAKernelThatGetsAnArrayByValue) {
  CaseFacts facts;
  facts.trace.source = "emulated";
  facts.inputs = [] {
    Arrays arrays;
    arrays["a"] = make_npy<float>({1}, {1});
    return Result<Arrays>(arrays);
  };
  KernelLaunch launch;
  launch.kernel = "add";
  launch.range = "add";
  launch.params = {std::string(8, '\0'), std::string(248, '\0')};
  facts.trace.launches = {launch};
  EXPECT_EQ(breach(SendsInputsRule{"add"}, facts).text, "");
  facts.trace.launches[0].params[1] += "more";
  EXPECT_EQ(breach(SendsInputsRule{"add"}, facts),
            say("device_work.parameters", {{"kernel", "add"}, {"bytes", 260}}));
}

TEST(SendsInputs, LooksAtCopiesToTheDeviceInItsRangeThatSucceeded) {
  ApiCall back = sent(kHost, {11}), other = back, refused = back;
  back.args["direction"] = "DtoH";
  other.range = "warm-up";
  refused.result = 1;
  EXPECT_EQ(breach_of({back, other, refused}).text, "");
}

}  // namespace
}  // namespace warpgrade
