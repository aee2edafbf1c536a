// SPDX-License-Identifier: MIT
#include "run/foreground.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgrade {
namespace {

TEST(NeededLibraries, ReadsThemFromAProgram) {
  const Result<std::vector<std::string>> libraries =
      needed_libraries(RealFiles(), "/proc/self/exe");
  ASSERT_TRUE(libraries.ok()) << libraries.error().message;
  EXPECT_EQ(std::count(libraries->begin(), libraries->end(), "libc.so.6"), 1);
}

TEST(NeededLibraries, RefusesWhatIsNoProgram) {
  EXPECT_EQ(needed_libraries(RealFiles(), "/etc/passwd").error().message,
            "/etc/passwd is not a 64-bit Linux program");
  EXPECT_FALSE(needed_libraries(RealFiles(), "/no/such/program").ok());
}

}  // namespace
}  // namespace warpgrade
