// SPDX-License-Identifier: MIT
#include <pi.h>

#include <memory>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const size_t n = setting.choose<size_t>(5003, 12 << 20, 1 << 26), bytes = n * sizeof(float);
  auto* x = static_cast<float*>(memory.host(0, bytes));
  auto* y = static_cast<float*>(memory.host(1, bytes));
  memory.fill(x, n, 1);
  memory.fill(y, n, 2);
  const auto offer = [&](const char* name, auto estimate) {
    const auto inside = std::make_shared<unsigned long long>(0);
    tasks.push_back({name, 2.0 * static_cast<double>(bytes), 0.0,
                     [=] { *inside = estimate(x, y, n, 256).inside; }, [=] { *inside = 0; },
                     [=, &memory] { return may_be_inside(*inside, memory.pairs(n, 1, 2), n); }});
  };
  offer("shared", estimate_shared);
  if (setting.all) offer("global", estimate_global);
}
