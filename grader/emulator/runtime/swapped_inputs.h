// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// Inputs that the device holds in place of those that the host has. Where a program uploads bytes of
/// a given input, the bytes at the same place of the other one arrive on the device: a result that is
/// right for the given input was then not computed from what kernels read. The host may have put elements
/// into another order, as in a transposed matrix or an array of structures.
class SwappedInputs {
 public:
  /// Takes the arrays NAME.given.npy and NAME.held.npy of a folder; those that are equal are left out.
  static Result<SwappedInputs> read(const std::string& folder);

  /// As many bytes of both, in elements of so many. Those that may move are looked for one by one, too.
  void add(std::string name, std::string given, std::string held, size_t element_bytes = 1,
           bool elements_may_move = false);
  bool empty() const { return pairs_.empty(); }
  /// The names of inputs of which something has been swapped. The host uploads others in a form of its own, or not at all.
  const std::set<std::string>& swapped() const { return swapped_; }

  /// Swaps what has just arrived from the host's `address`. How many bytes were a given input's.
  size_t swap(uint64_t address, uint8_t* bytes, size_t count);
  /// The same in memory that kernels share with the host, which uploads nothing: before a launch. Until the launch ends its
  /// kernel has that memory to itself, so that no thread of the host reads there what the device holds.
  size_t swap_shared(DeviceMemory& memory);
  /// After the launch, or the last of several: gives the host what kernels wrote. Where they wrote nothing it finds its own
  /// inputs. True where kernels or the host wrote there meanwhile: each would otherwise have seen at once what the other did.
  bool restore_shared(DeviceMemory& memory);

 private:
  struct Pair {
    std::string name, given, held;
    size_t element_bytes = 1;
    bool elements_may_move = false;
  };
  struct Element {
    size_t pair = 0, index = 0;
  };
  using Elements = std::unordered_map<std::string_view, std::vector<Element>>;
  /// Adds the parts of a given input that are so long, by their bytes; of equal ones the first few.
  void add_parts(Elements& elements, size_t pair, size_t element_bytes) const;
  /// Bytes of an upload that are those of a given input from `offset` on.
  struct Match {
    size_t pair = 0, offset = 0, bytes = 0;
  };
  /// Where the program keeps an input.
  struct Place {
    uint64_t address = 0;
    size_t pair = 0;
  };

  /// `least_bytes`: of a part that ends with the input or the upload.
  Match known_place(uint64_t address, std::string_view upload, size_t least_bytes) const;
  Match whole_input(std::string_view upload) const;
  Match part_of_input(std::string_view upload);
  Match find(uint64_t address, std::string_view upload, size_t least_bytes);
  /// The match in whole elements: longer by the beginning of its first one, where the bytes `before` it end with that, and
  /// shorter by an element that it has only a part of, unless the upload ends with the match (`is_cut`).
  Match in_whole_elements(Match match, std::string_view before, bool is_cut) const;
  const Elements& elements_of(size_t element_bytes);
  const Elements& blocks();
  size_t swap_elements(uint8_t* bytes, size_t count, size_t element_bytes);
  size_t swap_foreign(uint64_t address, uint8_t* bytes, size_t count);

  std::vector<Pair> pairs_;
  std::set<std::string> swapped_;
  std::unordered_map<size_t, Elements> elements_;  ///< of the given inputs, by the bytes of one
  Elements blocks_;  ///< of the given inputs, half as long as the least match
  std::vector<Place> places_;
  /// A shared allocation while a kernel has it to itself: where the host's bytes lie, their copy from before, and the
  /// device's bytes at first and now.
  struct Shared {
    uint8_t* host = nullptr;
    std::string before, held, now;
  };

  std::unordered_map<uint64_t, uint64_t> seen_;  ///< hash of a shared allocation's bytes, by its id
  std::unordered_map<uint64_t, Shared> shared_;  ///< by id
  int under_way_ = 0;                            ///< launches
};

/// Those of the folder WARPGRADE_SWAPPED_INPUTS, read at the first use; none where it is not set. Hold the
/// machine's lock.
SwappedInputs& swapped_inputs();

}  // namespace warpgrade::emulator
