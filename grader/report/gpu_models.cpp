// SPDX-License-Identifier: MIT
#include "report/gpu_models.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"

namespace warpgrade {

std::string gpu_model_of(const SubmissionResult& result) {
  return result.measurements.empty() ? "" : result.measurements.front().gpu.name;
}

std::string describe_mixed_models(const std::vector<SubmissionResult>& whole_class) {
  std::map<std::string, std::vector<std::string>> students;
  for (const SubmissionResult& result : whole_class) {
    if (const std::string model = gpu_model_of(result); !model.empty())
      students[model].push_back(result.student);
  }
  if (students.size() < 2) return {};
  std::vector<std::string> models;
  for (const auto& [model, names] : students) {
    models.push_back(
        fmt::format("{} ({}{})", model, names.front(),
                    names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : ""));
  }
  return fmt::format(
      "Speed was measured on GPUs of {} models: {}. Baselines were measured beside each "
      "submission, "
      "on the same GPU; still, other models favour other programs. --force measures all of them "
      "anew.",
      models.size(), join(models, ", "));
}

}  // namespace warpgrade
