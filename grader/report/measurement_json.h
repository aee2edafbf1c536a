// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "report/measurement.h"

namespace warpgrade {

nlohmann::ordered_json to_json(const Measurement& measurement);
/// Throws what nlohmann::json throws where something is missing.
void from_json(const nlohmann::ordered_json& json, Measurement& measurement);

nlohmann::ordered_json to_json(const Speed& speed);
void from_json(const nlohmann::ordered_json& json, Speed& speed);

nlohmann::ordered_json to_json(const GpuHold& hold);
void from_json(const nlohmann::ordered_json& json, GpuHold& hold);

nlohmann::ordered_json to_json(const Disagreement& disagreement);
void from_json(const nlohmann::ordered_json& json, Disagreement& disagreement);
nlohmann::ordered_json to_json(const Unobserved& unobserved);
void from_json(const nlohmann::ordered_json& json, Unobserved& unobserved);

}  // namespace warpgrade
