// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

namespace warpgrade {

/// Holds `text` against the file at `path`, relative to the test's own folder (its Meson workdir).
/// With WARPGRADE_UPDATE_GOLDEN=1 in the environment it rewrites the file instead.
testing::AssertionResult matches_golden(std::string_view text, const std::filesystem::path& path);

}  // namespace warpgrade
