// SPDX-License-Identifier: MIT
#include <histogram.h>

#include <memory>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

namespace {

struct Data {
  const char* name;
  Family family;
};

constexpr Data kData[] = {{"uniform", Family::kUniform},
                          {"equal", Family::kEqual},
                          {"two", Family::kTwo},
                          {"text", Family::kText},
                          {"runs", Family::kRuns}};

}  // namespace

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const size_t size = setting.choose<size_t>(50003, 1 << 26, 1 << 29);
  const auto offer = [&](const std::string& name, auto histogram, const Data& data) {
    auto* bytes = static_cast<uint8_t*>(memory.host(static_cast<int>(&data - kData), size));
    memory.fill(bytes, size, data.family);
    const auto counts = std::make_shared<std::vector<unsigned>>(kBins);
    tasks.push_back(
        {name + " " + data.name, static_cast<double>(size), 0.0,
         [=] { histogram(counts->data(), bytes, size, 256); }, [=] { counts->assign(kBins, ~0u); },
         [=, &data, &memory] { return *counts == memory.byte_counts(size, data.family); }});
  };
  const bool all = setting.all;
  for (const Data& data : kData) {
    const bool judged = data.family == Family::kUniform || data.family == Family::kEqual;
    if (all || judged) offer("shared", histogram_shared, data);
    if (all && judged) offer("global", histogram_global, data);
  }
}
