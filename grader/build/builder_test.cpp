// SPDX-License-Identifier: MIT
#include "build/builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "build/device_code.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

/// Builds for real: what matters here is what nvcc, g++ and the sandbox do together.
class BuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<Toolchain> toolchain =
        find_toolchain(LocalSandbox(SandboxBackend::kNone), "", std::getenv("PATH"));
    if (!toolchain) GTEST_SKIP() << toolchain.error().message;
    std::string name = "/tmp/warpgrade-builder-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::permissions(folder_, fs::perms(0711));
    builder_.emplace(sandbox_, *toolchain, BuildCache(folder_ / "cache"));
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  BuildPlace place(const char* name) const {
    fs::create_directory(folder_ / name);
    return {folder_ / name, 0, 60};
  }
  static SourceFile file(const std::string& text) {
    return {"answer.cu", text, {{"answer.h", "int answer();\n"}}};
  }

  BuildResult build(const char* place_name, const std::string& text) {
    const SourceFile driver{"driver.cu",
                            "#include \"answer.h\"\nint main() { return answer(); }\n",
                            {{"answer.h", "int answer();\n"}}};
    if (!driver_.valid()) {
      std::promise<Result<fs::path>> compiled;
      compiled.set_value(builder_->compile_driver(driver, place("driver")));
      driver_ = compiled.get_future().share();
    }
    return builder_->build(file(text), builder_->key_of(driver), driver_, place(place_name));
  }

  LocalSandbox sandbox_ = open_sandbox();
  fs::path folder_;
  std::optional<Builder> builder_;
  std::shared_future<Result<fs::path>> driver_;
};

TEST_F(BuilderTest, BuildsAndRemembersWhatTheCompilerSaid) {
  const std::string text =
      "#include \"answer.h\"\nint answer() {\n  int unused;\n  return 42;\n}\n";
  for (const char* name : {"first", "second"}) {
    const BuildResult result = build(name, text);
    ASSERT_EQ(result.status, BuildStatus::kBuilt) << result.reason;
    EXPECT_TRUE(fs::exists(result.program));
    EXPECT_EQ(result.warnings(), 1);
    EXPECT_EQ(to_string(result.diagnostics.at(0)),
              "answer.cu:3: warning: variable \"unused\" was declared but never referenced");
  }
  EXPECT_FALSE(fs::exists(folder_ / "second" / "source")) << "the second came from the cache";
}

TEST_F(BuilderTest, CompilesToTheCodeThatIsAskedForUnderAKeyOfItsOwn) {
  SourceFile source = file("__global__ void k() {}\nint answer() { return 1; }\n");
  const std::string plain_key = builder_->key_of(source);
  build("plain", source.text);
  source.code = {"sm_90", "compute_75", "compute_80"};
  EXPECT_NE(builder_->key_of(source), plain_key);
  const BuildResult result = builder_->build(source, "driver", driver_, place("code"));
  ASSERT_EQ(result.status, BuildStatus::kBuilt) << result.reason;
  EXPECT_EQ(*device_code_in(*RealFiles().read(result.program)),
            (std::vector<std::string>{"compute_75", "compute_80", "sm_90"}));
}

TEST_F(BuilderTest, TakesWhatAnotherMachineBuiltWithTheSameToolkit) {
  const SourceFile source = file("int answer() { return 1; }\n");
  const auto key_on = [&](const Toolchain& toolchain) {
    return Builder(sandbox_, toolchain, BuildCache("")).key_of(source);
  };
  const std::string key = key_on({"/opt/cuda", "Build cuda_13.0", "gold"});
  EXPECT_EQ(key_on({"/usr/local/cuda-13.0", "Build cuda_13.0", ""}), key);
  EXPECT_NE(key_on({"/opt/cuda", "Build cuda_13.1", "gold"}), key);
}

TEST_F(BuilderTest, RejectsWithTheFirstError) {
  EXPECT_EQ(build("a", "int answer() { return nothing; }\n").reason,
            "answer.cu:1: error: identifier \"nothing\" is undefined");
  EXPECT_EQ(build("b", "int other() { return 1; }\n").reason,
            "error: undefined reference to `answer()'");
  EXPECT_EQ(build("c", "#include \"/etc/passwd\"\nint answer() { return 1; }\n").reason,
            "answer.cu:1: error: /etc/passwd: No such file or directory");
}

TEST_F(BuilderTest, SeesNoFileOfAnotherBuild) {
  build("a", "int answer() { return 1; }\n");
  const std::string secret = (folder_ / "a" / "source" / "answer.cu").string();
  const BuildResult result = build("b", "#include \"" + secret + "\"\n");
  EXPECT_EQ(result.status, BuildStatus::kRejected);
  EXPECT_NE(result.reason.find("No such file or directory"), std::string::npos) << result.reason;
}

}  // namespace
}  // namespace warpgrade
