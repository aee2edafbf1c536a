// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/arguments.h"
#include "harness/case_folder.h"
#include "harness/guarded.h"
#include "harness/locked_rows.h"
#include "harness/questions.h"
#include "harness/repetition.h"
#include "harness/reserved.h"

namespace warpgrade::harness {
namespace {

/// How often the driver has marked where a case begins or ends.
int& marks() {
  static int count = 0;
  return count;
}

/// Host memory that is registered.
std::set<const void*>& registered() {
  static std::set<const void*> starts;
  return starts;
}

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
  }
  Arguments arguments() {
    return {static_cast<int>(pointers_.size()), pointers_.data(), "N [GAP] [verify]"};
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

TEST(Arguments, AreTakenInOrderAroundFlags) {
  Words words({"prog", "12", "verify", "3"});
  Arguments args = words.arguments();
  EXPECT_TRUE(args.flag("verify"));
  EXPECT_FALSE(args.flag("verify"));
  EXPECT_EQ(args.number("N", 1), 12);
  EXPECT_EQ(args.optional_number("GAP", 0, 7), 3);
  EXPECT_EQ(args.optional_number("MORE", 0, 7), 7);
  args.done();
}

TEST(Arguments, EndTheProgramWhereTheyDoNotFit) {
  const auto number_of = [](const char* word) {
    Words words({"prog", word});
    words.arguments().number("N", 1);
  };
  for (const char* bad : {"0", "12x", "", "-3", "99999999999"})
    EXPECT_EXIT(number_of(bad), testing::ExitedWithCode(2), "N must be a whole number from 1 up")
        << bad;
  Words words({"prog", "1", "2"});
  EXPECT_EXIT(words.arguments().done(), testing::ExitedWithCode(2),
              "'1' is one word too many\nusage: prog N \\[GAP\\] \\[verify\\]");
}

TEST(Guarded, TellsWhetherAnybodyWroteOutside) {
  Guarded<float> data(3);
  EXPECT_NE(data.values()[0], data.values()[0]) << "poison is no number";
  data.assign({1, 2, 3});
  EXPECT_EQ(data.values(), (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(data.untouched());
  reinterpret_cast<char*>(data.data())[3 * sizeof(float)] = 0;
  EXPECT_FALSE(data.untouched());
  Guarded<int> before(1);
  before.data()[-1] = 0;
  EXPECT_FALSE(before.untouched());
}

TEST(Guarded, GivesBackARegistrationThatAFunctionLeft) {
  const void* pinned = nullptr;
  {
    Guarded<float> data(3);
    pinned = data.data();
    registered() = {pinned, this};
    Guarded<float> moved = std::move(data);
    EXPECT_EQ(moved.data(), pinned);
  }
  EXPECT_EQ(registered(), std::set<const void*>{this}) << "that of others stays";
}

TEST(Reserved, HoldsItsFirstElementsAndTakesNoMemoryForTheOthers) {
  constexpr size_t kMoreThanMemory = size_t{1} << 36;
  Reserved<int> array({1, 2, 3}, kMoreThanMemory + 3);
  EXPECT_EQ(std::vector<int>(array.data(), array.data() + 3), std::vector<int>({1, 2, 3}));
  EXPECT_DEATH(std::printf("%d", array.data()[kMoreThanMemory]), "");
}

TEST(LockedRows, HoldEachRowAndEndTheProgramThatReadsBehindOne) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  LockedRows<float> rows(2, 3, values.data());
  const float* const second = rows.data() + rows.pitch_bytes() / sizeof(float);
  EXPECT_EQ(std::vector<float>(rows.data(), rows.data() + 3), std::vector<float>({1, 2, 3}));
  EXPECT_EQ(std::vector<float>(second, second + 3), std::vector<float>({4, 5, 6}));
  EXPECT_DEATH(std::printf("%g", rows.data()[3]), "");
  EXPECT_DEATH(std::printf("%g", second[3]), "");
}

TEST(CaseFolder, ReadsBackWhatItWroteAndRefusesWrongSizes) {
  const std::string path = testing::TempDir() + "case_folder_test";
  std::filesystem::create_directories(path + "/out");
  const CaseFolder folder(path);
  folder.output<int>("facts", {1, 0, 1});
  const auto read = npy_io::read<int>(path + "/out/facts.npy");
  EXPECT_EQ(read.shape, (std::vector<size_t>{3}));
  EXPECT_EQ(read.values, (std::vector<int>{1, 0, 1}));
  EXPECT_EXIT(folder.output<int>("facts", {2, 2}, {1, 2, 3}), testing::ExitedWithCode(98),
              "another number of values");
  std::filesystem::remove_all(path);
}

/// Adds 1 to what the case holds.
int increment(int, char**) {
  const auto folder = CaseFolder::from_environment();
  const auto in = folder->input<int>("x");
  if (in.values[0] < 0) return 7;
  folder->output<int>("y", {in.values[0] + 1});
  return 0;
}

class Repeated : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "repetition_test";
    for (const char* name : {"/in/0", "/in/1", "/out"})
      std::filesystem::create_directories(path_ + name);
    ::setenv("WARPGRADE_CASE", path_.c_str(), 1);
    give("/in/x.npy", 1);
    give("/in/0/x.npy", 10);
    give("/in/1/x.npy", 20);
  }
  void TearDown() override {
    for (const char* name : {"WARPGRADE_CASE", "WARPGRADE_REPETITIONS"}) ::unsetenv(name);
    Repetition::current() = {};
    std::filesystem::remove_all(path_);
  }
  void give(const std::string& name, int value) {
    npy_io::write(path_ + name, {1}, std::vector<int>{value}.data());
  }
  int made(const std::string& name) { return npy_io::read<int>(path_ + name).values[0]; }

  std::string path_;
};

TEST_F(Repeated, APlainRunReadsAndWritesTheCaseItself) {
  EXPECT_EQ(repeat(increment, 0, nullptr), 0);
  EXPECT_EQ(made("/out/y.npy"), 2);
}

TEST_F(Repeated, ATimedRunTakesTheInputsThatAreAskedForAndKeepsEveryOutput) {
  ::setenv("WARPGRADE_REPETITIONS", "1,0,1", 1);
  EXPECT_EQ(repeat(increment, 0, nullptr), 0);
  EXPECT_EQ(made("/out/0/y.npy"), 21);
  EXPECT_EQ(made("/out/1/y.npy"), 11);
  EXPECT_EQ(made("/out/2/y.npy"), 21);
}

TEST_F(Repeated, ATimedRunEndsWithTheFirstFailure) {
  give("/in/0/x.npy", -1);
  ::setenv("WARPGRADE_REPETITIONS", "1,0,1", 1);
  EXPECT_EQ(repeat(increment, 0, nullptr), 7);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/out/2"));
}

TEST_F(Repeated, ARunOfSeveralCasesGivesEachItsWordsInputsAndOutputsBetweenTwoMarks) {
  ::setenv("WARPGRADE_CASES", "2\tplus\n3", 1);
  char name[] = "program";
  char* words[] = {name, nullptr};
  marks() = 0;
  EXPECT_EQ(repeat(
                [](int argc, char** argv) {
                  EXPECT_STREQ(argv[0], "program");
                  EXPECT_EQ(argc, Repetition::current().number == "0" ? 3 : 2);
                  EXPECT_STREQ(argv[1], Repetition::current().number == "0" ? "2" : "3");
                  EXPECT_EQ(argv[argc], nullptr);
                  EXPECT_EQ(marks() % 2, 1);
                  return increment(argc, argv);
                },
                1, words),
            0);
  ::unsetenv("WARPGRADE_CASES");
  EXPECT_EQ(made("/out/0/y.npy"), 11);
  EXPECT_EQ(made("/out/1/y.npy"), 21);
  EXPECT_EQ(marks(), 4);
}

TEST(Questions, AreAskedInAnotherOrderEachTimeAndAnsweredInTheirOwn) {
  const auto asked = [] {
    std::vector<int> order;
    Questions questions;
    for (int i = 0; i < 20; ++i)
      questions.add([&order, i] {
        order.push_back(i);
        return i % 3 == 0;
      });
    const std::vector<int32_t> answers = questions.ask();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[static_cast<size_t>(i)], i % 3 == 0);
    return order;
  };
  EXPECT_NE(asked(), asked());
}

}  // namespace
}  // namespace warpgrade::harness

/// Nothing links CUDA here.
extern "C" cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
extern "C" cudaError_t cudaGetLastError() {
  ++warpgrade::harness::marks();
  return cudaSuccess;
}
extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                const void* start) {
  const bool is_registered = warpgrade::harness::registered().count(start) != 0;
  attributes->type = is_registered ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
extern "C" cudaError_t cudaHostUnregister(void* start) {
  return warpgrade::harness::registered().erase(start) == 1 ? cudaSuccess
                                                            : cudaErrorHostMemoryNotRegistered;
}
