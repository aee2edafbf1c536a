// SPDX-License-Identifier: MIT
#include <matadd.h>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int rows = setting.choose(67, 2048, 16384), columns = setting.choose(100, 4096, 16384);
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(columns);
  const size_t bytes = count * sizeof(float);
  auto* a = static_cast<float*>(memory.device(0, bytes));
  auto* b = static_cast<float*>(memory.device(1, bytes));
  auto* c = static_cast<float*>(memory.device(2, bytes));
  memory.fill(a, count, 1);
  memory.fill(b, count, 2);
  for (const dim3 block : {dim3(32, 8), dim3(32, 32), dim3(16, 16)}) {
    tasks.push_back({"add " + std::to_string(block.x) + " x " + std::to_string(block.y),
                     3.0 * static_cast<double>(bytes), 0.0,
                     [=] { add_matrices(c, a, b, rows, columns, block); },
                     [=, &memory] { memory.poison(c, bytes); },
                     [=, &memory] {
                       return holds_in_places(count, [&](size_t i) {
                         return memory.read(c, i) == value_at(1, i) + value_at(2, i);
                       });
                     }});
  }
}
