// SPDX-License-Identifier: MIT
#include "rubric/check_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/model/device_table.h"

namespace warpgrade {
namespace {

constexpr int kMostMajor = 99, kMostMinor = 99;

bool accepts_any(const Requires& wanted) {
  for (int major = 1; major <= kMostMajor; ++major) {
    for (int minor = 0; minor <= kMostMinor; ++minor) {
      if (accepts(wanted, major, minor)) return true;
    }
  }
  return false;
}

bool accepts_one_of(const Requires& wanted, const std::vector<std::string>& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](const std::string& name) {
    const emulator::DeviceModel* model = emulator::find_device_model(name);
    return model != nullptr && accepts(wanted, model->major, model->minor);
  });
}

/// "T4 (7.5), H100 (9.0)"
std::string with_capabilities(const std::vector<std::string>& devices) {
  std::string text;
  for (const std::string& name : devices) {
    const emulator::DeviceModel* model = emulator::find_device_model(name);
    if (model != nullptr)
      text +=
          fmt::format("{}{} ({}.{})", text.empty() ? "" : ", ", name, model->major, model->minor);
  }
  return text;
}

/// A case may have further devices beside one that will do: programs choose among them.
void check_emulated(const Rubric& rubric, const Yaml& root, const Yaml& place,
                    Diagnostics& errors) {
  const auto check = [&](const std::vector<std::string>& devices, const std::string& whose,
                         const Yaml& at) {
    if (devices.empty() || accepts_one_of(rubric.required, devices)) return;
    errors.add(at.place,
               fmt::format("{} {}, and 'requires' wants {}; name a device that meets it", whose,
                           with_capabilities(devices), describe_devices(rubric.required)));
  };
  const Yaml* own = root.find("devices");
  check(rubric.devices, "the emulated devices are", own == nullptr ? place : *own);
  const Yaml* cases = root.find("cases");
  for (size_t i = 0; i < rubric.cases.size() && i < cases->elements.size(); ++i) {
    const Case& each = rubric.cases[i];
    if (const Yaml* devices = cases->elements[i].find("devices"))
      check(each.devices, fmt::format("case '{}' runs on", each.id), *devices);
  }
}

bool is_timed(const Rubric& rubric, const std::string& case_id) {
  return std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return item.kind == ItemKind::kPerformance &&
           std::find(item.cases.begin(), item.cases.end(), case_id) != item.cases.end();
  });
}

void check_gpu_sizes(const Rubric& rubric, const Yaml& cases, Diagnostics& errors) {
  for (size_t i = 0; i < rubric.cases.size() && i < cases.elements.size(); ++i) {
    const Yaml* on_gpu = cases.elements[i].find("on_gpu");
    if (on_gpu == nullptr || is_timed(rubric, rubric.cases[i].id)) continue;
    errors.add(on_gpu->place, fmt::format("case '{}' is never timed, so 'on_gpu' has no use; judge "
                                          "a performance item by the case, or remove it",
                                          rubric.cases[i].id));
  }
}

}  // namespace

void check_devices(const Rubric& rubric, const Yaml& root, Diagnostics& errors) {
  // Where something else is wrong, what is left of the lists says nothing.
  if (!errors.empty()) return;
  check_gpu_sizes(rubric, *root.find("cases"), errors);
  const Yaml* wanted = root.find("requires");
  if (wanted == nullptr) return;
  if (!accepts_any(rubric.required)) {
    errors.add(wanted->place, fmt::format("no device is {}; widen 'compute_capability' or change "
                                          "'major'",
                                          describe_devices(rubric.required)));
  } else {
    check_emulated(rubric, root, *wanted, errors);
  }
}

}  // namespace warpgrade
