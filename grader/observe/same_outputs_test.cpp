// SPDX-License-Identifier: MIT
#include "observe/same_outputs.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

using Outputs = std::map<std::string, NpyArray>;

const Outputs kPlain = {{"C", make_npy<int>({2}, {1, 2})}, {"ms", make_npy<float>({1}, {0.5f})}};

TEST(MissingOutputs, AreNoneWhereOnlyWhatMayDifferDoes) {
  Outputs again = kPlain;
  again["ms"] = make_npy<float>({1}, {7.5f});
  EXPECT_EQ(missing_outputs(kPlain, again, {"C"}), "");
}

TEST(MissingOutputs, AreNamed) {
  Outputs again = kPlain;
  again["C"] = make_npy<int>({2}, {1, 3});
  EXPECT_EQ(missing_outputs(kPlain, again, {"C"}), "C has other values");
  again["C"] = make_npy<int>({1, 2}, {1, 2});
  EXPECT_EQ(missing_outputs(kPlain, again, {}), "C has another shape");
  again["C"] = make_npy<unsigned>({2}, {1, 2});
  EXPECT_EQ(missing_outputs(kPlain, again, {}), "C has another shape");
  again.erase("C");
  EXPECT_EQ(missing_outputs(kPlain, again, {}), "C was not written");
}

TEST(MissingOutputs, ProveNothingWhereThereAreNone) {
  EXPECT_EQ(missing_outputs({}, {}, {}), "the program writes no outputs");
}

}  // namespace
}  // namespace warpgrade
