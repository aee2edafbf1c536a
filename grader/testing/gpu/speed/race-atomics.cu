// SPDX-License-Identifier: MIT
#include <race-atomics.h>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int blocks = setting.choose(7, 16384, 65536), threads = setting.choose(96, 1024, 1024);
  auto* counter = static_cast<int*>(memory.device(0, sizeof(int)));
  const auto offer = [&](const char* name, auto count) {
    tasks.push_back({name, 0.0, 0.0, [=] { count(counter, blocks, threads); },
                     [=, &memory] { memory.poison(counter, sizeof(int)); },
                     [=] {
                       int found = 0;
                       cudaMemcpy(&found, counter, sizeof found, cudaMemcpyDeviceToHost);
                       return found == blocks * threads;
                     }});
  };
  offer("by_blocks", count_by_blocks);
  if (setting.all) offer("atomic", count_atomic);
}
