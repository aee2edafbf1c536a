// SPDX-License-Identifier: MIT
#include "emulator/runtime/call_names.h"

namespace warpgrade::emulator {

const std::vector<std::string>& call_names() {
  static const std::vector<std::string> names = {
#include "emulator/runtime/call_names.inc"
  };
  return names;
}

}  // namespace warpgrade::emulator
