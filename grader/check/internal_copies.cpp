// SPDX-License-Identifier: MIT
#include "check/internal_copies.h"

#include <algorithm>

namespace warpgrade {

const emulator::DeviceModel* model_of(const Trace& trace, int device) {
  const auto index = static_cast<size_t>(device);
  if (index >= trace.devices.size()) return nullptr;
  const std::string& name = trace.devices[index].name;
  const auto& models = emulator::device_table();
  const auto model =
      std::find_if(models.begin(), models.end(), [&](const emulator::DeviceModel& each) {
        return each.product_name == name || each.name == name;
      });
  return model == models.end() ? nullptr : &*model;
}

double internal_copies_ms(const Trace& trace, const std::string& range) {
  if (!trace.is_counted()) return 0;
  double ms = 0;
  for (const ApiCall& call : trace.calls) {
    if (call.range != range) continue;
    for (const Transfers& each : call.transfers) ms += each.are_internal() ? each.ms : 0;
  }
  return ms;
}

}  // namespace warpgrade
