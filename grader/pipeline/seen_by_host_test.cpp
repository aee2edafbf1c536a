// SPDX-License-Identifier: MIT
#include "pipeline/seen_by_host.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(SeenByHost, ASumOfManyElementsMayLookAtSumsOfBlocks) {
  EXPECT_EQ(bytes_allowed_to_be_seen(32'000, 4), 64u + 1'000u);
}

TEST(SeenByHost, WhatComputesAnElementFromEachHasNoSumsToLookAt) {
  EXPECT_EQ(bytes_allowed_to_be_seen(32'000, 16'000), 64u);
}

}  // namespace
}  // namespace warpgrade
