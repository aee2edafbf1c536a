// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "emulator/analysis/address_places.h"
#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Which addresses a compare-and-swap is about, also one in a function that is called: without optimisation, atomicCAS()
/// itself is a function. Refers to the module.
class SwappedAddresses {
 public:
  explicit SwappedAddresses(const ptx::Module& module);
  /// Those of one function of the module, whose places these are.
  std::set<AddressPlaces::Place> in(const ptx::Function& function,
                                    const AddressPlaces& places) const;

 private:
  /// By function, the numbers of the parameters that hold such an address.
  std::map<std::string_view, std::set<size_t>> parameters_;
};

}  // namespace warpgrade::emulator
