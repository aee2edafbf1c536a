// SPDX-License-Identifier: MIT
#include "observe/tool_command.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(ToolFolder, IsThatOfTheWholeInstallation) {
  EXPECT_EQ(
      tool_folder("/opt/nvidia/nsight-compute/2025.3.1/target/linux-desktop-glibc_2_11_3-x64/ncu"),
      "/opt/nvidia/nsight-compute/2025.3.1");
  EXPECT_EQ(tool_folder("/opt/nvidia/nsight-compute/2025.3.1/ncu"),
            "/opt/nvidia/nsight-compute/2025.3.1");
  EXPECT_EQ(tool_folder("/cuda/nsight-compute-2025.3.1/target/x/ncu"),
            "/cuda/nsight-compute-2025.3.1");
  EXPECT_EQ(tool_folder("/cuda/compute-sanitizer/compute-sanitizer"), "/cuda/compute-sanitizer");
  EXPECT_EQ(tool_folder("/somewhere/bin/ncu"), "/somewhere/bin");
}

TEST(MakeRoomForTool, LeavesCudasPlacesForToolsFree) {
  Command command;
  command.environment = {
      {"CUDA_INJECTION64_PATH", "/lib.so"}, {"NVTX_INJECTION64_PATH", "/lib.so"}, {"LC_ALL", "C"}};
  make_room_for_tool("/opt/nvidia/nsight-compute/2025.3.1/ncu", "/box/log", command);
  EXPECT_EQ(command.environment, (std::map<std::string, std::string>{{"LC_ALL", "C"},
                                                                     {"PATH", "/usr/bin:/bin"},
                                                                     {"HOME", "/box/log"},
                                                                     {"TMPDIR", "/box/log"}}));
  ASSERT_FALSE(command.readable.empty());
  EXPECT_EQ(command.readable.front(), "/opt/nvidia/nsight-compute/2025.3.1");
  EXPECT_TRUE(command.loopback);
}

TEST(LastSaid, IsTheErrorsOrElseTheLastLines) {
  EXPECT_EQ(last_said(""), "");
  EXPECT_EQ(last_said("one\n\ntwo\n three\nfour\n"), "two / three / four");
  EXPECT_EQ(last_said("==PROF== begun\n==ERROR== cannot lock /tmp/x\nthe program's own words\n"),
            "==ERROR== cannot lock /tmp/x");
}

}  // namespace
}  // namespace warpgrade
