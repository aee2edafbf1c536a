// SPDX-License-Identifier: MIT
#include "observe/timing/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "observe/timing/estimate.h"

namespace warpgrade {
namespace {

// NVML's names for them: HwSlowdown, SwThermalSlowdown, HwThermalSlowdown, HwPowerBrakeSlowdown.
constexpr uint64_t kHeat = 0x20 | 0x40, kHardware = 0x8 | 0x80, kPowerCap = 0x4;
constexpr uint64_t kThrottled = kHeat | kHardware;
// Two of the watch's readings: what lies further from a sample says nothing about it.
constexpr int64_t kNextReadingNs = 20'000'000;
constexpr int64_t kLastReadingNs = 1'000'000'000;
constexpr double kMilliwattsPerWatt = 1000;

template <class T, class... Base>
bool read_number(const std::string& word, T& into, Base... base) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, into, base...);
  return error == std::errc() && stop == end;
}

bool read_line(const std::string& line, ClockReading& reading) {
  const std::vector<std::string> words = split(std::string(trim(line)), ' ');
  if (words.size() != 6) return false;
  const std::string& mask = words[1];
  return read_number(words[0], reading.at_ns) &&
         read_number(mask.starts_with("0x") ? mask.substr(2) : mask, reading.reasons, 16) &&
         read_number(words[2], reading.sm_mhz) && read_number(words[3], reading.memory_mhz) &&
         read_number(words[4], reading.temperature_c) && read_number(words[5], reading.power_mw);
}

template <class Field>
std::vector<double> all_of(const std::vector<ClockReading>& readings, Field field) {
  std::vector<double> values;
  for (const ClockReading& reading : readings) values.push_back(reading.*field);
  return values;
}

double part_with(const std::vector<ClockReading>& readings, uint64_t reasons) {
  const auto with =
      std::count_if(readings.begin(), readings.end(),
                    [&](const ClockReading& reading) { return (reading.reasons & reasons) != 0; });
  return static_cast<double>(with) / static_cast<double>(readings.size());
}

}  // namespace

std::vector<ClockReading> parse_watch(std::string_view text) {
  std::vector<ClockReading> readings;
  const size_t end = text.rfind('\n');
  if (end == std::string_view::npos) return readings;
  for (const std::string& line : split(text.substr(0, end), '\n')) {
    ClockReading reading;
    if (read_line(line, reading)) readings.push_back(reading);
  }
  std::sort(readings.begin(), readings.end(),
            [](const ClockReading& a, const ClockReading& b) { return a.at_ns < b.at_ns; });
  return readings;
}

std::string why_throttled(const TimeSample& sample, const std::vector<ClockReading>& readings) {
  const auto after_start =
      std::upper_bound(readings.begin(), readings.end(), sample.start_ns,
                       [](int64_t at, const ClockReading& reading) { return at < reading.at_ns; });
  auto from = after_start;
  if (from != readings.begin() && sample.start_ns - std::prev(from)->at_ns <= kLastReadingNs)
    --from;
  uint64_t reasons = 0;
  for (auto each = from; each != readings.end(); ++each) {
    if (each->at_ns > sample.end_ns + kNextReadingNs) break;
    reasons |= each->reasons;
    if (each->at_ns > sample.end_ns) break;
  }
  if ((reasons & kThrottled) == 0) return "";
  return fmt::format("the GPU was throttled by {}",
                     (reasons & kHeat) != 0 ? "heat" : "its hardware");
}

ClockSummary summary_of(const std::vector<ClockReading>& readings) {
  ClockSummary summary;
  if (readings.empty()) return summary;
  const std::vector<double> sm_mhz = all_of(readings, &ClockReading::sm_mhz);
  const std::vector<double> heat = all_of(readings, &ClockReading::temperature_c);
  const std::vector<double> power = all_of(readings, &ClockReading::power_mw);
  summary.readings = static_cast<int>(readings.size());
  summary.least_sm_mhz = *std::min_element(sm_mhz.begin(), sm_mhz.end());
  summary.median_sm_mhz = median(sm_mhz);
  summary.most_sm_mhz = *std::max_element(sm_mhz.begin(), sm_mhz.end());
  summary.median_memory_mhz = median(all_of(readings, &ClockReading::memory_mhz));
  summary.most_temperature_c = *std::max_element(heat.begin(), heat.end());
  summary.most_power_w = *std::max_element(power.begin(), power.end()) / kMilliwattsPerWatt;
  summary.throttled_part = part_with(readings, kThrottled);
  summary.power_capped_part = part_with(readings, kPowerCap);
  return summary;
}

}  // namespace warpgrade
