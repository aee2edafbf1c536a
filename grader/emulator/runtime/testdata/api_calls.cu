// SPDX-License-Identifier: MIT
// Calls that are met now and then: attributes of streams, hints, linear copies of arrays, batches,
// entry points, parameters, occupancy, devices.
#include <cstring>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

struct Pair {
  double a;
  char b;
};
__global__ void kernel(int* out, Pair pair, short last) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = static_cast<int>(pair.a) + pair.b + last;
  out[threadIdx.x] = scratch[threadIdx.x];
}

void streams() {
  cudaStream_t stream, other;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  EXPECT_SUCCESS(cudaStreamCreate(&other));
  cudaStreamAttrValue value = {}, told = {};
  value.accessPolicyWindow.base_ptr = &value;
  value.accessPolicyWindow.num_bytes = 4096;
  value.accessPolicyWindow.hitRatio = 0.5f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  EXPECT_SUCCESS(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  EXPECT_SUCCESS(cudaStreamCopyAttributes(other, stream));
  EXPECT_SUCCESS(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &told));
  EXPECT(told.accessPolicyWindow.num_bytes == 4096);
  EXPECT_ERROR(cudaStreamSetAttribute(stream, cudaLaunchAttributeCooperative, &value),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaCtxResetPersistingL2Cache());
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
  EXPECT_SUCCESS(cudaStreamDestroy(other));
}

void hints() {
  int* data;
  EXPECT_SUCCESS(cudaMallocManaged(&data, 4096));
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0},
                        host = {cudaMemLocationTypeHost, 0};
  EXPECT_SUCCESS(cudaMemAdvise(data, 4096, cudaMemAdviseSetReadMostly, device));
  EXPECT_SUCCESS(cudaMemAdvise(data, 4096, cudaMemAdviseSetPreferredLocation, host));
  EXPECT_SUCCESS(cudaMemAdvise(data, 4096, cudaMemAdviseSetAccessedBy, device));
  EXPECT_SUCCESS(cudaMemPrefetchAsync(data, 4096, device, 0, nullptr));
  int told = -9;
  EXPECT_SUCCESS(
      cudaMemRangeGetAttribute(&told, sizeof told, cudaMemRangeAttributeReadMostly, data, 4096));
  EXPECT(told == 1);
  int preferred = -9, prefetched = -9, accessed[2];
  void* to[] = {&preferred, &prefetched, accessed};
  size_t sizes[] = {4, 4, 8};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributePreferredLocation,
                                   cudaMemRangeAttributeLastPrefetchLocation,
                                   cudaMemRangeAttributeAccessedBy};
  EXPECT_SUCCESS(cudaMemRangeGetAttributes(to, sizes, which, 3, data, 4096));
  EXPECT(preferred == cudaCpuDeviceId && prefetched == 0);
  EXPECT(accessed[0] == 0 && accessed[1] == cudaInvalidDeviceId);
  const cudaMemLocation none = {cudaMemLocationTypeDevice, 99};
  EXPECT_ERROR(cudaMemPrefetchAsync(data, 4096, none, 0, nullptr), cudaErrorInvalidDevice);
  int local = 0;
  EXPECT_ERROR(cudaMemAdvise(&local, 4, cudaMemAdviseSetReadMostly, device), cudaErrorInvalidValue);
  int* own;
  EXPECT_SUCCESS(cudaMalloc(&own, 4096));
  EXPECT_ERROR(cudaMemAdvise(own, 4096, cudaMemAdviseSetReadMostly, device), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemPrefetchAsync(own, 4096, device, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaMemPrefetchAsync(data, 1 << 20, device, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaFree(own));
  EXPECT_SUCCESS(cudaFree(data));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444
void copies() {
  cudaArray_t array, other;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  EXPECT_SUCCESS(cudaMallocArray(&array, &format, 8, 4));
  EXPECT_SUCCESS(cudaMallocArray(&other, &format, 8, 4));
  std::vector<int> in(32), out(32, -1);
  for (int i = 0; i < 32; ++i) in[i] = i;
  EXPECT_SUCCESS(cudaMemcpyToArray(array, 0, 0, in.data(), 128, cudaMemcpyHostToDevice));
  EXPECT_SUCCESS(cudaMemcpyArrayToArray(other, 0, 0, array, 4, 1, 64));
  EXPECT_SUCCESS(cudaMemcpyFromArray(out.data(), other, 0, 0, 64, cudaMemcpyDeviceToHost));
  EXPECT(out[0] == 9 && out[15] == 24 && out[16] == -1);
  EXPECT_ERROR(cudaMemcpyToArray(array, 4, 0, in.data(), 128, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaFreeArray(array));
  EXPECT_SUCCESS(cudaFreeArray(other));

  int *a, *b;
  EXPECT_SUCCESS(cudaMalloc(&a, 64));
  EXPECT_SUCCESS(cudaMalloc(&b, 64));
  cudaStream_t stream;
  EXPECT_SUCCESS(cudaStreamCreate(&stream));
  const void* from[] = {in.data(), in.data() + 16};
  void* to[] = {a, b};
  size_t sizes[] = {64, 64}, index = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_SUCCESS(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &index, 1, stream));
  EXPECT_SUCCESS(cudaMemcpy(out.data(), b, 64, cudaMemcpyDefault));
  EXPECT(out[0] == 16 && out[15] == 31);
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = make_cudaPitchedPtr(a, 32, 32, 2);
  peer.dstPtr = make_cudaPitchedPtr(b, 32, 32, 2);
  peer.extent = make_cudaExtent(16, 2, 1);
  EXPECT_SUCCESS(cudaMemcpy3DPeer(&peer));
  EXPECT_SUCCESS(cudaMemcpy(out.data(), b, 64, cudaMemcpyDefault));
  EXPECT(out[0] == 0 && out[4] == 20 && out[8] == 8);
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
  EXPECT_SUCCESS(cudaFree(a));
  EXPECT_SUCCESS(cudaFree(b));
}

void questions() {
  size_t offset = 99, size = 99;
  EXPECT_SUCCESS(cudaFuncGetParamInfo(reinterpret_cast<void*>(kernel), 1, &offset, &size));
  EXPECT(offset == 8 && size == sizeof(Pair));
  EXPECT_SUCCESS(cudaFuncGetParamInfo(reinterpret_cast<void*>(kernel), 2, &offset, &size));
  EXPECT(offset == 24 && size == 2);
  EXPECT_ERROR(cudaFuncGetParamInfo(reinterpret_cast<void*>(kernel), 3, &offset, &size),
               cudaErrorInvalidValue);
  size_t shared = 0;
  EXPECT_SUCCESS(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 2, 256));
  EXPECT(shared > 16384 && shared <= 65536);
  char id[16];
  int device = -1;
  EXPECT_SUCCESS(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  EXPECT_SUCCESS(cudaDeviceGetByPCIBusId(&device, id));
  EXPECT(device == 0);
  EXPECT_ERROR(cudaDeviceGetByPCIBusId(&device, "0000:FF:00.0"), cudaErrorInvalidDevice);
  void* function = &device;
  cudaDriverEntryPointQueryResult found;
  EXPECT_SUCCESS(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &function, 13000, 0, &found));
  EXPECT(found == cudaDriverEntryPointSuccess);
  int devices = 0;
  EXPECT(reinterpret_cast<int (*)(int*)>(function)(&devices) == 0 && devices == 1);
  EXPECT_SUCCESS(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 13000, 0, &found));
  EXPECT(function == nullptr && found == cudaDriverEntryPointSymbolNotFound);
  EXPECT_ERROR(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 13000, 0, nullptr),
               cudaErrorSymbolNotFound);
  const char* name = nullptr;
  EXPECT_SUCCESS(cudaFuncGetName(&name, reinterpret_cast<void*>(kernel)));
  EXPECT(name != nullptr && std::strstr(name, "kernel") != nullptr);
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  config.gridDim = 2;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  // This device has no clusters.
  EXPECT_ERROR(cudaLaunchKernelEx(&config, kernel, static_cast<int*>(nullptr), Pair{}, short{0}),
               cudaErrorInvalidClusterSize);
  cudaIpcMemHandle_t handle;
  EXPECT_ERROR(cudaIpcGetMemHandle(&handle, id), cudaErrorNotSupported);
}

/// Arguments that the Runtime API documents as errors.
void refused_arguments() {
  static char host[64];
  size_t limit = 0;
  int blocks = 0;
  char* device = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&device, 64));
  EXPECT_ERROR(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1), cudaErrorUnsupportedLimit);
  EXPECT_ERROR(cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(99)), cudaErrorUnsupportedLimit);
  EXPECT_ERROR(cudaMemcpyPeer(device, 0, device + 32, 5, 4), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaMemcpyPeerAsync(device, 5, device + 32, 0, 4), cudaErrorInvalidDevice);
  EXPECT_ERROR(cudaHostRegister(host, sizeof host, 0x80), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 128, 0, 55),
               cudaErrorInvalidValue);
  EXPECT_ERROR(cudaStreamAttachMemAsync(nullptr, device, 0, cudaMemAttachSingle),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaFree(device));
}

int main() {
  streams();
  hints();
  copies();
  questions();
  refused_arguments();
  return failures;
}
