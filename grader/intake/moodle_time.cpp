// SPDX-License-Identifier: MIT
#include "intake/moodle_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string>
#include <vector>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr std::array kMonths = {"January",   "February", "March",    "April",
                                "May",       "June",     "July",     "August",
                                "September", "October",  "November", "December"};
constexpr std::array kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                              "Friday", "Saturday", "Sunday"};
constexpr int kFirstYear = 1970, kLastYear = 2999, kNoon = 12;

/// What has been read of a time; -1 is what was not.
struct Parts {
  int year = -1, month = -1, day = -1, hour = -1, minute = -1;
  std::string half;  ///< "AM" or "PM"; empty by a clock of 24 hours
};

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = failed == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

bool read_clock(std::string_view word, Parts& parts) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos || parts.hour >= 0) return false;
  const std::optional<int> hour = whole_number(word.substr(0, colon)),
                           minute = whole_number(word.substr(colon + 1));
  if (!hour || !minute || *hour >= 2 * kNoon || *minute >= 60) return false;
  parts.hour = *hour;
  parts.minute = *minute;
  return true;
}

bool read_number(std::string_view word, Parts& parts) {
  const std::optional<int> value = whole_number(word);
  if (!value) return false;
  const bool is_year = *value >= kFirstYear && *value <= kLastYear;
  int& part = is_year ? parts.year : parts.day;
  if (part >= 0 || (!is_year && (*value < 1 || *value > 31))) return false;
  part = *value;
  return true;
}

bool read_word(const std::string& word, Parts& parts) {
  const auto month = std::find(kMonths.begin(), kMonths.end(), word);
  if (month != kMonths.end() && parts.month < 0) {
    parts.month = static_cast<int>(month - kMonths.begin());
    return true;
  }
  if ((word == "AM" || word == "PM") && parts.half.empty()) {
    parts.half = word;
    return true;
  }
  return std::find(kDays.begin(), kDays.end(), word) != kDays.end() || read_clock(word, parts) ||
         read_number(word, parts);
}

/// The hour by a clock of 24 hours; nothing where AM or PM does not fit it.
std::optional<int> hour_of(const Parts& parts) {
  if (parts.half.empty()) return parts.hour;
  if (parts.hour < 1 || parts.hour > kNoon) return std::nullopt;
  return parts.hour % kNoon + (parts.half == "PM" ? kNoon : 0);
}

}  // namespace

std::optional<Moment> parse_moodle_time(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', ' ');
  Parts parts;
  for (const std::string& word : split(plain, ' ')) {
    if (!word.empty() && !read_word(word, parts)) return std::nullopt;
  }
  const std::optional<int> hour = hour_of(parts);
  if (parts.year < 0 || parts.month < 0 || parts.day < 0 || parts.hour < 0 || !hour)
    return std::nullopt;
  tm local{};
  local.tm_year = parts.year - 1900;
  local.tm_mon = parts.month;
  local.tm_mday = parts.day;
  local.tm_hour = *hour;
  local.tm_min = parts.minute;
  local.tm_isdst = -1;
  const time_t seconds = ::mktime(&local);
  // mktime makes 1 November of 31 October's morrow.
  if (local.tm_mday != parts.day) return std::nullopt;
  return Moment{seconds, static_cast<int>(local.tm_gmtoff / 60)};
}

}  // namespace warpgrade
