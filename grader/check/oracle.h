// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "check/arrays.h"

namespace warpgrade {

/// One case of an assignment, as its oracle sees it.
struct OracleCase {
  std::map<std::string, long> args;  ///< integer arguments; words are absent
  std::string family;                ///< kind of inputs, the rubric's word
  uint64_t seed = 0;                 ///< secret; only for the inputs

  /// Throws std::invalid_argument where the case has no such integer.
  long argument(const std::string& name) const {
    const auto found = args.find(name);
    if (found == args.end()) throw std::invalid_argument("the case has no argument " + name);
    return found->second;
  }
  long argument_or(const std::string& name, long otherwise) const {
    const auto found = args.find(name);
    return found == args.end() ? otherwise : found->second;
  }
};

/// Random numbers that are the same on every machine and with every standard library (SplitMix64).
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// An integer from `low` to `high`, both included.
  long integer(long low, long high) {
    return low + static_cast<long>(next() % static_cast<uint64_t>(high - low + 1));
  }
  /// A number in [0, 1) that float holds exactly.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

 private:
  uint64_t state_;
};

// An assignment's oracle.cpp defines these two; oracle_main.cpp calls them. Either may throw
// std::exception to say what is wrong with the case.

/// The arrays that become in/*.npy.
Arrays make_inputs(const OracleCase& the_case);

/// The arrays that become expected/*.npy. An output that is not among them is never compared.
Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs);

}  // namespace warpgrade
