// SPDX-License-Identifier: MIT
// The tables of one instruction set of the host, gathered.

#include <array>

#include "emulator/exec/ops/ops.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

const Engine& engine() {
  static const std::array chapters = {
      kIntegerOps, kMultiplyOps,     kDotOps,    kVideoOps,   kExtendedOps,
      kFloatOps,   kCompareOps,      kLogicOps,  kMoveOps,    kStackOps,
      kConvertOps, kMemoryOps,       kAtomicOps, kControlOps, kSynchronisationOps,
      kWarpOps,    kAsynchronousOps, kMatrixOps, kTileOps,    kTextureOps,
  };
  static const Engine engine{chapters, run_warp, unsupported};
  return engine;
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
