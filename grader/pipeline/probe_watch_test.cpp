// SPDX-License-Identifier: MIT
#include "pipeline/probe_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/clock.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

class ProbeWatchTest : public testing::Test {
 protected:
  /// A program in the place of gpu-probe.
  fs::path script(const std::string& text) {
    const fs::path path = workspace_->folder() / "probe";
    std::ofstream(path) << "#!/bin/sh\n" << text;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static std::vector<ClockReading> some_readings(ProbeWatch& watch) {
    RealClock clock;
    for (int i = 0; i < 500 && watch.readings().empty(); ++i)
      clock.sleep(std::chrono::milliseconds(10));
    return watch.readings();
  }
  long ms_since_start() const { return (RealClock().now() - start_).count(); }

  std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  const std::chrono::milliseconds start_ = RealClock().now();
};

TEST_F(ProbeWatchTest, ReadsWhatTheProbeSaysOfTheGpu) {
  ProbeWatch watch(
      script("test \"$1 $2\" = 'watch GPU-1' && echo 5000 40 1200 2600 80 700000; cat"), "GPU-1");
  const std::vector<ClockReading> readings = some_readings(watch);
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].at_ns, 5000);
  EXPECT_EQ(readings[0].reasons, 0x40u);
}

TEST_F(ProbeWatchTest, IsNotHeldUpByAProbeThatHangs) {
  {
    ProbeWatch watch(script("trap '' TERM; sleep 60 & wait"), "GPU-1");
    EXPECT_TRUE(watch.readings().empty());
  }
  EXPECT_LT(ms_since_start(), 10'000);
}

TEST_F(ProbeWatchTest, HasNoReadingsWhereThereIsNoProbe) {
  ProbeWatch watch("/nowhere/gpu-probe", "GPU-1");
  EXPECT_TRUE(watch.readings().empty());
}

}  // namespace
}  // namespace warpgrade
