// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rubric/settings.h"

namespace warpgrade {

/// A rubric's text as students get it: public cases, the items that they judge, no comments, and
/// under `hidden_points` what the other items are worth. `text` must be a right rubric; `name` stands
/// for it in the Error.
Result<std::string> public_rubric(std::string_view text, std::string_view name);

/// course.yaml as students get it: devices and limits, by which their programs run as they will in
/// grading. No dates, and nobody's extension.
std::string public_course(const Course& course);

}  // namespace warpgrade
