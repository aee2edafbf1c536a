// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/hash.h"
#include "emulator/exec/order.h"

namespace warpgrade::emulator {

/// Decides at which blocks of each launch the time model looks. Each launch has a key of its own: modelled times of one, which the
/// program may ask for, tell nothing of the next one's. Launches of one range have the same keys whatever other ranges do, so that
/// runs compare in which these are left out.
class SampleKeys {
 public:
  /// Where `secret` is 0, every launch has the key 0.
  explicit SampleKeys(uint64_t secret) : secret_(secret) {}

  uint64_t next(const std::string& range) {
    if (secret_ == 0) return 0;
    return mixed(mixed(secret_, fnv1a_64(range), 5), ++launched_[range], 4);
  }

 private:
  const uint64_t secret_;
  std::map<std::string, uint64_t> launched_;  ///< by range
};

}  // namespace warpgrade::emulator
