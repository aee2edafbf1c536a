// SPDX-License-Identifier: MIT
#include "observe/same_outputs.h"

#include <algorithm>

namespace warpgrade {

std::string missing_outputs(const std::map<std::string, NpyArray>& plain,
                            const std::map<std::string, NpyArray>& again,
                            const std::vector<std::string>& exact) {
  if (plain.empty()) return "the program writes no outputs";
  for (const auto& [name, wanted] : plain) {
    const auto found = again.find(name);
    if (found == again.end()) return name + " was not written";
    const NpyArray& array = found->second;
    if (array.dtype != wanted.dtype || array.shape != wanted.shape)
      return name + " has another shape";
    const bool is_exact = std::find(exact.begin(), exact.end(), name) != exact.end();
    if (is_exact && array.bytes != wanted.bytes) return name + " has other values";
  }
  return "";
}

}  // namespace warpgrade
