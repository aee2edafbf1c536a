// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <set>

#include "observe/injection/decoded_call.h"
#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

template <class Pointer>
Pointer at(uint64_t address) {
  return reinterpret_cast<Pointer>(address);
}

template <class Params>
DecodedCall decoded(const char* name, const Params& params, Handles& handles) {
  return decode_runtime_call(name, &params, true, handles);
}

template <class Params>
DecodedCall decoded(const char* name, const Params& params) {
  Handles handles;
  return decoded(name, params, handles);
}

TEST(PlainName, LeavesOutVersionsAndFormsForStreams) {
  EXPECT_EQ(plain_name("cudaMallocPitch_v3020"), "cudaMallocPitch");
  EXPECT_EQ(plain_name("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(plain_name("cudaMemcpy_ptds"), "cudaMemcpy");
  EXPECT_EQ(plain_name("cuMemAlloc_v2"), "cuMemAlloc");
  EXPECT_EQ(plain_name("cuMemcpyHtoDAsync_v2_ptsz"), "cuMemcpyHtoDAsync");
  EXPECT_EQ(plain_name("cudaMemcpy"), "cudaMemcpy");
}

TEST(RecordedName, TakesWhatNvccLaunchesByForTheLaunchThatWasWritten) {
  EXPECT_EQ(recorded_name("__cudaLaunchKernel_ptsz_v13000"), "cudaLaunchKernel");
  EXPECT_EQ(recorded_name("__cudaGetKernel_v13000"), "");
  EXPECT_EQ(recorded_name("cudaMemset_v3020"), "cudaMemset");
}

TEST(RecordedName, LeavesOutWhatOnlyPutsAnErrorIntoWords) {
  EXPECT_EQ(recorded_name("cudaGetErrorName_v6050"), "");
  EXPECT_EQ(recorded_name("cudaGetErrorString_v3020"), "");
  EXPECT_EQ(recorded_name("cudaGetLastError_v3020"), "cudaGetLastError");
}

TEST(RuntimeDecoders, HoldEachCallInOneChapter) {
  std::set<std::string_view> names;
  for (const auto chapter :
       {memory_decoders(), copy_decoders(), stream_decoders(), execution_decoders()}) {
    EXPECT_FALSE(chapter.empty());
    for (const RuntimeDecoder& each : chapter)
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
  }
}

TEST(DecodeRuntimeCall, ReadsThePitchThatACallGave) {
  void* pointer = at<void*>(0x7000);
  size_t pitch = 512;
  const cudaMallocPitch_v3020_params params{&pointer, &pitch, 400, 30};
  EXPECT_EQ(decoded("cudaMallocPitch", params).args.dump(),
            R"({"ptr":28672,"pitch":512,"width":400,"height":30})");
}

TEST(DecodeRuntimeCall, LooksAtNothingThatAFailedCallWasToGive) {
  Handles handles;
  const cudaMallocPitch_v3020_params params{at<void**>(8), at<size_t*>(8), 400, 30};
  EXPECT_EQ(decode_runtime_call("cudaMallocPitch", &params, false, handles).args.dump(),
            R"({"ptr":0,"pitch":0,"width":400,"height":30})");
}

TEST(DecodeRuntimeCall, TellsAllThreeExtentsOf3DMemory) {
  cudaPitchedPtr memory = {at<void*>(0x7000), 512, 400, 30};
  const cudaMalloc3D_v3020_params params{&memory, {400, 30, 4}};
  EXPECT_EQ(decoded("cudaMalloc3D", params).args.dump(),
            R"({"ptr":28672,"pitch":512,"width":400,"height":30,"depth":4})");
}

TEST(DecodeRuntimeCall, TellsOfEachKindOfMemoryWhereItIs) {
  void* pointer = at<void*>(0x7000);
  const std::string wanted = R"({"ptr":28672,"size":64})";
  EXPECT_EQ(decoded("cudaMalloc", cudaMalloc_v3020_params{&pointer, 64}).args.dump(), wanted);
  EXPECT_EQ(
      decoded("cudaMallocManaged", cudaMallocManaged_v6000_params{&pointer, 64, 1}).args.dump(),
      wanted);
  EXPECT_EQ(decoded("cudaMallocHost", cudaMallocHost_v3020_params{&pointer, 64}).args.dump(),
            wanted);
  EXPECT_EQ(decoded("cudaHostAlloc", cudaHostAlloc_v3020_params{&pointer, 64, 0}).args.dump(),
            wanted);
  EXPECT_EQ(decoded("cudaHostRegister", cudaHostRegister_v4000_params{pointer, 64, 0}).args.dump(),
            wanted);
  EXPECT_EQ(decoded("cudaFree", cudaFree_v3020_params{pointer}).args.dump(), R"({"ptr":28672})");
}

TEST(DecodeRuntimeCall, GivesStreamOrderedMemoryTheStreamsNumber) {
  Handles handles;
  void* pointer = at<void*>(0x7000);
  const auto stream = at<cudaStream_t>(0x10000);
  EXPECT_EQ(decoded("cudaMallocAsync", cudaMallocAsync_v11020_params{&pointer, 64, stream}, handles)
                .args.dump(),
            R"({"stream":1,"ptr":28672,"size":64})");
  EXPECT_EQ(
      decoded("cudaFreeAsync", cudaFreeAsync_v11020_params{pointer, stream}, handles).args.dump(),
      R"({"stream":1,"ptr":28672})");
}

TEST(DecodeRuntimeCall, TellsThePitchesOfA2DCopyAndWhatItMoves) {
  const cudaMemcpy2DAsync_v3020_params params{
      at<void*>(0x7000), 512, at<void*>(0x9000), 400, 400, 30, cudaMemcpyHostToDevice, nullptr};
  const DecodedCall call = decoded("cudaMemcpy2DAsync", params);
  EXPECT_EQ(
      call.args.dump(),
      R"({"dst":28672,"dpitch":512,"src":36864,"spitch":400,"width":400,"height":30,"stream":0})");
  EXPECT_EQ(call.copy->to.pitch, 512u);
  EXPECT_EQ(call.copy->height, 30u);
}

TEST(DecodeRuntimeCall, FindsWhereTheBoxOfA3DCopyBegins) {
  cudaMemcpy3DParms p = {};
  p.dstPtr = {at<void*>(0x7000), 512, 400, 30};
  p.dstPos = {4, 2, 1};
  p.srcPtr = {at<void*>(0x9000), 400, 400, 30};
  p.extent = {396, 28, 3};
  const DecodedCall call = decoded("cudaMemcpy3D", cudaMemcpy3D_v3020_params{&p});
  EXPECT_EQ(call.args["dst"], 0x7000 + 512 * 30 + 2 * 512 + 4);
  EXPECT_EQ(call.args["spitch"], 400);
  EXPECT_EQ(call.args["depth"], 3);
  EXPECT_EQ(call.copy->from.slice_pitch, 400u * 30);
}

TEST(DecodeRuntimeCall, CountsTheBytesOfAnArraysElements) {
  Handles handles;
  cudaArray_t array = at<cudaArray_t>(0x20000);
  cudaChannelFormatDesc floats = {32, 32, 0, 0, cudaChannelFormatKindFloat};
  decoded("cudaMallocArray", cudaMallocArray_v3020_params{&array, &floats, 16, 8, 0}, handles);
  cudaMemcpy3DParms p = {};
  p.srcArray = array;
  p.dstPtr = {at<void*>(0x9000), 128, 128, 8};
  p.extent = {16, 8, 1};
  const DecodedCall call = decoded("cudaMemcpy3D", cudaMemcpy3D_v3020_params{&p}, handles);
  EXPECT_EQ(call.copy->width, 16u * 8);
  EXPECT_TRUE(call.copy->from.is_array);
}

TEST(DecodeRuntimeCall, KnowsThatAVariableLiesOnTheDevice) {
  const cudaMemcpyToSymbol_v3020_params params{"filter", at<void*>(0x9000), 100, 4,
                                               cudaMemcpyHostToDevice};
  const DecodedCall call = decoded("cudaMemcpyToSymbol", params);
  EXPECT_EQ(call.args.dump(), R"({"count":100,"offset":4,"src":36864,"stream":0})");
  EXPECT_TRUE(call.copy->to.is_symbol);
}

TEST(DecodeRuntimeCall, TellsWhatAFillWrites) {
  EXPECT_EQ(decoded("cudaMemset", cudaMemset_v3020_params{at<void*>(0x7000), -1, 64}).args.dump(),
            R"({"ptr":28672,"value":-1,"count":64,"stream":0})");
  EXPECT_EQ(decoded("cudaMemset2D", cudaMemset2D_v3020_params{at<void*>(0x7000), 512, 0, 400, 30})
                .args.dump(),
            R"({"ptr":28672,"pitch":512,"value":0,"width":400,"height":30,"stream":0})");
}

TEST(DecodeRuntimeCall, NumbersEventsAndStreamsInTheOrderOfTheirFirstUse) {
  Handles handles;
  cudaEvent_t start = at<cudaEvent_t>(0x100), end = at<cudaEvent_t>(0x200);
  cudaStream_t stream = at<cudaStream_t>(0x10000);
  decoded("cudaEventCreate", cudaEventCreate_v3020_params{&start}, handles);
  decoded("cudaEventCreateWithFlags", cudaEventCreateWithFlags_v3020_params{&end, 0}, handles);
  decoded("cudaStreamCreate", cudaStreamCreate_v3020_params{&stream}, handles);
  EXPECT_EQ(
      decoded("cudaEventRecord", cudaEventRecord_v3020_params{end, stream}, handles).args.dump(),
      R"({"event":2,"stream":1})");
  float ms = 1.5f;
  EXPECT_EQ(
      decoded("cudaEventElapsedTime", cudaEventElapsedTime_v12080_params{&ms, start, end}, handles)
          .args.dump(),
      R"({"start":1,"end":2,"ms":1.5})");
}

TEST(DecodeRuntimeCall, GivesAHandleThatComesBackAnotherNumber) {
  Handles handles;
  cudaEvent_t event = at<cudaEvent_t>(0x100);
  decoded("cudaEventCreate", cudaEventCreate_v3020_params{&event}, handles);
  EXPECT_EQ(
      decoded("cudaEventDestroy", cudaEventDestroy_v3020_params{event}, handles).args["event"], 1);
  EXPECT_EQ(decoded("cudaEventCreate", cudaEventCreate_v3020_params{&event}, handles).args["event"],
            2);
}

TEST(DecodeRuntimeCall, TakesEveryHandleOfTheDefaultStreamForIt) {
  for (const cudaStream_t stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
    EXPECT_EQ(
        decoded("cudaStreamSynchronize", cudaStreamSynchronize_v3020_params{stream}).args.dump(),
        R"({"stream":0})");
  }
}

TEST(DecodeRuntimeCall, RecordsOtherCallsWithoutArguments) {
  const DecodedCall call = decoded("cudaFuncSetAttribute", cudaFuncSetAttribute_v9000_params{});
  EXPECT_EQ(call.name, "cudaFuncSetAttribute");
  EXPECT_EQ(call.args.dump(), "{}");
}

TEST(DecodeRuntimeCall, TellsWhichDeviceWasChosen) {
  EXPECT_EQ(decoded("cudaSetDevice", cudaSetDevice_v3020_params{3}).args.dump(), R"({"device":3})");
  int count = 2;
  EXPECT_EQ(decoded("cudaGetDeviceCount", cudaGetDeviceCount_v3020_params{&count}).args.dump(),
            R"({"count":2})");
}

}  // namespace
}  // namespace warpgrade::injection
