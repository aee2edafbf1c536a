// SPDX-License-Identifier: MIT
#include "build/toolchain.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

/// With the real nvcc: what matters is what it says of itself.
class ToolchainTest : public testing::Test {
 protected:
  void SetUp() override {
    real_ = find_toolchain(sandbox_, "", std::getenv("PATH"));
    ASSERT_TRUE(real_) << real_.error().message;
    std::string name = "/tmp/warpgrade-toolchain-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  const LocalSandbox sandbox_{SandboxBackend::kNone};
  Result<Toolchain> real_{Error{"not looked for"}};
  fs::path folder_;
};

TEST_F(ToolchainTest, TheRootHoldsTheHeadersAndTheLibrary) {
  EXPECT_TRUE(fs::exists(real_->root / "include" / "cuda_runtime_api.h"));
  EXPECT_TRUE(fs::exists(real_->root / "lib64" / "libcudart.so"));
  EXPECT_TRUE(fs::exists(real_->nvcc()));
}

TEST_F(ToolchainTest, AScriptThatCallsNvccLeadsToTheSameRoot) {
  std::ofstream(folder_ / "nvcc") << "#!/bin/sh\nexec " << real_->nvcc().string() << " \"$@\"\n";
  fs::permissions(folder_ / "nvcc", fs::perms(0755));
  const Result<Toolchain> found = find_toolchain(sandbox_, "", folder_.string());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->root, real_->root);
}

TEST_F(ToolchainTest, AToolkitThatIsHalfInstalledIsAnErrorThatNamesItsGaps) {
  for (const char* part : {"bin", "include", "lib64"}) fs::create_directory(folder_ / part);
  for (const char* part : {"bin/ptxas", "include/cuda_runtime.h"})
    std::ofstream(folder_ / part) << "\n";
  std::ofstream(folder_ / "bin/nvcc")
      << "#!/bin/sh\necho '#$ TOP=" << folder_.string() << "' >&2\necho 'Build cuda_13.0'\n";
  fs::permissions(folder_ / "bin/nvcc", fs::perms(0755));
  const Result<Toolchain> found = find_toolchain(sandbox_, folder_.string(), "");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "the CUDA Toolkit in " + fs::canonical(folder_).string() +
                " is not whole, it lacks nvvm/bin/cicc, lib64/libcudart.so: install the package "
                "cuda-toolkit-13-0, or let CUDA_HOME name a whole toolkit");
}

// As the packages of Debian and Ubuntu lie in /usr.
TEST_F(ToolchainTest, ADistributionsToolkitIsFoundByTheFolderOfItsLibdevice) {
  const fs::path own = folder_ / "lib/nvidia-cuda-toolkit",
                 libraries = folder_ / "lib/x86_64-linux-gnu";
  for (const fs::path& part :
       {folder_ / "bin", folder_ / "include", own / "bin", own / "libdevice", libraries})
    fs::create_directories(part);
  for (const fs::path& part : {folder_ / "bin/ptxas", folder_ / "include/cuda_runtime.h",
                               own / "bin/cicc", libraries / "libcudart.so"})
    std::ofstream(part) << "\n";
  std::ofstream(folder_ / "bin/nvcc")
      << "#!/bin/sh\necho '#$ NVVMIR_LIBRARY_DIR=" << own.string()
      << "/libdevice' >&2\necho 'Build cuda_11.8.r11.8/compiler.1'\n";
  fs::permissions(folder_ / "bin/nvcc", fs::perms(0755));
  const Result<Toolchain> found = find_toolchain(sandbox_, folder_.string(), "");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->root, fs::canonical(folder_));
  EXPECT_EQ(found->libraries, fs::canonical(libraries));
  fs::remove(own / "bin/cicc");
  EXPECT_NE(find_toolchain(sandbox_, folder_.string(), "")
                .error()
                .message.find("lacks nvvm/bin/cicc: install the package nvidia-cuda-toolkit"),
            std::string::npos);
}

/// What a compilation asks of a toolkit of that version.
std::pair<std::string, std::string> standard_and_library(const std::string& version) {
  const Toolchain toolchain{"/cuda", version, "", "/cuda/lib64"};
  return {toolchain.compile_argv("a.cu", "a.o", "include").at(1), toolchain.runtime_library()};
}

TEST(Toolchain, EachReleaseHasItsStandardAndItsRuntimeLibrary) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(standard_and_library("Build cuda_11.8.r11.8/compiler.31833905_0"),
            Pair("-std=c++17", "libcudart.so.11.0"));
  EXPECT_EQ(standard_and_library("Build cuda_12.4.r12.4/compiler.34097967_0"),
            Pair("-std=c++20", "libcudart.so.12"));
  EXPECT_EQ(standard_and_library("Build cuda_13.0.r13.0/compiler.36424714_0"),
            Pair("-std=c++20", "libcudart.so.13"));
  EXPECT_EQ((Toolchain{"", "Build cuda_11.8.r11.8/compiler.1", "", ""}).release(), "11.8");
  EXPECT_EQ((Toolchain{"", "something else", "", ""}).release(), "");
}

TEST_F(ToolchainTest, AnNvccThatDoesNotWorkIsAnErrorThatNamesIt) {
  std::ofstream(folder_ / "nvcc") << "#!/bin/sh\nexit 3\n";
  fs::permissions(folder_ / "nvcc", fs::perms(0755));
  const Result<Toolchain> found = find_toolchain(sandbox_, "", folder_.string());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find((folder_ / "nvcc").string()), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
