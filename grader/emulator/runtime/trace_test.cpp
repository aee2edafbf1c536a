// SPDX-License-Identifier: MIT
#include "emulator/runtime/trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/runtime/findings.h"
#include "emulator/runtime/machine.h"

namespace warpgrade::emulator {
namespace {

/// A path that is gone at the end of the test.
struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("warpgrade-trace-test-" + std::to_string(::getpid()));
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

Finding overrun() {
  Finding finding;
  finding.checker = "memory";
  finding.message = "reads 4 bytes past the end";
  finding.kernel = "_Z3addPf";
  finding.file = "add.cu";
  finding.line = 12;
  finding.block = {0, 0, 0};
  finding.thread = {5, 0, 0};
  finding.count = 17;
  return finding;
}

TEST(Trace, WritesOneNumberedObjectALine) {
  const TemporaryFile file;
  {
    Trace trace(file.path);
    trace.write("api", {{"name", "cudaMalloc"}, {"args", {{"size", 4}}}});
    trace.write("exit", Json::object());
  }
  EXPECT_EQ(file.contents(),
            "{\"type\":\"api\",\"seq\":0,\"name\":\"cudaMalloc\",\"args\":{\"size\":4}}\n"
            "{\"type\":\"exit\",\"seq\":1}\n");
}

TEST(Trace, ReplacesBytesThatAreNoUtf8) {
  const TemporaryFile file;
  Trace(file.path).write("api", {{"range", "a\xff"}});
  EXPECT_EQ(file.contents(), "{\"type\":\"api\",\"seq\":0,\"range\":\"a\xEF\xBF\xBD\"}\n");
}

TEST(Trace, EndsAProgramThatCallsOnAndOn) {
  const TemporaryFile file;
  const auto call_on_and_on = [&] {
    Trace trace(file.path, 1000);
    while (true) trace.write("api", {{"name", "cudaGetLastError"}});
  };
  EXPECT_EXIT(call_on_and_on(), testing::ExitedWithCode(98), "");
  EXPECT_LE(file.contents().size(), 1000u);
  EXPECT_EQ(file.contents().back(), '\n');
}

TEST(Trace, TakesNoRecordAfterItsEnd) {
  const TemporaryFile file;
  Trace trace(file.path);
  trace.write("exit", Json::object());
  trace.end();
  EXPECT_FALSE(trace.enabled());
  trace.write("api", {{"name", "cudaFree"}});
  EXPECT_EQ(file.contents(), "{\"type\":\"exit\",\"seq\":0}\n");
}

TEST(Trace, GoesNowhereWithoutAPath) { EXPECT_FALSE(Trace("").enabled()); }

TEST(InWords, NamesKernelPlaceAndCount) {
  EXPECT_EQ(in_words(overrun()),
            "memory: reads 4 bytes past the end [kernel add(float*), add.cu:12, block (0,0,0), "
            "thread (5,0,0), 17 times]");
}

TEST(InWords, LeavesOutWhatIsNotKnown) {
  Finding finding;
  finding.checker = "unsupported";
  finding.message = "cudaGraphCreate is not supported by the emulated device";
  EXPECT_EQ(in_words(finding),
            "unsupported: cudaGraphCreate is not supported by the emulated device");
}

TEST(ToJson, HasTheFieldsOfATraceRecord) {
  EXPECT_EQ(to_json(overrun()).dump(),
            "{\"checker\":\"memory\",\"message\":\"reads 4 bytes past the end\",\"kernel\":"
            "\"add(float*)\",\"file\":\"add.cu\",\"line\":12,\"block\":[0,0,0],\"thread\":[5,0,0],"
            "\"count\":17}");
}

TEST(Findings, AreOfOneKindWhereOnlyNumbersDifferThatAreNoLines) {
  Finding finding = overrun();
  finding.message =
      "reads element 12 of the 80-byte allocation, which thread (3,0,0) writes in line 7";
  const std::string kind = kind_in_words(finding);
  EXPECT_EQ(kind,
            "memory: reads element # of the #-byte allocation, which thread (#,#,#) writes in "
            "line 7 [kernel add(float*), add.cu:12]");
  finding.message =
      "reads element 5 of the 96-byte allocation, which thread (0,1,0) writes in line 7";
  EXPECT_EQ(kind_in_words(finding), kind);
  finding.message =
      "reads element 12 of the 80-byte allocation, which thread (3,0,0) writes in line 8";
  EXPECT_NE(kind_in_words(finding), kind);
}

TEST(Findings, OfLaterLaunchesAreOnlyCountedOnStderr) {
  testing::internal::CaptureStderr();
  {
    Machine machine{Settings()};
    for (machine.launches = 1; machine.launches <= 3; ++machine.launches) {
      machine.report(overrun());
      machine.report(overrun());
    }
    machine.close();
  }
  const std::string once = "warpgrade: " + in_words(overrun()) + "\n";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            once + once + "warpgrade: found again in 2 more launches: " + kind_in_words(overrun()) +
                "\n");
}

}  // namespace
}  // namespace warpgrade::emulator
