// SPDX-License-Identifier: MIT
#include "emulator/runtime/device_properties.h"

#include <gtest/gtest.h>

#include <set>

namespace warpgrade::emulator {
namespace {

TEST(DeviceTable, HasEachNameOnce) {
  std::set<std::string_view> names;
  for (const DeviceModel& model : device_table()) names.insert(model.name);
  EXPECT_EQ(names.size(), device_table().size());
}

// Read with cudaGetDeviceProperties on an H200 with driver 580.
TEST(DeviceProperties, AreThoseOfARealH200) {
  const cudaDeviceProp p = device_properties(*find_device_model("H200"), 0);
  EXPECT_STREQ(p.name, "NVIDIA H200");
  EXPECT_EQ(p.totalGlobalMem, 150109880320u);
  EXPECT_EQ(p.multiProcessorCount, 132);
  EXPECT_EQ(p.sharedMemPerMultiprocessor, 233472u);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(p.persistingL2CacheMaxSize, 39321600);
  EXPECT_EQ(p.memoryBusWidth, 6016);
  EXPECT_EQ(p.texturePitchAlignment, 32u);
  EXPECT_EQ(p.textureAlignment, 512u);
}

// Programs ask before they launch a grid that synchronises or allocate in stream order.
TEST(DeviceProperties, SayThatCooperativeLaunchesAndMemoryPoolsAreThere) {
  for (const DeviceModel& model : device_table()) {
    EXPECT_EQ(device_properties(model, 0).cooperativeLaunch, 1) << model.name;
    EXPECT_EQ(device_properties(model, 0).memoryPoolsSupported, 1) << model.name;
    EXPECT_EQ(device_attribute(model, 0, cudaDevAttrCooperativeLaunch), 1) << model.name;
    EXPECT_EQ(device_attribute(model, 0, cudaDevAttrMemoryPoolsSupported), 1) << model.name;
  }
}

TEST(DeviceAttribute, AgreesWithTheProperties) {
  const DeviceModel& model = *find_device_model("T4");
  EXPECT_EQ(device_attribute(model, 0, cudaDevAttrComputeCapabilityMajor), 7);
  EXPECT_EQ(device_attribute(model, 0, cudaDevAttrMultiProcessorCount), 40);
  EXPECT_EQ(device_attribute(model, 0, cudaDevAttrMaxThreadsPerMultiProcessor), 1024);
  EXPECT_EQ(device_attribute(model, 0, static_cast<cudaDeviceAttr>(9999)), std::nullopt);
}

}  // namespace
}  // namespace warpgrade::emulator
