// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/rubric.h"
#include "rubric/yaml.h"

namespace warpgrade {

constexpr double kTotalPoints = 100;

template <class T>
std::vector<std::string> ids_of(const std::vector<T>& all) {
  std::vector<std::string> ids;
  for (const T& each : all) ids.push_back(each.id);
  return ids;
}

/// Reports an id that is none of `ids`.
bool check_known(const Yaml& id, std::string_view noun, const std::vector<std::string>& ids,
                 Diagnostics& errors);

/// What no item shows alone: the sum of the points, needs that lead nowhere or in a circle, speed of
/// what may be wrong. `items` is what the rubric's items were read from.
void check_items(const Rubric& rubric, const Yaml& items, Diagnostics& errors);

}  // namespace warpgrade
