// SPDX-License-Identifier: MIT
// What the checkers know when a launch, a block or an object begins.
#include <algorithm>

#include "emulator/checkers/watch.h"
#include "emulator/checkers/word_access.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

std::unique_ptr<LaunchWatch> make_watch(const LaunchRequest& request, const LaunchOptions& options,
                                        uint64_t generation, size_t workers) {
  if (!options.check.init && !options.check.race) return nullptr;
  auto watch = std::make_unique<LaunchWatch>();
  const uint32_t threads = request.block.x * request.block.y * request.block.z;
  const uint64_t blocks = uint64_t{request.grid.x} * request.grid.y * request.grid.z;
  watch->init = options.check.init;
  watch->race = options.check.race;
  watch->fences = options.check.fences;
  watch->locks = workers > 1;
  watch->writer = options.writer;
  watch->global = global_layout(blocks, threads, generation);
  watch->shared = shared_layout(threads);
  return watch;
}

void start_watch(Block& block) {
  const LaunchContext& launch = *block.worker->launch;
  if (launch.watch == nullptr) return;
  if (block.watch == nullptr) block.watch = std::make_unique<BlockWatch>();
  BlockWatch& watch = *block.watch;
  const Dim3& size = launch.request->block;
  watch.clock.start(launch.watch->happens_before, block.linear_index, size.x * size.y * size.z);
  watch.shared.assign((launch.shared_bytes + 3) / 4, Cell{0});
  watch.split.clear();
  watch.copies.clear();
  watch.reads.clear();
}

void forget_written(Warp& warp, uint64_t address, unsigned bytes, bool in_shared) {
  LaunchWatch& watch = *warp.worker->launch->watch;
  if (in_shared || is_shared_address(address)) {
    const uint64_t begin = in_shared ? address : address - kSharedBase;
    std::vector<Cell>& cells = warp.block->watch->shared;
    for (uint64_t word = begin & ~uint64_t{3}; word < begin + bytes; word += 4) {
      if (word / 4 < cells.size())
        cells[word / 4] &= ~Cell{bytes_of_word(word, begin, begin + bytes)};
    }
    return;
  }
  const Allocation* const allocation = warp.worker->launch->memory->find(address);
  if (allocation == nullptr || !allocation->contains(address, bytes) ||
      allocation->shadow.cells == nullptr)
    return;
  for (uint64_t word = address & ~uint64_t{3}; word < address + bytes; word += 4) {
    Cell& cell = *allocation->cell(std::max(word, allocation->begin));
    const PageLock lock(watch, &cell, watch.locks);
    cell &= ~Cell{bytes_of_word(word, address, address + bytes)};
  }
}

}  // namespace warpgrade::emulator
