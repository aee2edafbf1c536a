// SPDX-License-Identifier: MIT
#include "base/moment.h"

#include <fmt/format.h>

#include <cctype>
#include <chrono>

#include "base/text.h"

namespace warpgrade {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr long kMinuteSeconds = 60;
constexpr long kHourSeconds = 3600;
constexpr long kDaySeconds = 86400;
constexpr int kMostOffsetHours = 14;  // Kiribati

/// Takes a text from left to right; fails once, and from then on always.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Exactly `digits` digits.
  int number(size_t digits, int least, int most) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      const bool is_digit = i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i]));
      if (!is_digit) return fail();
      value = 10 * value + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return value < least || value > most ? fail() : value;
  }

  /// True, and past it, where one of `wanted` comes next.
  bool take(std::string_view wanted) {
    if (text_.empty() || wanted.find(text_[0]) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(std::string_view wanted) {
    if (!take(wanted)) fail();
  }

  char next() const { return text_.empty() ? '\0' : text_[0]; }
  bool done() const { return ok_ && text_.empty(); }

 private:
  int fail() {
    ok_ = false;
    text_ = {};
    return 0;
  }

  std::string_view text_;
  bool ok_ = true;
};

int scan_offset(Scanner& scanner) {
  scanner.take(" ");
  if (scanner.take("Z")) return 0;
  const bool is_west = scanner.next() == '-';
  scanner.expect("+-");
  const int hours = scanner.number(2, 0, kMostOffsetHours);
  scanner.expect(":");
  const int minutes = 60 * hours + scanner.number(2, 0, 59);
  return is_west ? -minutes : minutes;
}

}  // namespace

std::optional<Moment> Moment::parse(std::string_view text) {
  Scanner scanner(text);
  const int year = scanner.number(4, 1970, 2999);
  scanner.expect("-");
  const auto month = static_cast<unsigned>(scanner.number(2, 1, 12));
  scanner.expect("-");
  const auto day = static_cast<unsigned>(scanner.number(2, 1, 31));
  scanner.expect(" T");
  long seconds = kHourSeconds * scanner.number(2, 0, 23);
  scanner.expect(":");
  seconds += kMinuteSeconds * scanner.number(2, 0, 59);
  if (scanner.take(":")) seconds += scanner.number(2, 0, 59);
  const int offset = scan_offset(scanner);
  const year_month_day date{std::chrono::year(year), std::chrono::month(month),
                            std::chrono::day(day)};
  if (!scanner.done() || !date.ok()) return std::nullopt;
  const long days = sys_days(date).time_since_epoch().count();
  return Moment{days * kDaySeconds + seconds - offset * kMinuteSeconds, offset};
}

std::string Moment::format() const {
  const long local = seconds + offset_minutes * kMinuteSeconds;
  const long days = local / kDaySeconds - (local % kDaySeconds < 0 ? 1 : 0);
  const long of_day = local - days * kDaySeconds;
  const year_month_day date{sys_days(std::chrono::days(days))};
  std::string out =
      fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  of_day / kHourSeconds, of_day % kHourSeconds / kMinuteSeconds);
  if (of_day % kMinuteSeconds != 0) out += fmt::format(":{:02}", of_day % kMinuteSeconds);
  const int offset = offset_minutes < 0 ? -offset_minutes : offset_minutes;
  return out +
         fmt::format(" {}{:02}:{:02}", offset_minutes < 0 ? '-' : '+', offset / 60, offset % 60);
}

}  // namespace warpgrade
