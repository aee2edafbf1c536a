// SPDX-License-Identifier: MIT
#include <vecadd.h>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int n = setting.choose(5003, 10 << 20, 1 << 26);
  const size_t count = static_cast<size_t>(n), bytes = count * sizeof(float);
  auto* a = static_cast<float*>(memory.host(0, bytes));
  auto* b = static_cast<float*>(memory.host(1, bytes));
  auto* c = static_cast<float*>(memory.host(2, bytes));
  memory.fill(a, count, 1);
  memory.fill(b, count, 2);
  tasks.push_back({"add", 3.0 * static_cast<double>(bytes), 0.0,
                   [=] { add_vectors(c, a, b, n, 256); }, [=, &memory] { memory.poison(c, bytes); },
                   [=] {
                     return holds_in_places(
                         count, [=](size_t i) { return c[i] == value_at(1, i) + value_at(2, i); });
                   }});
}
