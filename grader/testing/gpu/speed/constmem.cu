// SPDX-License-Identifier: MIT
#include <constmem.h>

#include <algorithm>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

namespace {

constexpr int kTaps = 64;

bool is_filtered(float value, size_t i) {
  double sum = 0.0, sizes = 0.0;
  for (size_t k = 0; k <= std::min<size_t>(kTaps - 1, i); ++k) {
    const double term = static_cast<double>(value_at(2, k)) * value_at(1, i - k);
    sum += term;
    sizes += std::fabs(term);
  }
  return std::fabs(value - sum) <= sum_tolerance(kTaps) * sizes;
}

}  // namespace

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int n = setting.choose(5003, 1 << 24, 1 << 27);
  const size_t count = static_cast<size_t>(n), bytes = count * sizeof(float);
  auto* x = static_cast<float*>(memory.device(0, bytes));
  auto* y = static_cast<float*>(memory.device(1, bytes));
  auto* taps = static_cast<float*>(memory.device(2, kTaps * sizeof(float)));
  auto* host_taps = static_cast<float*>(memory.host(0, kTaps * sizeof(float)));
  memory.fill(x, count, 1);
  memory.fill(taps, kTaps, 2);
  memory.fill(host_taps, kTaps, 2);
  load_taps(host_taps, 0, kTaps);
  const auto offer = [&](const char* name, std::function<void()> call) {
    tasks.push_back({name, 2.0 * static_cast<double>(bytes), 2.0 * kTaps * n, std::move(call),
                     [=, &memory] { memory.poison(y, bytes); },
                     [=, &memory] {
                       return holds_in_places(
                           count, [&](size_t i) { return is_filtered(memory.read(y, i), i); });
                     }});
  };
  offer("filter", [=] { filter(y, x, n, kTaps); });
  if (setting.all) offer("filter_global", [=] { filter_global(y, x, n, taps, kTaps); });
}
