// SPDX-License-Identifier: MIT
#include "emulator/checkers/undefined_sources.h"

#include <memory>

#include "emulator/checkers/sync.h"
#include "emulator/checkers/tell.h"
#include "emulator/checkers/undefined.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

uint32_t thread_of(const Warp& warp, int lane) {
  return warp.index * kWarpSize + static_cast<uint32_t>(lane);
}

UndefinedValues& values_of(Warp& warp) {
  if (warp.undefined == nullptr) warp.undefined = std::make_shared<UndefinedValues>();
  return *warp.undefined;
}

/// Where the finding will point to: the frame may have been left by then.
const Instruction& seen(const Warp& warp, const Instruction& instruction) {
  return warp.worker->launch->module->program.code[visible_pc(warp, instruction.pc)];
}

/// The bit of what a lane reads where nothing was written; 0 where there are too many of them.
UndefinedValues::Origins unwritten_origin(Warp& warp, const Instruction& instruction, int lane,
                                          const WatchedPlace& place, uint64_t address,
                                          unsigned bytes) {
  const uint64_t object = object_of(*warp.worker->launch, place, address);
  return values_of(warp).origin(
      {&seen(warp, instruction), UndefinedValues::Source::memory, object, place.allocation, bytes},
      lane, address);
}

uint32_t register_of(const Warp& warp, const Instruction& load, unsigned element) {
  if (load.elements == 1) return load.d;
  return warp.worker->launch->module->program.details[load.detail].registers[element];
}

}  // namespace

bool follow_unwritten(Warp& warp, const Instruction& instruction, int lane, unsigned element,
                      const WatchedPlace& place, uint64_t address, unsigned bytes) {
  if ((instruction.flags & Instruction::kLoads) == 0) return false;
  const auto origin = unwritten_origin(warp, instruction, lane, place, address, bytes);
  if (origin != 0)
    warp.undefined->mark(warp, register_of(warp, instruction, element), lane, origin);
  return origin != 0;
}

bool follow_unwritten_texel(Warp& warp, const Instruction& instruction, int lane,
                            const WatchedPlace& place, unsigned bytes) {
  const auto origin = unwritten_origin(warp, instruction, lane, place, place.address, bytes);
  const LoadedModule& module = *warp.worker->launch->module;
  for (const uint32_t reg : module.program.details[instruction.detail].registers) {
    if (origin != 0 && reg != kNoRegister) warp.undefined->mark(warp, reg, lane, origin);
  }
  return origin != 0;
}

bool follow_unwritten_local(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                            unsigned bytes) {
  if ((instruction.flags & Instruction::kLoads) == 0) return false;
  const Instruction& original = seen(warp, instruction);
  UndefinedValues& values = values_of(warp);
  auto origins = values.in_local(offset, bytes, lane);
  if (origins == 0)
    origins =
        values.origin({&original, UndefinedValues::Source::local, 0, nullptr, bytes}, lane, offset);
  if (origins == 0) return false;
  for (unsigned element = 0; element < instruction.elements; ++element)
    values.mark(warp, register_of(warp, instruction, element), lane, origins);
  return true;
}

void follow_idle_source(Warp& warp, const Instruction& instruction, int lane, int source,
                        uint32_t members) {
  if (!warp.worker->launch->options->check.sync || instruction.d == kNoRegister) return;
  const IdleLane why = (members >> source & 1) == 0                     ? IdleLane::not_named
                       : thread_of(warp, source) >= warp.block->threads ? IdleLane::no_thread
                                                                        : IdleLane::ended;
  UndefinedValues& values = values_of(warp);
  const Instruction& original = seen(warp, instruction);
  const auto origin = values.origin({&original, UndefinedValues::Source::shuffle}, lane,
                                    IdleSource{source, why}.packed());
  if (origin != 0)
    values.mark(warp, instruction.d, lane, origin);
  else
    report_idle_source(warp, original, lane, source, why);
}

}  // namespace warpgrade::emulator
