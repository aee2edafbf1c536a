// SPDX-License-Identifier: MIT
#include "emulator/checkers/access_log.h"

#include <utility>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

void AccessLog::note(const void* row, uint32_t cells, uint64_t block, uint64_t time, uint32_t warp,
                     bool write, uint32_t pc) {
  if (entries_.empty()) entries_.resize(kEntries);
  Entry& known = entry(row, block, warp, write);
  const bool same =
      known.row == row && known.block == block && known.time == time && known.warp == warp;
  if (!same) known = {row, block, time, warp, {}, {}};
  if (known.last.cells != 0 && known.last.pc != pc) known.before = std::exchange(known.last, {});
  known.before.cells &= ~cells;
  known.last.cells |= cells;
  known.last.pc = pc;
}

uint32_t AccessLog::find(const Cell* cell, uint64_t block, std::optional<uint64_t> time,
                         uint32_t warp, bool write) {
  if (entries_.empty()) return kNoDetail;
  const Entry& found = entry(row_of(cell), block, warp, write);
  const bool same = found.row == row_of(cell) && found.block == block &&
                    (!time || found.time == *time) && found.warp == warp;
  if (!same) return kNoDetail;
  if ((found.last.cells & bit_of(cell)) != 0) return found.last.pc;
  return (found.before.cells & bit_of(cell)) != 0 ? found.before.pc : kNoDetail;
}

}  // namespace warpgrade::emulator
