// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/runtime/machine.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/sentences/say.h"

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
  finding.message = say("memory.outside",
                        {{"act", say("act.reads")}, {"bytes", 4}, {"where", say("where.null")}});
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
  EXPECT_EQ(
      in_words(overrun()),
      "memory: reads 4 bytes at the null pointer [kernel add(float*), add.cu:12, block (0,0,0), "
      "thread (5,0,0), 17 times]");
}

TEST(BriefKernel, LeavesOutTemplateArgumentsAndParametersOfLongNames) {
  EXPECT_EQ(brief_kernel("void (anonymous namespace)::add<float, 4>(float*)"),
            "void (anonymous namespace)::add<float, 4>(float*)");
  const std::string argument = "policy<" + std::string(100, 'p') + ">";
  EXPECT_EQ(brief_kernel("void (anonymous namespace)::sweep<" + argument + ", (Mode)1>::run<" +
                         argument + ">(int*, std::pair<int, int>)"),
            "void (anonymous namespace)::sweep<...>::run<...>(...)");
}

TEST(InWords, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(in_words(finding_of(say("unsupported.call", {{"call", "cudaGraphCreate"}}))),
            "unsupported: cudaGraphCreate is not supported by the emulated device");
}

TEST(ToJson, HasTheFieldsOfATraceRecord) {
  EXPECT_EQ(
      to_json(overrun()).dump(),
      R"({"checker":"memory","id":"memory.outside","arguments":{"act":"act.reads","bytes":"4",)"
      R"x("where":"where.null"},"message":"reads 4 bytes at the null pointer","kernel":"add(float*)",)x"
      R"("file":"add.cu","line":12,"block":[0,0,0],"thread":[5,0,0],"count":17})");
}

Finding race_of(int element, int bytes, const std::string& thread, int line) {
  Finding finding = overrun();
  const Sentence allocation = say("allocation.made", {{"bytes", bytes}, {"origin", "cudaMalloc"}});
  finding.message =
      say("race.between",
          {{"act", say("act.reads")},
           {"object", say("object.element_of", {{"index", element}, {"allocation", allocation}})},
           {"who", say("who.thread_of_warp", {{"thread", thread}})},
           {"other_act", say("act.writes")},
           {"where", say("in.line", {{"line", line}})},
           {"advice", say("advice.barrier")}});
  finding.other_line = line;
  return finding;
}

TEST(Findings, AreOfOneKindWhereOnlyNumbersDifferThatAreNoLines) {
  const std::string kind = kind_of(race_of(12, 80, "(3,0,0)", 7));
  EXPECT_EQ(kind_of(race_of(5, 96, "(0,1,0)", 7)), kind);
  EXPECT_NE(kind_of(race_of(12, 80, "(3,0,0)", 8)), kind);
}

TEST(Findings, OfOneKindNeedNoCommonWords) {
  Finding translated = race_of(12, 80, "(3,0,0)", 7);
  translated.message.text = "liest Element 12";
  EXPECT_EQ(kind_of(translated), kind_of(race_of(12, 80, "(3,0,0)", 7)));
}

TEST(Findings, OfDifferentSentencesAreOfDifferentKinds) {
  Finding other = overrun();
  other.message = say("memory.stack");
  EXPECT_NE(kind_of(other), kind_of(overrun()));
}

TEST(Findings, NameStaticKernelsOfSeveralFilesAsTheSourceDoes) {
  EXPECT_EQ(demangled("__nv_static_31__f6e27baa_13_a_cu_main__Z4fillPfi"), "fill(float*, int)");
  EXPECT_EQ(demangled("_Z4fillPfi"), "fill(float*, int)");
  EXPECT_EQ(demangled("fill"), "fill");
  EXPECT_EQ(demangled("f"), "f");
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
            once + once +
                "warpgrade: found again in 2 more launches: " + without_thread(overrun()) + "\n");
}

}  // namespace
}  // namespace warpgrade::emulator
