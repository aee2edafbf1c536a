// SPDX-License-Identifier: MIT
#include "emulator/model/device_table.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warpgrade::emulator {

// Compute-capability limits: CUDA C++ Programming Guide, table of technical specifications. Sizes,
// clocks and buses: what cudaGetDeviceProperties and cudaDeviceGetAttribute report on such a card.
const std::vector<DeviceModel>& device_table() {
  // clang-format off
  static const std::vector<DeviceModel> table = {
    // name      product name               cc    memory         SMs  thr/SM blk  sh/SM   sh/block res.  L2        bus   clock    memory    ECC
    {"T4",       "Tesla T4",                7, 5, 15843721216u,  40,  1024,  16,  65536,  65536,   0,    4194304,  256,  1590000, 5001000,  true},
    {"V100",     "Tesla V100-SXM2-16GB",    7, 0, 16945512448u,  80,  2048,  32,  98304,  98304,   0,    6291456,  4096, 1530000, 877000,   true},
    {"A100",     "NVIDIA A100-SXM4-40GB",   8, 0, 42505273344u,  108, 2048,  32,  167936, 166912,  1024, 41943040, 5120, 1410000, 1215000,  true},
    {"RTX 3090", "NVIDIA GeForce RTX 3090", 8, 6, 25447170048u,  82,  1536,  16,  102400, 101376,  1024, 6291456,  384,  1695000, 9751000,  false},
    {"RTX 4090", "NVIDIA GeForce RTX 4090", 8, 9, 25393692672u,  128, 1536,  24,  102400, 101376,  1024, 75497472, 384,  2520000, 10501000, false},
    {"H100",     "NVIDIA H100 80GB HBM3",   9, 0, 85017493504u,  132, 2048,  32,  233472, 232448,  1024, 52428800, 5120, 1980000, 2619000,  true},
    {"H200",     "NVIDIA H200",             9, 0, 150109880320u, 132, 2048,  32,  233472, 232448,  1024, 62914560, 6016, 1980000, 3201000,  true},
  };
  // clang-format on
  return table;
}

namespace {

/// Capital letters, without blanks.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char letter : name) {
    if (letter != ' ')
      letters += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return letters;
}

}  // namespace

const DeviceModel* find_device_model(std::string_view name) {
  const auto& table = device_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const DeviceModel& model) {
    return plain(model.name) == plain(name);
  });
  return found == table.end() ? nullptr : &*found;
}

std::string device_model_names() {
  std::vector<std::string> names;
  for (const DeviceModel& model : device_table()) names.emplace_back(model.name);
  return join(names, ", ");
}

}  // namespace warpgrade::emulator
