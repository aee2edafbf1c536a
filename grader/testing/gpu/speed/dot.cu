// SPDX-License-Identifier: MIT
#include <dot.h>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int n = setting.choose(5003, 12 << 20, 1 << 28);
  const size_t count = static_cast<size_t>(n), bytes = count * sizeof(float);
  auto* a = static_cast<float*>(memory.device(0, bytes));
  auto* b = static_cast<float*>(memory.device(1, bytes));
  auto* result = static_cast<float*>(memory.device(2, 2 * sizeof(float)));
  memory.fill(a, count, 1);
  memory.fill(b, count, 2);
  const auto offer = [&](const char* name, auto dot) {
    tasks.push_back({name, 2.0 * static_cast<double>(bytes), 0.0,
                     [=] { dot(result, a, b, n, 256); },
                     [=, &memory] { memory.poison(result, sizeof(float)); },
                     [=, &memory] {
                       const Memory::Pairs pairs = memory.pairs(count, 1, 2);
                       const double error = std::fabs(memory.read(result, 0) - pairs.products);
                       return error <= sum_tolerance(count) * pairs.sizes;
                     }});
  };
  offer("static", dot_static);
  if (setting.all) offer("dynamic", dot_dynamic);
}
