// SPDX-License-Identifier: MIT
#include "base/moment.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

long seconds_of(std::string_view text) {
  const std::optional<Moment> moment = Moment::parse(text);
  return moment ? moment->seconds : -1;
}

TEST(Moment, IsTheSameInEveryTimeZone) {
  // date -u -d 2026-10-05T21:59 +%s
  EXPECT_EQ(seconds_of("2026-10-05 23:59 +02:00"), 1791237540);
  EXPECT_EQ(seconds_of("2026-10-05T21:59Z"), 1791237540);
  EXPECT_EQ(seconds_of("2026-10-05T21:59:00+00:00"), 1791237540);
  EXPECT_EQ(seconds_of("2026-10-05 12:29 -09:30"), 1791237540);
  EXPECT_EQ(seconds_of("1970-01-01 00:00 Z"), 0);
}

TEST(Moment, ComesBackAsItWasWritten) {
  for (const char* text : {"2026-10-05 23:59 +02:00", "2028-02-29 00:00 -05:00",
                           "2026-12-31 23:59:59 +05:45", "1970-01-01 00:30 +01:00"})
    EXPECT_EQ(Moment::parse(text)->format(), text);
}

TEST(Moment, RefusesWhatIsNoDateOrHasNoOffset) {
  for (const char* text :
       {"", "2026-10-05", "2026-10-05 23:59", "2026-10-05 24:00 Z", "2026-02-29 10:00 Z",
        "2026-13-01 10:00 Z", "2026-10-05 23:60 Z", "26-10-05 23:59 Z", "2026-10-05 23:59 CET",
        "2026-10-05 23:59 +2", "2026-10-05 23:59 +15:00", "2026-10-05 23:59 Z ",
        "2026/10/05 23:59 Z", "2026-10-05  23:59 Z", "2026-10-32 23:59 Z", "0000-10-05 23:59 Z"})
    EXPECT_FALSE(Moment::parse(text)) << text;
}

}  // namespace
}  // namespace warpgrade
