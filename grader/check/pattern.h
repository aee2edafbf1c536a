// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/sentence.h"

namespace warpgrade {

/// A matrix, or a vector as its one row, that is not what it should be.
struct Difference {
  size_t rows = 1;
  size_t columns = 0;
  bool is_vector = false;
  std::vector<double> expected;
  std::vector<double> got;
  std::vector<bool> wrong;
  std::vector<bool> poisoned;                ///< still holds the bytes from before the run
  size_t block_rows = 0, block_columns = 0;  ///< shape of the blocks that wrote it; 0 = unknown
  size_t pitch_elements = 0;                 ///< distance of its rows on the device; 0 = unknown

  size_t wrong_count() const;
};

/// `what` is wrong, and what kind of mistake leaves such errors. Empty where they show no pattern.
Sentence describe_pattern(const Difference& difference, const Sentence& what);

}  // namespace warpgrade
