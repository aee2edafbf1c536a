// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "emulator/exec/decoder.h"
#include "emulator/exec/warp.h"

// The ops are compiled once per instruction set of the host, each in a namespace of its own.
#ifndef WARPGRADE_ISA
#define WARPGRADE_ISA baseline
#endif

namespace warpgrade::emulator {

enum class RunEnd { blocked, slice_used, stopped };

/// The interpreter for one instruction set of the host.
struct Engine {
  std::span<const std::span<const OpRow>>
      chapters;  ///< one table per chapter of PTX ISA section 9.7
  RunEnd (*run_warp)(Warp&);
  /// Reports that an opcode is not emulated, when executed.
  Handler unsupported;
};

/// The fastest engine that this machine can run.
const Engine& engine();

namespace WARPGRADE_ISA {

extern const std::span<const OpRow> kIntegerOps;
extern const std::span<const OpRow> kMultiplyOps;
extern const std::span<const OpRow> kDotOps;
extern const std::span<const OpRow> kVideoOps;
extern const std::span<const OpRow> kExtendedOps;
extern const std::span<const OpRow> kFloatOps;
extern const std::span<const OpRow> kCompareOps;
extern const std::span<const OpRow> kLogicOps;
extern const std::span<const OpRow> kMoveOps;
extern const std::span<const OpRow> kStackOps;
extern const std::span<const OpRow> kConvertOps;
extern const std::span<const OpRow> kMemoryOps;
extern const std::span<const OpRow> kAtomicOps;
extern const std::span<const OpRow> kControlOps;
extern const std::span<const OpRow> kSynchronisationOps;
extern const std::span<const OpRow> kWarpOps;
extern const std::span<const OpRow> kAsynchronousOps;
extern const std::span<const OpRow> kMatrixOps;
extern const std::span<const OpRow> kTileOps;
extern const std::span<const OpRow> kTextureOps;

RunEnd run_warp(Warp& warp);
void unsupported(Warp& warp, const Instruction& instruction);

}  // namespace WARPGRADE_ISA
}  // namespace warpgrade::emulator
