// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/result.h"

namespace warpgrade {

// What was seen of a program, as it stands in a result. Reading throws what nlohmann::json throws.

nlohmann::ordered_json to_json(const CaseFinding& each);
void from_json(const nlohmann::ordered_json& json, CaseFinding& each);

nlohmann::ordered_json to_json(const KernelRow& kernel);
void from_json(const nlohmann::ordered_json& json, KernelRow& kernel);

nlohmann::ordered_json to_json(const LineRow& row);
void from_json(const nlohmann::ordered_json& json, LineRow& row);

nlohmann::ordered_json to_json(const ProgramWork& work);
void from_json(const nlohmann::ordered_json& json, ProgramWork& work);

nlohmann::ordered_json to_json(const DrawnPlot& plot);
void from_json(const nlohmann::ordered_json& json, DrawnPlot& plot);

nlohmann::ordered_json to_json(const WrongOutput& output);
void from_json(const nlohmann::ordered_json& json, WrongOutput& output);

}  // namespace warpgrade
