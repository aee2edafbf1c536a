// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "base/chacha20.h"
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

/// Random numbers that are the same on every machine and with every standard library: ChaCha20 with the seed as its key. A
/// program sees many of them as its inputs, and finds neither the seed nor any other number from them.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed)
      : state_{0x61707865,
               0x3320646e,
               0x79622d32,
               0x6b206574,
               static_cast<uint32_t>(seed),
               static_cast<uint32_t>(seed >> 32)} {}

  uint64_t next() {
    if (at_ == block_.size()) {
      block_ = chacha20_block(state_);
      if (++state_[kCounter] == 0) ++state_[kCounter + 1];
      at_ = 0;
    }
    const uint64_t low = block_[at_++];
    return low | static_cast<uint64_t>(block_[at_++]) << 32;
  }
  /// An integer from `low` to `high`, both included.
  long integer(long low, long high) {
    return low + static_cast<long>(next() % static_cast<uint64_t>(high - low + 1));
  }
  /// A number in [0, 1) that float holds exactly.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

 private:
  static constexpr size_t kCounter = 12;  ///< 64 bits of the state count blocks.

  ChaChaState state_;
  ChaChaState block_{};
  size_t at_ = block_.size();
};

// An assignment's oracle.cpp defines the first two of these, and the third where its rubric says `made_from`;
// oracle_main.cpp calls them. Each may throw std::exception to say what is wrong with the case.

/// The arrays that become in/*.npy.
Arrays make_inputs(const OracleCase& the_case);

/// The arrays that become expected/*.npy. An output that is not among them is never compared.
Arrays expected_outputs(const OracleCase& the_case, const Arrays& inputs);

/// What can be said of a program's outputs, to be compared with expected ones of the same names: where many answers are
/// right, the driver writes them as they are, and this looks at them. `outputs` come from the student's process: of any
/// type, shape and value.
Arrays derived_outputs(const OracleCase& the_case, const Arrays& inputs, const Arrays& outputs);

}  // namespace warpgrade
