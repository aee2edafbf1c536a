// SPDX-License-Identifier: MIT
#include "build/build_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/hash.h"

namespace warpgrade {
namespace {

class BuildCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-build-cache-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "program") << "the program";
    built_.status = BuildStatus::kBuilt;
    built_.program = folder_ / "program";
    built_.diagnostics = {{"a.cu", 3, Severity::kWarning, "odd \xff byte"}};
    cache_ = BuildCache(folder_ / "cache");
    cache_.keep("key", built_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const fs::path& path) const { return *RealFiles().read(path); }
  void damage(const fs::path& name, const std::string& contents) const {
    std::ofstream(folder_ / "cache" / name, std::ios::trunc) << contents;
  }
  bool is_found() const { return cache_.find("key", folder_ / "copy").has_value(); }

  fs::path folder_;
  BuildResult built_;
  BuildCache cache_{""};
};

TEST_F(BuildCacheTest, GivesBackAProgramThatCanBeRun) {
  const std::optional<BuildResult> found = cache_.find("key", folder_ / "copy");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->status, BuildStatus::kBuilt);
  EXPECT_EQ(read(found->program), "the program");
  EXPECT_EQ(fs::status(found->program).permissions(), fs::perms(0755));
  EXPECT_EQ(found->warnings(), 1);
}

TEST_F(BuildCacheTest, GivesBackAProgramThatCanBeRunWhileOtherThreadsStartProcesses) {
  std::ofstream(folder_ / "program") << "#!/bin/sh\nexit 0\n";
  cache_.keep("key", built_);
  std::atomic<bool> stop = false;
  std::vector<pid_t> children;
  std::thread starts([&] {
    while (!stop) {
      // It holds what is open now for as long as a busy machine lets a process wait for its turn.
      if (const pid_t child = ::fork(); child == 0) {
        ::usleep(20'000);
        ::_exit(0);
      } else {
        children.push_back(child);
      }
      ::usleep(200);
    }
  });
  int failed = 0;
  for (int round = 0; round < 20; ++round)
    failed += !is_found() || std::system((folder_ / "copy").c_str()) != 0;
  stop = true;
  starts.join();
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  EXPECT_EQ(failed, 0);
}

TEST_F(BuildCacheTest, GivesBackARejection) {
  BuildResult rejected;
  rejected.status = BuildStatus::kRejected;
  rejected.reason = "a.cu:1: error: no";
  cache_.keep("other", rejected);
  const std::optional<BuildResult> found = cache_.find("other", folder_ / "copy");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->status, BuildStatus::kRejected);
  EXPECT_EQ(found->reason, "a.cu:1: error: no");
}

TEST_F(BuildCacheTest, KeepsNothingThatTheMachineCouldNotDo) {
  BuildResult failed;
  failed.reason = "the disk was full";
  cache_.keep("other", failed);
  EXPECT_FALSE(cache_.find("other", folder_ / "copy").has_value());
}

TEST_F(BuildCacheTest, TakesADamagedEntryForNone) {
  const std::string whole = read(folder_ / "cache/key.json");
  for (const std::string& text : {std::string("{}"), std::string("null"), std::string("[]"),
                                  std::string(), whole.substr(0, whole.size() / 2), whole + ' '}) {
    damage("key.json", text);
    EXPECT_FALSE(is_found()) << text;
  }
  for (const std::string text : {"{}", "null", "[]", R"({"built": 3})"}) {
    damage("key.json", sha256_hex(text) + '\n' + text);
    EXPECT_FALSE(is_found()) << "with a hash that fits: " << text;
  }
  damage("key.json", whole);
  EXPECT_TRUE(is_found());
}

TEST_F(BuildCacheTest, TakesADamagedProgramForNone) {
  for (const char* text : {"the progr", "", "the program."}) {
    damage("key", text);
    EXPECT_FALSE(is_found()) << text;
  }
  cache_.keep("key", built_);
  EXPECT_TRUE(is_found()) << "the next build replaces it";
}

}  // namespace
}  // namespace warpgrade
