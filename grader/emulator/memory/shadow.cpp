// SPDX-License-Identifier: MIT
#include "emulator/memory/shadow.h"

#include <cstdlib>

namespace warpgrade::emulator {

uint16_t* make_constant_marks(Shadow& shadow) {
  auto* const fresh = static_cast<uint16_t*>(std::calloc(shadow.count, sizeof(uint16_t)));
  uint16_t* held = nullptr;
  if (__atomic_compare_exchange_n(&shadow.constant_in, &held, fresh, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return fresh;
  std::free(fresh);
  return held;
}

void release_constant_marks(const Shadow& shadow) { std::free(shadow.constant_in); }

}  // namespace warpgrade::emulator
