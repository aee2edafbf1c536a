// SPDX-License-Identifier: MIT
#include <transpose.h>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

namespace {

struct Variant {
  const char* name;
  Launch launch;
  bool transposes;
};

constexpr Variant kVariants[] = {{"fast", transpose_32x8, true},
                                 {"copy", copy, false},
                                 {"naive", transpose_naive, true},
                                 {"coalesced", transpose_coalesced, true},
                                 {"no_conflicts", transpose_no_conflicts, true}};

}  // namespace

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int rows = setting.choose(67, 3584, 16384), columns = setting.choose(100, 3584, 16384);
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(columns);
  const size_t bytes = count * sizeof(float);
  auto* in = static_cast<float*>(memory.device(0, bytes));
  auto* out = static_cast<float*>(memory.device(1, bytes));
  memory.fill(in, count, 1);
  for (const Variant& variant : kVariants) {
    if (!setting.all && &variant != kVariants) continue;
    tasks.push_back({variant.name, 2.0 * static_cast<double>(bytes), 0.0,
                     [=] { variant.launch(out, in, rows, columns, 1); },
                     [=, &memory] { memory.poison(out, bytes); },
                     [=, &memory] {
                       return holds_in_places(count, [&](size_t i) {
                         const size_t row = i / static_cast<size_t>(columns);
                         const size_t column = i % static_cast<size_t>(columns);
                         const size_t to =
                             variant.transposes ? column * static_cast<size_t>(rows) + row : i;
                         return memory.read(out, to) == value_at(1, i);
                       });
                     }});
  }
}
