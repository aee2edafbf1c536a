// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade {

/// Bytes, as tests count them.
inline constexpr size_t kMiB = size_t{1} << 20, kGiB = size_t{1} << 30;
/// Nanoseconds of a millisecond.
inline constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace warpgrade
