// SPDX-License-Identifier: MIT
#include "emulator/exec/ops/ops.h"

namespace warpgrade::emulator {

namespace baseline {
const Engine& engine();
}
#if defined(WARPGRADE_WITH_V3)
namespace x86_64_v3 {
const Engine& engine();
}
#endif

const Engine& engine() {
#if defined(WARPGRADE_WITH_V3)
  static const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                             __builtin_cpu_supports("bmi2");
  if (has_v3) return x86_64_v3::engine();
#endif
  return baseline::engine();
}

}  // namespace warpgrade::emulator
