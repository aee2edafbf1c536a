// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/moment.h"

namespace warpgrade {

/// A time as Moodle writes it in English, "Monday, 5 October 2026, 11:59 PM" or "Monday, October 5, 2026, 23:59", by the
/// clock of this machine's time zone. Nothing for any other text.
std::optional<Moment> parse_moodle_time(std::string_view text);

}  // namespace warpgrade
