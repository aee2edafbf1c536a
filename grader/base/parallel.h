// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace warpgrade {

/// Calls `work(index, slot)` once for every index below `count`, the lower ones first, on at most
/// `jobs` threads. Calls at the same time have different slots, all below `jobs`.
void in_parallel(size_t count, int jobs, const std::function<void(size_t index, int slot)>& work);

}  // namespace warpgrade
