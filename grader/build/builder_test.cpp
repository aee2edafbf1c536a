// SPDX-License-Identifier: MIT
#include "build/builder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "build/device_code.h"
#include "sandbox/local_sandbox.h"
#include "testing/best_sandbox.h"

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

  LocalSandbox sandbox_ = best_sandbox();
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
            (std::vector<std::string>{"compute_75", "compute_80", "sm_75", "sm_90"}));
}

TEST_F(BuilderTest, RejectsWhatNvccCompilesAndPtxasRefuses) {
  for (const char* text :
       {"__global__ void k(int* to) {\n  __shared__ int much[1 << 15];\n  much[threadIdx.x] = 1;\n"
        "  __syncthreads();\n  *to = much[*to];\n}\nint answer() { return 1; }\n",
        "extern __device__ int elsewhere(int);\n__global__ void k(int* to) { *to = elsewhere(*to); "
        "}\n"
        "int answer() { return 1; }\n"}) {
    const BuildResult result = build("refused", text);
    EXPECT_EQ(result.status, BuildStatus::kRejected) << text;
    EXPECT_NE(result.reason, "");
  }
}

TEST_F(BuilderTest, BuildsAnewWithADriverThatWasCompiledElsewhere) {
  const SourceFile source = file("int answer() { return 1; }\n");
  build("driver", source.text);
  builder_->build(source, "driver", driver_, place("first"));
  const fs::path other = folder_ / "other.o";
  fs::copy_file(*driver_.get(), other);
  std::ofstream(other, std::ios::app) << "its kernels have other names";
  std::promise<Result<fs::path>> compiled;
  compiled.set_value(other);
  builder_->build(source, "driver", compiled.get_future().share(), place("second"));
  EXPECT_TRUE(fs::exists(folder_ / "second" / "source")) << "the second came from the cache";
}

TEST_F(BuilderTest, CallsNvccForDriversThatNeedIt) {
  const auto compiler_of = [&](const char* name, const std::string& text) -> std::string {
    const SourceFile driver{"driver.cu", text, {}};
    const Result<fs::path> object = builder_->compile_driver(driver, place(name));
    if (!object) return object.error().message;
    return device_code_in(*RealFiles().read(*object))->empty() ? "g++" : "nvcc";
  };
  const std::string frees = "int main() { return cudaFree(nullptr); }\n";
  EXPECT_EQ(compiler_of("host", frees), "g++");
  EXPECT_EQ(compiler_of("kernel", "__global__ void k() {}\n" + frees), "nvcc");
  EXPECT_EQ(compiler_of("asks", "#ifndef __NVCC__\n#error nvcc only\n#endif\n" + frees), "nvcc");
  EXPECT_NE(compiler_of("wrong", "int main() { return nothing; }\n")
                .find("driver.cu:1: error: identifier \"nothing\" is undefined"),
            std::string::npos);
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

/// What another compiler would do: `script` in place of nvcc.
class BrokenCompiler : public BuilderTest {
 protected:
  void use(const std::string& script) {
    const fs::path nvcc = folder_ / "toolkit/bin/nvcc";
    fs::create_directories(nvcc.parent_path());
    std::ofstream(nvcc, std::ios::trunc) << "#!/usr/bin/sh\n" << script;
    fs::permissions(nvcc, fs::perms(0755));
    Toolchain broken = builder_->toolchain();
    broken.root = folder_ / "toolkit";
    builder_.emplace(sandbox_, broken, BuildCache(folder_ / "cache"));
  }
  BuildResult compile(const char* place_name) {
    std::promise<Result<fs::path>> none;
    none.set_value(Error{"no driver is needed"});
    driver_ = none.get_future().share();
    return builder_->build(file("int answer() { return 1; }\n"), "driver", driver_,
                           place(place_name));
  }
};

TEST_F(BrokenCompiler, OfTheMachineIsNoRejectionAndIsNotKept) {
  for (const std::string script :
       {"echo '<built-in>: fatal error: when writing output to a.ii: No space left on device' >&2; "
        "exit 1\n",
        "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\" >&2; exit 9\n",
        "echo \"nvcc error   : 'cudafe++' died due to signal 11\" >&2; exit 11\n",
        "echo 'Segmentation fault' >&2; exit 255\n", "kill -KILL $$\n"}) {
    use(script);
    EXPECT_EQ(compile("broken").status, BuildStatus::kSystemError) << script;
    fs::remove_all(folder_ / "broken");
  }
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

TEST_F(BrokenCompiler, ThatTheSourceBrokeIsTheStudents) {
  for (const std::string script :
       {"echo \"nvcc error   : 'cicc' died due to signal 24 (CPU time limit exceeded)\" >&2; exit "
        "1\n",
        "echo 'gcc: internal compiler error: File size limit exceeded signal terminated program "
        "as' >&2; exit 4\n",
        "echo 'a.cu(1): catastrophic error: out of memory' >&2; exit 4\n",
        "cat /dev/zero > $TMPDIR/a & cat /dev/zero > $TMPDIR/b & cat /dev/zero > $TMPDIR/c; "
        "wait\n"}) {
    use(script);
    const BuildResult result = compile("broken");
    EXPECT_EQ(result.status, BuildStatus::kRejected) << script << result.reason;
    fs::remove_all(folder_ / "broken");
    fs::remove_all(folder_ / "cache");
  }
}

TEST_F(BuilderTest, TakesNothingFromTheCacheThatAnotherSandboxBuilt) {
  const std::string text = "int answer() { return 1; }\n";
  const LocalSandbox weaker(SandboxBackend::kRlimits);
  const Builder there(weaker, builder_->toolchain(), BuildCache(folder_ / "cache"));
  ASSERT_EQ(build("first", text).status, BuildStatus::kBuilt);
  if (sandbox_.name() == weaker.name()) GTEST_SKIP() << "there is but one sandbox here";
  ASSERT_EQ(there.build(file(text), "driver", driver_, place("second")).status,
            BuildStatus::kBuilt);
  EXPECT_TRUE(fs::exists(folder_ / "second" / "source")) << "it came from the cache";
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
