// SPDX-License-Identifier: MIT
#include "emulator/runtime/settings.h"

#include <gtest/gtest.h>

#include <map>

namespace warpgrade::emulator {
namespace {

Result<Settings> read(const std::map<std::string, std::string>& environment) {
  return read_settings([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(ReadSettings, DefaultsToOneRtx3090WithAllCheckersButPadding) {
  const auto settings = read({});
  ASSERT_TRUE(settings.ok());
  ASSERT_EQ(settings->devices.size(), 1u);
  EXPECT_EQ(settings->devices[0].name, "RTX 3090");
  EXPECT_EQ(settings->check, all_checkers());
}

// A program built for newer devices only runs without a word about devices, too.
TEST(ReadSettings, PicksADeviceThatCanRunTheProgramWhereNoneIsNamed) {
  const auto unset = [](const char*) -> const char* { return nullptr; };
  EXPECT_EQ(read_settings(unset, 86)->devices[0].name, "RTX 3090");
  EXPECT_EQ(read_settings(unset, 89)->devices[0].name, "RTX 4090");
  EXPECT_EQ(read_settings(unset, 90)->devices[0].name, "H100");
  EXPECT_EQ(read_settings(unset, 120)->devices[0].name, "RTX 3090");
  const auto named = [](const char* name) -> const char* {
    return std::string_view(name) == "WARPGRADE_DEVICES" ? "T4" : nullptr;
  };
  EXPECT_EQ(read_settings(named, 90)->devices[0].name, "T4");
}

TEST(ReadSettings, KeepsTheOrderOfDevices) {
  const auto settings = read({{"WARPGRADE_DEVICES", "H100, T4"}});
  ASSERT_EQ(settings->devices.size(), 2u);
  EXPECT_EQ(settings->devices[0].sm(), 90);
  EXPECT_EQ(settings->devices[1].sm(), 75);
}

TEST(ReadSettings, NamesTheDevicesThatThereAre) {
  EXPECT_EQ(read({{"WARPGRADE_DEVICES", "H10"}}).error().message,
            "WARPGRADE_DEVICES=H10: write names out of T4, V100, A100, RTX 3090, RTX 4090, H100, "
            "H200");
}

TEST(ReadSettings, ShowsAProgramTheDevicesThatItsUserNames) {
  const std::string three = "H100,T4,V100";
  const auto visible = [&](const char* list, const char* graded = "0") {
    return read({{"WARPGRADE_DEVICES", three},
                 {"CUDA_VISIBLE_DEVICES", list},
                 {"WARPGRADE_GRADED", graded}})
        ->visible;
  };
  EXPECT_EQ(read({{"WARPGRADE_DEVICES", three}})->visible, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(visible("2,0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(visible("0,2,-1,1"), (std::vector<int>{0, 2}));
  EXPECT_EQ(visible("0,,2"), (std::vector<int>{0}));
  EXPECT_EQ(visible("2,1,2"), (std::vector<int>{}));
  EXPECT_EQ(visible(""), (std::vector<int>{}));
  EXPECT_EQ(visible("GPU-03,0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(visible("GPU-0"), (std::vector<int>{}));
  EXPECT_EQ(visible("1", "1"), (std::vector<int>{0, 1, 2}));
}

TEST(ReadSettings, TurnsEveryCheckerOff) {
  const auto settings = read({{"WARPGRADE_CHECK", "none"}});
  EXPECT_EQ(settings->check, Checkers{});
}

TEST(ReadSettings, RefusesWhatIsNoNumber) {
  EXPECT_EQ(read({{"WARPGRADE_THREADS", "4x"}}).error().message,
            "WARPGRADE_THREADS=4x: write a number");
}

TEST(ReadSettings, LeavesTheExitCodeToTheProgramUnlessToldOtherwise) {
  EXPECT_EQ(read({})->error_exit_code, 0);
  EXPECT_EQ(read({{"WARPGRADE_ERROR_EXITCODE", "9"}})->error_exit_code, 9);
}

TEST(ReadSettings, AsksThePtxasOfPathUnlessToldOtherwise) {
  EXPECT_EQ(read({})->ptxas, "ptxas");
  EXPECT_EQ(read({{"WARPGRADE_PTXAS", "none"}})->ptxas, "none");
}

TEST(ReadSettings, KeepsItsCacheWhereTheUserKeepsCaches) {
  EXPECT_EQ(read({})->cache_folder, "");
  EXPECT_EQ(read({{"HOME", "/ann"}})->cache_folder, "/ann/.cache/warpgrade");
  EXPECT_EQ(read({{"HOME", "/ann"}, {"XDG_CACHE_HOME", "/fast"}})->cache_folder, "/fast/warpgrade");
}

}  // namespace
}  // namespace warpgrade::emulator
