// SPDX-License-Identifier: MIT
#include <cupti.h>
#include <gtest/gtest.h>

#include "observe/injection/decoded_call.h"
#include "observe/injection/launch_request.h"

namespace warpgrade::injection {
namespace {

template <class Params>
DecodedCall driver_call(const char* name, const Params& params) {
  Handles handles;
  return decode_driver_call(name, &params, true, handles).value();
}

TEST(DecodeDriverCall, GivesTheRuntimesNameToWhatHasOne) {
  CUdeviceptr pointer = 0x7000;
  size_t pitch = 512;
  const DecodedCall call =
      driver_call("cuMemAllocPitch", cuMemAllocPitch_v2_params{&pointer, &pitch, 400, 30, 4});
  EXPECT_EQ(call.name, "cudaMallocPitch");
  EXPECT_EQ(call.args.dump(), R"({"ptr":28672,"pitch":512,"width":400,"height":30})");
}

TEST(DecodeDriverCall, TakesACopysEndsWhateverTheyAreCalled) {
  const DecodedCall call = driver_call(
      "cuMemcpyDtoH", cuMemcpyDtoH_v2_params{reinterpret_cast<void*>(0x9000), 0x7000, 64});
  EXPECT_EQ(call.name, "cudaMemcpy");
  EXPECT_EQ(call.args.dump(), R"({"dst":36864,"src":28672,"count":64,"stream":0})");
  EXPECT_EQ(call.copy->width, 64u);
}

TEST(DecodeDriverCall, FindsTheRectangleOfA2DCopy) {
  CUDA_MEMCPY2D_v2 copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = reinterpret_cast<void*>(0x9000);
  copy.srcPitch = 400;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = 0x7000;
  copy.dstPitch = 512;
  copy.dstY = 2;
  copy.WidthInBytes = 400;
  copy.Height = 28;
  const DecodedCall call = driver_call("cuMemcpy2D", cuMemcpy2D_v2_params{&copy});
  EXPECT_EQ(call.name, "cudaMemcpy2D");
  EXPECT_EQ(
      call.args.dump(),
      R"({"dst":29696,"dpitch":512,"src":36864,"spitch":400,"width":400,"height":28,"stream":0})");
}

TEST(DecodeDriverCall, CountsAFillInBytes) {
  EXPECT_EQ(driver_call("cuMemsetD32", cuMemsetD32_v2_params{0x7000, 7, 16}).args.dump(),
            R"({"ptr":28672,"value":7,"count":64,"stream":0})");
}

TEST(DecodeDriverCall, KeepsTheNameOfWhatHasNoEquivalent) {
  EXPECT_EQ(driver_call("cuMemAdvise", 0).name, "cuMemAdvise");
}

TEST(DecodeDriverCall, IsSilentAboutCallsThatOnlyAskOrPrepare) {
  Handles handles;
  for (const char* name : {"cuInit", "cuGetProcAddress", "cuCtxGetCurrent", "cuModuleGetFunction",
                           "cuDevicePrimaryCtxRetain", "cuLibraryLoadData"})
    EXPECT_FALSE(decode_driver_call(name, nullptr, true, handles)) << name;
}

TEST(DriverLaunch, ReadsEveryFormOfALaunch) {
  CUlaunchConfig config = {};
  config.gridDimX = 5;
  config.blockDimX = 64;
  config.sharedMemBytes = 128;
  void* arguments[1] = {};
  const cuLaunchKernelEx_params configured{&config, nullptr, arguments, nullptr};
  const LaunchRequest request = driver_launch("cuLaunchKernelEx", &configured);
  EXPECT_EQ(request.grid[0], 5u);
  EXPECT_EQ(request.block[0], 64u);
  EXPECT_EQ(request.dynamic_shared_bytes, 128u);
  EXPECT_EQ(request.arguments, arguments);
  const cuLaunchKernel_params plain{nullptr, 1, 2, 3, 4, 5, 6, 7, nullptr, arguments, nullptr};
  EXPECT_EQ(driver_launch("cuLaunchKernel", &plain).grid, (std::array<unsigned, 3>{1, 2, 3}));
  EXPECT_EQ(driver_launch("cuLaunchKernel", &plain).block, (std::array<unsigned, 3>{4, 5, 6}));
  const cuLaunchCooperativeKernel_params together{nullptr, 1, 2, 3, 4, 5, 6, 7, nullptr, arguments};
  EXPECT_EQ(driver_launch("cuLaunchCooperativeKernel", &together).dynamic_shared_bytes, 7u);
}

}  // namespace
}  // namespace warpgrade::injection
