// SPDX-License-Identifier: MIT
#include "run/foreground.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testing/fake_files.h"

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

TEST(RunsOn, TakesTheRuntimeThatWeStandInFor) {
  FakeFiles files;
  files.contents["/wg/libcudart.so.13"] = "";
  const fs::path ours = "/wg/libcudart.so.13";
  EXPECT_TRUE(runs_on(files, "saxpy", {"libcudart.so.13", "libc.so.6"}, ours).ok());
  EXPECT_EQ(runs_on(files, "saxpy", {"libc.so.6"}, ours).error().message,
            "saxpy does not use the shared CUDA runtime: build with nvcc -cudart shared");
  EXPECT_EQ(
      runs_on(files, "saxpy", {"libcudart.so.12"}, ours).error().message,
      "saxpy uses libcudart.so.12, and the emulated device is libcudart.so.13: build with that "
      "CUDA");
  EXPECT_EQ(runs_on(FakeFiles(), "saxpy", {"libcudart.so.13"}, ours).error().message,
            "/wg/libcudart.so.13 is missing");
}

TEST(WithoutGpu, NamesALibraryThatTheEmulatedDeviceIsNotFor) {
  EXPECT_EQ(without_gpu("gemm", {"libcudart.so.13", "libcublas.so.13", "libcurand.so.10"}),
            "gemm uses libcublas.so.13, which needs a GPU: of CUDA, the runtime API is emulated");
  EXPECT_EQ(without_gpu("drv", {"libcuda.so.1"}),
            "drv uses libcuda.so.1, which needs a GPU: of CUDA, the runtime API is emulated");
  EXPECT_EQ(without_gpu("saxpy", {"libcudart.so.13", "libc.so.6", "libcudadevrt.so"}), "");
}

}  // namespace
}  // namespace warpgrade
