// SPDX-License-Identifier: MIT
#include "commands/devices.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warpgrade {
namespace {

GpuMachine two_gpus() {
  Gpu h100, t4;
  h100.name = "NVIDIA H100 80GB HBM3";
  h100.uuid = "GPU-1";
  h100.major = 9;
  h100.memory_bytes = size_t{80} << 30;
  h100.sm_count = 132;
  t4.index = 1;
  t4.name = "Tesla T4";
  t4.uuid = "GPU-2";
  t4.major = 7;
  t4.minor = 5;
  t4.memory_bytes = size_t{15} << 30;
  t4.sm_count = 40;
  return {"580.1", "13.0", "", {h100, t4}, {}};
}

const std::vector<DeviceDemand> kDemands = {
    {"vecadd", "", [](int, int) { return true; }},
    {"tensor", "compute capability >=8.0", [](int major, int) { return major >= 8; }}};

TEST(DevicesText, SaysOfEachGpuWhatItGrades) {
  const std::string text = devices_text(two_gpus(), kDemands);
  EXPECT_EQ(
      text.substr(0, text.find("Emulated")),
      "GPUs (driver 580.1, CUDA 13.0)\n"
      "  0   NVIDIA H100 80GB HBM3, compute capability 9.0, 80 GiB, 132 multiprocessors, GPU-1\n"
      "      grades all 2 assignments\n"
      "  1   Tesla T4, compute capability 7.5, 15 GiB, 40 multiprocessors, GPU-2\n"
      "      grades vecadd; not tensor (wants compute capability >=8.0)\n");
}

TEST(DevicesText, SaysOfEachEmulatedDeviceWhatItGrades) {
  const std::string text = devices_text(two_gpus(), kDemands);
  EXPECT_NE(text.find("  T4         compute capability 7.5, 40 multiprocessors\n"
                      "             grades vecadd; not tensor (wants compute capability >=8.0)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  V100       compute capability 7.0, 80 multiprocessors\n"
                      "             grades nothing: programs are built for compute capability 7.5 "
                      "and newer\n"),
            std::string::npos);
  EXPECT_NE(text.find("  RTX 3090   compute capability 8.6, 82 multiprocessors\n"
                      "             grades all 2 assignments\n"),
            std::string::npos);
}

TEST(DevicesText, SaysWhyThereIsNoGpu) {
  GpuMachine machine;
  machine.error = "no NVIDIA driver: libnvidia-ml.so.1 was not found";
  const std::string text = devices_text(machine, kDemands);
  EXPECT_EQ(text.substr(0, text.find("Emulated")),
            "GPUs: none\n  (no NVIDIA driver: libnvidia-ml.so.1 was not found)\n");
}

TEST(DevicesJson, HoldsTheSame) {
  const auto json = nlohmann::json::parse(devices_json(two_gpus(), kDemands));
  EXPECT_EQ(json["gpus"][1]["uuid"], "GPU-2");
  EXPECT_EQ(json["gpus"][1]["compute_capability"], "7.5");
  EXPECT_EQ(json["gpus"][1]["grades"], (std::vector<std::string>{"vecadd"}));
  EXPECT_EQ(json["gpus"][1]["refuses"],
            (std::vector<std::string>{"tensor (wants compute capability >=8.0)"}));
  EXPECT_EQ(json["emulated"][0]["name"], "T4");
}

}  // namespace
}  // namespace warpgrade
