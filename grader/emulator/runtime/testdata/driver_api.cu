// SPDX-License-Identifier: MIT
// The driver API: contexts, modules of PTX, launches with both kinds of arguments, memory, arrays, textures, streams; and
// libraries that the runtime loads.
#include <cuda.h>

#include <cstring>
#include <thread>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

#define EXPECT_RESULT(call, wanted) expect_that((call) == (wanted), #call, __LINE__)
#define EXPECT_OK(call) EXPECT_RESULT(call, CUDA_SUCCESS)

constexpr int kCount = 1000;

const char* const kPtx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u32 count, .param .u64 values, .param .u8 bias)
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [count];
  ld.param.u64 %rd1, [values];
  ld.param.u8 %r2, [bias];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.u32 %r3, %r3, %r4, %r5;
  setp.ge.u32 %p, %r3, %r1;
  @%p bra END;
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r6, [%rd1];
  ld.global.u32 %r7, [factor];
  mad.lo.u32 %r6, %r6, %r7, %r2;
  st.global.u32 [%rd1], %r6;
END:
  ret;
}
)";

struct Loaded {
  CUmodule module;
  CUfunction scale;
  CUdeviceptr values;
};

void before_initialisation() {
  int count = 0;
  EXPECT_RESULT(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
}

void devices() {
  EXPECT_OK(cuInit(0));
  int count = 0, major = 0;
  CUdevice device;
  char name[100] = {};
  size_t bytes = 0;
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  EXPECT_OK(cuDeviceGet(&device, 0));
  EXPECT_RESULT(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT(std::strstr(name, "RTX 3090") != nullptr);
  EXPECT_OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  EXPECT(major == 8);
  EXPECT_OK(cuDeviceTotalMem(&bytes, 0));
  EXPECT(bytes > size_t{8} << 30);
  const char* text = nullptr;
  EXPECT_OK(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text));
  EXPECT(std::strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
  void* function = nullptr;
  EXPECT_OK(cuGetProcAddress("cuMemAlloc", &function, 13000, 0, nullptr));
  EXPECT(function == reinterpret_cast<void*>(&cuMemAlloc));
}

std::vector<unsigned> numbers() {
  std::vector<unsigned> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = i;
  return values;
}

void check_values(const Loaded& loaded, unsigned factor, unsigned bias) {
  std::vector<unsigned> got(kCount);
  EXPECT_OK(cuMemcpyDtoH(got.data(), loaded.values, kCount * 4));
  int wrong = 0;
  for (unsigned i = 0; i < kCount; ++i) wrong += got[i] != i * factor + bias;
  EXPECT(wrong == 0);
}

void launches(const Loaded& loaded) {
  const auto fill = [&] { EXPECT_OK(cuMemcpyHtoD(loaded.values, numbers().data(), kCount * 4)); };
  fill();
  unsigned count = kCount;
  CUdeviceptr values = loaded.values;
  unsigned char bias = 7;
  void* arguments[] = {&count, &values, &bias};
  EXPECT_OK(cuLaunchKernel(loaded.scale, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  check_values(loaded, 3, 7);

  fill();
  char packed[17] = {};
  std::memcpy(packed, &count, 4);
  std::memcpy(packed + 8, &values, 8);
  packed[16] = 9;
  size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  EXPECT_OK(cuLaunchKernel(loaded.scale, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  check_values(loaded, 3, 9);
  bytes = 16;
  EXPECT_RESULT(cuLaunchKernel(loaded.scale, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra),
                CUDA_ERROR_INVALID_VALUE);

  fill();
  CUdeviceptr factor = 0;
  EXPECT_OK(cuModuleGetGlobal(&factor, &bytes, loaded.module, "factor"));
  EXPECT(bytes == 4);
  EXPECT_OK(cuMemsetD32(factor, 0x00010002, 1));
  CUlaunchConfig config = {};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  EXPECT_OK(cuLaunchKernelEx(&config, loaded.scale, arguments, nullptr));
  check_values(loaded, 0x00010002, 7);
}

void modules() {
  Loaded loaded = {};
  EXPECT_OK(cuModuleLoadData(&loaded.module, kPtx));
  EXPECT_OK(cuModuleGetFunction(&loaded.scale, loaded.module, "scale"));
  CUfunction none;
  EXPECT_RESULT(cuModuleGetFunction(&none, loaded.module, "scales"), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr nothing;
  EXPECT_RESULT(cuModuleGetGlobal(&nothing, nullptr, loaded.module, "factors"),
                CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuMemAlloc(&loaded.values, kCount * 4));
  launches(loaded);
  int threads = 0, blocks = 0, grid = 0;
  EXPECT_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, loaded.scale));
  EXPECT(threads == 1024);
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, loaded.scale, 256, 0));
  EXPECT(blocks == 6);
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &threads, loaded.scale, nullptr, 0, 0));
  EXPECT(grid == 2 * 82 && threads == 768);
  EXPECT_OK(cuMemFree(loaded.values));
  EXPECT_OK(cuModuleUnload(loaded.module));
  CUmodule module;
  EXPECT(cuModuleLoadData(&module, ".version 7.0\n.target sm_52\nnonsense") != CUDA_SUCCESS);
}

void contexts() {
  CUcontext made, popped, current;
  EXPECT_OK(cuCtxCreate(&made, nullptr, 0, 0));
  EXPECT_OK(cuCtxGetCurrent(&current));
  EXPECT(current == made);
  modules();
  EXPECT_OK(cuCtxPopCurrent(&popped));
  EXPECT(popped == made);
  EXPECT_OK(cuCtxGetCurrent(&current));
  EXPECT(current == nullptr);
  std::thread([&] {
    EXPECT_OK(cuCtxPushCurrent(made));
    modules();
    EXPECT_OK(cuCtxSynchronize());
  }).join();
  EXPECT_OK(cuCtxDestroy(made));
  EXPECT_OK(cuDevicePrimaryCtxRetain(&made, 0));
  EXPECT_OK(cuCtxSetCurrent(made));
}

void streams() {
  CUstream stream;
  CUevent begin, end;
  CUdeviceptr memory;
  EXPECT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  EXPECT_OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  EXPECT_OK(cuEventRecord(begin, stream));
  EXPECT_OK(cuMemAllocAsync(&memory, 64, stream));
  EXPECT_OK(cuMemsetD16Async(memory, 0x1234, 32, stream));
  unsigned short got[32] = {};
  EXPECT_OK(cuMemcpyDtoHAsync(got, memory, 64, stream));
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  EXPECT_OK(cuEventRecord(end, stream));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT(got[0] == 0x1234 && got[31] == 0x1234);
  float ms = -1;
  EXPECT_OK(cuEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0);
  EXPECT_OK(cuEventDestroy(begin));
  EXPECT_OK(cuEventDestroy(end));
  EXPECT_OK(cuStreamDestroy(stream));
}

void arrays() {
  constexpr size_t kWidth = 8, kHeight = 4;
  CUDA_ARRAY_DESCRIPTOR wanted = {kWidth, kHeight, CU_AD_FORMAT_FLOAT, 1}, told = {};
  CUarray array;
  EXPECT_OK(cuArrayCreate(&array, &wanted));
  EXPECT_OK(cuArrayGetDescriptor(&told, array));
  EXPECT(told.Width == kWidth && told.Height == kHeight && told.Format == CU_AD_FORMAT_FLOAT);
  std::vector<float> values(kWidth * kHeight), got(kWidth * 2);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  CUDA_MEMCPY2D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = values.data();
  in.srcPitch = kWidth * sizeof(float);
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.WidthInBytes = kWidth * sizeof(float);
  in.Height = kHeight;
  EXPECT_OK(cuMemcpy2D(&in));
  CUDA_MEMCPY2D out = {};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcXInBytes = 4;
  out.srcY = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = got.data();
  out.dstPitch = kWidth * sizeof(float);
  out.WidthInBytes = 3 * sizeof(float);
  out.Height = 2;
  EXPECT_OK(cuMemcpy2D(&out));
  EXPECT(got[0] == 9 && got[2] == 11 && got[3] == 0 && got[kWidth] == 17);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture = {};
  CUtexObject object;
  EXPECT_OK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  EXPECT_OK(cuTexObjectDestroy(object));
  EXPECT_OK(cuArrayDestroy(array));
}

void libraries() {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  unsigned* values = nullptr;
  void* factor = nullptr;
  size_t bytes = 0;
  EXPECT_SUCCESS(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_SUCCESS(cudaLibraryGetKernel(&kernel, library, "scale"));
  EXPECT_ERROR(cudaLibraryGetKernel(&kernel, library, "scales"), cudaErrorSymbolNotFound);
  EXPECT_SUCCESS(cudaLibraryGetKernel(&kernel, library, "scale"));
  EXPECT_SUCCESS(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"));
  EXPECT(bytes == 4);
  EXPECT_SUCCESS(cudaMalloc(&values, 4));
  unsigned count = 1, five = 5;
  EXPECT_SUCCESS(cudaMemcpy(values, &five, 4, cudaMemcpyHostToDevice));
  unsigned char bias = 1;
  void* arguments[] = {&count, &values, &bias};
  EXPECT_SUCCESS(cudaLaunchKernel(kernel, 1, 32, arguments, 0, nullptr));
  EXPECT_SUCCESS(cudaMemcpy(&five, values, 4, cudaMemcpyDeviceToHost));
  EXPECT(five == 16);
  EXPECT_SUCCESS(cudaFree(values));
  EXPECT_SUCCESS(cudaLibraryUnload(library));
  EXPECT_ERROR(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
}

const char* const kCaller = R"(
.version 7.0
.target sm_52
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry doubled(.param .u64 to)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, 21;
  {
  .param .b32 value;
  .param .b32 result;
  st.param.b32 [value], %r1;
  call (result), twice, (value);
  ld.param.b32 %r2, [result];
  }
  cvta.to.global.u64 %rd1, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)";
const char* const kCallee = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [value];
  add.u32 %r1, %r1, %r1;
  st.param.b32 [result], %r1;
  ret;
}
)";

/// Units that name each other's functions are linked before they are loaded.
void linking() {
  CUlinkState link = nullptr;
  char log[64] = "?";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  EXPECT_OK(cuLinkCreate(2, options, values, &link));
  EXPECT(log[0] == 0);
  void* image = nullptr;
  size_t bytes = 0;
  EXPECT_RESULT(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller), strlen(kCaller) + 1,
                          "caller", 0, nullptr, nullptr));
  EXPECT_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCallee), strlen(kCallee),
                          "callee", 0, nullptr, nullptr));
  EXPECT_RESULT(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nowhere/unit.ptx", 0, nullptr, nullptr),
                CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_OK(cuLinkComplete(link, &image, &bytes));
  CUmodule module;
  CUfunction doubled;
  EXPECT_OK(cuModuleLoadData(&module, image));
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_OK(cuModuleGetFunction(&doubled, module, "doubled"));
  CUdeviceptr to;
  EXPECT_OK(cuMemAlloc(&to, sizeof(int)));
  void* arguments[] = {&to};
  EXPECT_OK(cuLaunchKernel(doubled, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int got = 0;
  EXPECT_OK(cuMemcpyDtoH(&got, to, sizeof got));
  EXPECT(got == 42);
  EXPECT_OK(cuMemFree(to));
  EXPECT_OK(cuModuleUnload(module));
}

/// As for a program that defines CUDA_API_PER_THREAD_DEFAULT_STREAM.
void per_thread_stream() {
  using Begin = CUresult (*)(CUstream, CUstreamCaptureMode);
  void* function = nullptr;
  EXPECT_OK(cuGetProcAddress("cuStreamBeginCapture", &function, 13000,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr));
  EXPECT_OK(reinterpret_cast<Begin>(function)(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUstreamCaptureStatus status;
  EXPECT_OK(cuStreamIsCapturing(CU_STREAM_PER_THREAD, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuStreamIsCapturing(nullptr, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraph graph;
  EXPECT_OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
  EXPECT_OK(cuGraphDestroy(graph));
}

void addresses() {
  CUdeviceptr memory = 0, start = 0, other = 0;
  size_t bytes = 0;
  EXPECT_OK(cuMemAlloc(&memory, 1000));
  EXPECT_OK(cuMemAlloc(&other, 1000));
  EXPECT_OK(cuMemGetAddressRange(&start, &bytes, memory + 999));
  EXPECT(start == memory && bytes == 1000);
  EXPECT_OK(cuMemGetAddressRange(nullptr, &bytes, memory));
  int on_host = 0;
  const auto host = reinterpret_cast<CUdeviceptr>(&on_host);
  EXPECT_RESULT(cuMemGetAddressRange(&start, &bytes, host), CUDA_ERROR_NOT_FOUND);

  CUcontext context = nullptr;
  EXPECT_OK(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
  EXPECT(context != nullptr);
  unsigned long long id = 0, other_id = 0;
  EXPECT_OK(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, memory + 4));
  EXPECT_OK(cuPointerGetAttribute(&other_id, CU_POINTER_ATTRIBUTE_BUFFER_ID, other));
  EXPECT(id != 0 && id != other_id);

  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                  CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* on_device = &on_host;
  void* told[] = {&start, &bytes, &on_device};
  EXPECT_OK(cuPointerGetAttributes(3, wanted, told, memory + 8));
  EXPECT(start == memory && bytes == 1000 && on_device == nullptr);
  EXPECT_OK(cuPointerGetAttributes(2, wanted, told, host));
  EXPECT(start == 0 && bytes == 0);
  EXPECT_OK(cuMemFree(memory));
  EXPECT_OK(cuMemFree(other));
}

void rows_of_short_elements() {
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  EXPECT_OK(cuMemAllocPitch(&memory, &pitch, 3 * sizeof(short), 2, 4));
  EXPECT_OK(cuMemsetD8(memory, 0, 2 * pitch));
  EXPECT_OK(cuMemsetD2D16(memory, pitch, 0x1234, 3, 2));
  std::vector<unsigned short> all(pitch);
  EXPECT_OK(cuMemcpyDtoH(all.data(), memory, 2 * pitch));
  const size_t row = pitch / sizeof(short);
  EXPECT(all[0] == 0x1234 && all[2] == 0x1234 && all[3] == 0);
  EXPECT(all[row] == 0x1234 && all[row + 2] == 0x1234 && all[row + 3] == 0);
  EXPECT_OK(cuMemFree(memory));
}

static void refused() {
  CUdeviceptr reserved = 0;
  EXPECT_OK(cuInit(0));
  EXPECT_RESULT(cuMemAddressReserve(&reserved, 1 << 21, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT(cudaPeekAtLastError() == cudaSuccess);  // The driver API keeps none.
}

int main(int count, char**) {
  if (count > 1) {
    refused();
    return failures;
  }
  before_initialisation();
  devices();
  contexts();
  streams();
  per_thread_stream();
  arrays();
  libraries();
  linking();
  addresses();
  rows_of_short_elements();
  return failures;
}
