// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string_view>

namespace warpgrade {

/// Holds `text` against the file `name` in the folder that the environment calls WARPGRADE_GOLDEN
/// (set by Meson; "golden" by default). With WARPGRADE_UPDATE_GOLDEN=1 it rewrites the file instead.
::testing::AssertionResult matches_golden(std::string_view text, std::string_view name);

}  // namespace warpgrade
