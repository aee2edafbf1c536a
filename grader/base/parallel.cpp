// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace warpgrade {

void in_parallel(size_t count, int jobs, const std::function<void(size_t, int)>& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  const int needed = static_cast<int>(std::min(count, static_cast<size_t>(std::max(1, jobs))));
  for (int slot = 0; slot < needed; ++slot) {
    threads.emplace_back([&, slot] {
      for (size_t index = next++; index < count; index = next++) work(index, slot);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace warpgrade
