// SPDX-License-Identifier: MIT
#include "pipeline/gpu_choice.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

Gpu gpu(const std::string& name, int major, int minor) {
  Gpu made;
  made.name = name;
  made.major = major;
  made.minor = minor;
  made.compute_mode = "default";
  return made;
}

GpuMachine machine(std::vector<Gpu> gpus) { return {"580", "13.0", "", std::move(gpus), {}}; }

const Gpu kT4 = gpu("T4", 7, 5), kA100 = gpu("A100", 8, 0), kH100 = gpu("H100", 9, 0);

TEST(ChooseGpus, TakesTheModelThatThereAreMostOfAndSaysWhatIsLeft) {
  const GpuChoice choice = choose_gpus(machine({kA100, kH100, kH100}), {});
  ASSERT_EQ(choice.gpus.size(), 2u);
  EXPECT_EQ(choice.gpus[0].name, "H100");
  EXPECT_EQ(choice.note, "not used: A100 is another model than the 2 H100");
}

TEST(ChooseGpus, HeedsWhatTheAssignmentRequires) {
  const GpuChoice choice = choose_gpus(machine({kT4, kT4, kA100}), {">=8.0", {}, {}});
  ASSERT_EQ(choice.gpus.size(), 1u);
  EXPECT_EQ(choice.gpus[0].name, "A100");
  EXPECT_EQ(choice.note, "not used: T4 has compute capability 7.5, T4 has compute capability 7.5");
}

TEST(ChooseGpus, SaysWhyThereIsNone) {
  EXPECT_EQ(choose_gpus(machine({kT4}), {">=8.0", {}, {}}).note,
            "no GPU here can time this (wanted: compute capability >=8.0): T4 has compute "
            "capability 7.5");
  GpuMachine none = machine({});
  none.error = "no NVIDIA driver";
  EXPECT_NE(choose_gpus(none, {}).note.find("no NVIDIA driver"), std::string::npos);
}

TEST(ChooseGpus, LeavesOutWhatNobodyMayUseAlone) {
  Gpu split = kH100, closed = kH100;
  split.mig = true;
  closed.compute_mode = "prohibited";
  const GpuChoice choice = choose_gpus(machine({split, closed}), {});
  EXPECT_TRUE(choice.gpus.empty());
  EXPECT_NE(choice.note.find("MIG"), std::string::npos);
  EXPECT_NE(choice.note.find("prohibited"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
