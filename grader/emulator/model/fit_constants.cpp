// SPDX-License-Identifier: MIT
// Fits the time model's constants, or shows how far the model is from measured times.
//
//   fit_constants show WORK TIMES GROUP   one line a variant
//   fit_constants fit WORK TIMES          the constants that suit group "fit" best
//
// WORK is what WARPGRADE_MODEL_WORK wrote while the variants of that group ran once on the emulated
// H200; TIMES is measured/h200.csv. They are in the same order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "emulator/model/time_model.h"

namespace {

using namespace warpgrade;
using namespace warpgrade::emulator;

struct Sample {
  std::string ladder, variant;
  double measured_ms = 0;
  LaunchWork work;
};

std::vector<Sample> read_samples(const char* work_path, const char* times_path,
                                 const std::string& group) {
  std::vector<Sample> samples;
  std::ifstream times(times_path), works(work_path);
  for (std::string line; std::getline(times, line);) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 5 || cells[0] != group) continue;
    samples.push_back({cells[1], cells[2], std::stod(cells[3]), {}});
  }
  size_t index = 0;
  for (std::string line; std::getline(works, line) && index < samples.size(); ++index) {
    const nlohmann::json numbers = nlohmann::json::parse(line);
    visit_numbers(samples[index].work,
                  [&](const char* name, double& value) { value = numbers.at(name); });
  }
  if (index != samples.size()) throw std::runtime_error("WORK has fewer launches than TIMES");
  return samples;
}

double log_error(const Sample& sample, const DeviceModel& device, const ModelConstants& constants) {
  const double ms = estimate_time(sample.work, device, constants).ms;
  return std::log(ms / sample.measured_ms);
}

void show(const std::vector<Sample>& samples, const DeviceModel& device) {
  std::vector<double> errors;
  for (const Sample& sample : samples) {
    const TimeEstimate estimate = estimate_time(sample.work, device);
    const double error = estimate.ms / sample.measured_ms - 1;
    errors.push_back(std::abs(error));
    fmt::print("{:<16} {:<28} measured {:8.4f} error {:+5.0f} %  {}\n", sample.ladder,
               sample.variant, sample.measured_ms, 100 * error, in_words(estimate));
  }
  std::sort(errors.begin(), errors.end());
  fmt::print("median absolute error {:.0f} %\n", 100 * errors[errors.size() / 2]);
}

/// Absolute errors, so that what the model cannot know does not pull the constants.
double cost(const std::vector<Sample>& samples, const DeviceModel& device,
            const ModelConstants& constants) {
  double sum = 0;
  for (const Sample& sample : samples) sum += std::abs(log_error(sample, device, constants));
  return sum / static_cast<double>(samples.size());
}

/// Coordinate descent with steps that shrink.
void fit(const std::vector<Sample>& samples, const DeviceModel& device) {
  ModelConstants constants;
  double best = cost(samples, device, constants);
  fmt::print("mean absolute log error {:.4f}\n", best);
  for (double step = 1.5; step > 1.005; step = std::sqrt(step)) {
    for (bool better = true; better;) {
      better = false;
      visit_constants(constants, [&](const char*, double& value) {
        for (const double factor : {step, 1 / step}) {
          const double before = value;
          value *= factor;
          const double now = cost(samples, device, constants);
          if (now < best - 1e-6) {
            best = now;
            better = true;
          } else {
            value = before;
          }
        }
      });
    }
  }
  visit_constants(constants, [](const char* name, double value) {
    fmt::print("{:<24} {:.4g}\n", name, value);
  });
  fmt::print("mean absolute log error {:.4f}\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  const DeviceModel* device = find_device_model("H200");
  if (command == "show" && argc == 5)
    return show(read_samples(argv[2], argv[3], argv[4]), *device), 0;
  if (command == "fit" && argc == 4) return fit(read_samples(argv[2], argv[3], "fit"), *device), 0;
  fmt::print(stderr, "usage: fit_constants show WORK TIMES GROUP | fit WORK TIMES\n");
  return 2;
}
