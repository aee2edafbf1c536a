// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade::emulator {

/// Inputs that the device holds in place of those that the host has. Where a program uploads bytes of
/// a given input, the bytes at the same place of the other one arrive on the device: a result that is
/// right for the given input was then not computed from what kernels read.
class SwappedInputs {
 public:
  /// Takes the arrays NAME.given.npy and NAME.held.npy of a folder; those that are equal are left out.
  static Result<SwappedInputs> read(const std::string& folder);

  /// As many bytes of both.
  void add(std::string given, std::string held);
  bool empty() const { return pairs_.empty(); }

  /// Swaps what has just arrived from the host's `address`. How many bytes were a given input's.
  size_t swap(uint64_t address, uint8_t* bytes, size_t count);

 private:
  struct Pair {
    std::string given, held;
  };
  /// Bytes of an upload that are those of a given input from `offset` on.
  struct Match {
    size_t pair = 0, offset = 0, bytes = 0;
  };
  /// Where the program keeps an input.
  struct Place {
    uint64_t address = 0;
    size_t pair = 0;
  };

  Match known_place(uint64_t address, std::string_view upload) const;
  Match whole_input(std::string_view upload) const;
  Match part_of_input(std::string_view upload) const;
  Match find(uint64_t address, std::string_view upload);

  std::vector<Pair> pairs_;
  std::vector<Place> places_;
};

/// Those of the folder WARPGRADE_SWAPPED_INPUTS, read at the first use; none where it is not set. Hold the
/// machine's lock.
SwappedInputs& swapped_inputs();

}  // namespace warpgrade::emulator
