// SPDX-License-Identifier: MIT
#include "emulator/runtime/withheld.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {
namespace {

Withheld read_from_environment() {
  const char* const given = std::getenv("WARPGRADE_WITHHELD");
  const std::string_view text = given == nullptr ? "" : given;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

const Withheld& withheld() {
  static const Withheld from_environment = read_from_environment();
  return from_environment;
}

WithheldConstants::WithheldConstants(const LoadedModule& module, DeviceMemory& memory) {
  for (const ptx::Variable& variable : module.ptx.variables) {
    const auto symbol = module.symbols.find(variable.name);
    if (variable.space != ptx::Space::constant || symbol == module.symbols.end()) continue;
    uint8_t* const bytes = memory.host_address(symbol->second.address, symbol->second.size);
    kept_.push_back({symbol->second.address, {bytes, bytes + symbol->second.size}});
    std::memset(bytes, 0, symbol->second.size);
  }
}

void WithheldConstants::restore(DeviceMemory& memory) {
  for (const Kept& kept : kept_)
    std::memcpy(memory.host_address(kept.address, kept.bytes.size()), kept.bytes.data(),
                kept.bytes.size());
  kept_.clear();
}

}  // namespace warpgrade::emulator
