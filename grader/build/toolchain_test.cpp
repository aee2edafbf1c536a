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

TEST_F(ToolchainTest, AnNvccThatDoesNotWorkIsAnErrorThatNamesIt) {
  std::ofstream(folder_ / "nvcc") << "#!/bin/sh\nexit 3\n";
  fs::permissions(folder_ / "nvcc", fs::perms(0755));
  const Result<Toolchain> found = find_toolchain(sandbox_, "", folder_.string());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find((folder_ / "nvcc").string()), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
