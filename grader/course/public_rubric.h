// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "rubric/settings.h"
#include "rubric/translation.h"

namespace warpgrade {

/// A rubric's text as students get it: public cases, the items that they judge, no comments, and
/// under `hidden_points` what the other items are worth. `text` must be a right rubric; `name` stands
/// for it in the Error. With the translation's titles and hints, where there is one.
Result<std::string> public_rubric(std::string_view text, std::string_view name,
                                  const Translation* translation = nullptr);

/// course.yaml as students get it: language, devices and limits, by which their programs run as they
/// will in grading. It holds neither dates nor extensions.
std::string public_course(const Course& course, const std::string& language);

}  // namespace warpgrade
