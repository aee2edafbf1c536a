// SPDX-License-Identifier: MIT
#include "observe/injection/recorder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "observe/trace.h"

namespace warpgrade::injection {
namespace {

/// A path that is gone at the end of the test.
struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("warpgrade-recorder-test-" + std::to_string(::getpid()));
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

TEST(Recorder, PutsTheDevicesFirst) {
  const TemporaryFile file;
  Recorder recorder(file.path);
  recorder.ask_for_devices([] {
    return Json::array({{{"name", "NVIDIA H200"}, {"major", 9}, {"minor", 0}}});
  });
  recorder.write("exit", Json::object());
  const Result<Trace> trace = parse_trace(file.contents());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->source, "gpu");
  EXPECT_EQ(trace->devices.at(0).name, "NVIDIA H200");
  EXPECT_TRUE(trace->exited);
}

TEST(Recorder, SaysOnceWhyNothingCanBeObserved) {
  const TemporaryFile file;
  Recorder recorder(file.path);
  recorder.fail("first");
  recorder.fail("second");
  EXPECT_EQ(parse_trace(file.contents()).error().message,
            "the program could not be observed: first");
  EXPECT_EQ(file.contents().find("second"), std::string::npos);
}

TEST(Recorder, WritesNothingForAForkOfItsProcess) {
  const TemporaryFile file;
  Recorder recorder(file.path);
  recorder.write("api", {{"name", "cudaFree"}});
  const std::string before = file.contents();
  const pid_t child = ::fork();
  if (child == 0) {
    recorder.write("exit", Json::object());
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(file.contents(), before);
}

TEST(Recorder, LeavesAFileAloneThatAnotherProgramWroteTo) {
  const TemporaryFile file;
  Recorder(file.path).write("exit", Json::object());
  const std::string before = file.contents();
  Recorder second(file.path);
  EXPECT_FALSE(second.enabled());
  second.write("exit", Json::object());
  EXPECT_EQ(file.contents(), before);
}

TEST(Recorder, LeavesAFileAloneThatAnotherProgramHasOpened) {
  const TemporaryFile file;
  Recorder first(file.path);
  EXPECT_FALSE(Recorder(file.path).enabled());
  first.write("exit", Json::object());
  EXPECT_TRUE(parse_trace(file.contents())->exited);
}

TEST(Recorder, GoesNowhereWithoutAPath) { EXPECT_FALSE(Recorder("").enabled()); }

}  // namespace
}  // namespace warpgrade::injection
