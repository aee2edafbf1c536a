// SPDX-License-Identifier: MIT
#include "pipeline/together.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace warpgrade {
namespace {

/// The record of a process that runs cases, line by line.
class Record {
 public:
  Record() {
    add(R"("type":"session","version":1,"source":"gpu","devices":[{"name":"H","major":9,"minor":0}])");
  }
  Record& call(const std::string& name, const std::string& range, int result = 0) {
    return add(
        fmt::format(R"("type":"api","name":"{}","result":{},"device":0,"range":"{}","args":{{}})",
                    name, result, range));
  }
  Record& mark(int number, int result = 0) {
    return call("cudaGetLastError", fmt::format("warpgrade.case:{}", number), result);
  }
  RunResult run(size_t cases, int code = 0) const {
    RunResult result;
    result.process.ending = Ending::kExited;
    result.process.code = code;
    result.trace = text_;
    for (size_t i = 0; i < cases; ++i)
      result.repetitions.push_back({{"n", make_npy<int32_t>({1}, {static_cast<int32_t>(i)})}});
    return result;
  }

 private:
  Record& add(const std::string& fields) {
    text_ += fmt::format(R"({{"seq":{},{}}})", next_++, fields) + "\n";
    return *this;
  }

  std::string text_;
  int next_ = 0;
};

TEST(ToldApart, GivesEachCaseItsCallsAndOutputsAsIfItHadBeenAlone) {
  const Record record = Record()
                            .mark(0)
                            .call("cudaMalloc", "add")
                            .call("cudaMemGetInfo", "warpgrade.case:0")
                            .mark(0, 2)
                            .mark(1)
                            .call("cudaFree", "add")
                            .mark(1);
  const auto cases = told_apart(record.run(2), 2);
  ASSERT_TRUE(cases[0] && cases[1]);
  ASSERT_EQ(cases[0]->trace.calls.size(), 2u);
  EXPECT_EQ(cases[0]->trace.calls[0].name, "cudaMalloc");
  EXPECT_EQ(cases[0]->trace.calls[0].range, "add");
  EXPECT_EQ(cases[0]->trace.calls[1].range, "");
  EXPECT_TRUE(cases[0]->trace.exited && cases[0]->run.process.succeeded());
  EXPECT_EQ(cases[0]->trace.devices.at(0).major, 9);
  ASSERT_EQ(cases[1]->trace.calls.size(), 1u);
  EXPECT_EQ(cases[1]->trace.calls[0].name, "cudaFree");
  EXPECT_EQ(cases[1]->run.outputs.at("n"), make_npy<int32_t>({1}, {1}));
}

TEST(ToldApart, LeavesOutTheCaseInWhichTheProgramEndedAndAllBehindIt) {
  const Record record =
      Record().mark(0).mark(0).mark(1).call("cudaGetLastError", "warpgrade.case:1");
  const auto cases = told_apart(record.run(3, 1), 3);
  EXPECT_TRUE(cases[0]);
  EXPECT_FALSE(cases[1]) << "its second mark is not the driver's";
  EXPECT_FALSE(cases[2]);
}

TEST(ToldApart, LeavesOutACaseThatBeganWithAnErrorOfTheOneBefore) {
  const Record record = Record().mark(0).mark(0, 700).mark(1, 700).mark(1, 700);
  const auto cases = told_apart(record.run(2), 2);
  EXPECT_TRUE(cases[0]);
  EXPECT_FALSE(cases[1]);
}

TEST(ToldApart, BelievesNoMarksInAnotherOrder) {
  const auto cases = told_apart(Record().mark(0).mark(1).mark(0).mark(1).run(2), 2);
  EXPECT_FALSE(cases[1]);
  EXPECT_FALSE(told_apart(Record().mark(1).mark(1).run(2), 2)[0]);
}

TEST(ToldApart, SaysNothingWithoutARecord) {
  RunResult nothing = Record().run(1);
  nothing.trace.clear();
  EXPECT_FALSE(told_apart(nothing, 1)[0]);
}

}  // namespace
}  // namespace warpgrade
