// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/arguments.h"
#include "harness/case_folder.h"
#include "harness/guarded.h"

namespace warpgrade::harness {
namespace {

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

}  // namespace
}  // namespace warpgrade::harness
