// SPDX-License-Identifier: MIT
#include "check/internal_copies.h"

#include <algorithm>

#include "observe/work.h"

namespace warpgrade {
namespace {

/// What memory has to move for one byte of the call: a copy reads and writes it, a fill writes it. 0 for what does not
/// stay within devices.
int moves_of(const ApiCall& call) {
  if (call.name.starts_with("cudaMemset")) return 1;
  return call.text("direction") == "DtoD" ? 2 : 0;
}

}  // namespace

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
    const int moves = moves_of(call);
    if (call.range != range || moves == 0 || call.result != 0 || call.args.contains("captured"))
      continue;
    const uint64_t bytes = bytes_of(call);
    const emulator::DeviceModel* const model = model_of(trace, call.device);
    if (bytes == 0 || model == nullptr) continue;
    ms += kLeastLaunchMs + moves * static_cast<double>(bytes) / model->bytes_per_ms();
  }
  return ms;
}

}  // namespace warpgrade
