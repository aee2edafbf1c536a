// SPDX-License-Identifier: MIT
#include "emulator/model/time_model.h"

#include <algorithm>
#include <string_view>

namespace warpgrade::emulator {
namespace {

constexpr double kLaunchMs = 0.002;
constexpr double kClockHz = 1.5e9;
constexpr double kIssuePerClock = 4;      // one instruction per scheduler
constexpr double kSectorsPerClock = 0.5;  // per SM: what DRAM sustains, not what the L1 could

}  // namespace

double modelled_ms(const std::map<std::string, double>& metrics, uint32_t sm_count) {
  const auto sum = [&](std::string_view prefix) {
    double total = 0;
    for (const auto& [name, value] : metrics) {
      if (std::string_view(name).starts_with(prefix)) total += value;
    }
    return total;
  };
  const double clocks = std::max({sum("ptx__inst_executed.sum") / kIssuePerClock,
                                  sum("l1tex__data_pipe_lsu_wavefronts_mem_shared"),
                                  sum("l1tex__t_sectors_pipe_lsu_mem_global") / kSectorsPerClock});
  return kLaunchMs + clocks / std::max(sm_count, 1u) / kClockHz * 1e3;
}

}  // namespace warpgrade::emulator
