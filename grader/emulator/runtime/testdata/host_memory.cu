// SPDX-License-Identifier: MIT
// Memory that host and devices share: __managed__ variables, managed, registered and peer memory, pools.
#include <cstdlib>

#include "emulator/runtime/testdata/expect.h"

__managed__ int counter = 5;
__managed__ float table[100];
__device__ int* pointer;

__global__ void use_managed() {
  atomicAdd(&counter, 1);
  table[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) pointer = &counter;
}
__global__ void add_one(int* values) { values[threadIdx.x] += 1; }
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }

static void check_managed_variables() {
  EXPECT(counter == 5 && table[99] == 0);
  counter = 7;
  use_managed<<<1, 100>>>();
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(counter == 107 && table[99] == 99);
  int copied = 0;
  EXPECT_SUCCESS(cudaMemcpyFromSymbol(&copied, counter, sizeof copied));
  EXPECT(copied == 107);
  int* seen = nullptr;
  EXPECT_SUCCESS(cudaMemcpyFromSymbol(&seen, pointer, sizeof seen));
  EXPECT(seen == &counter);
  cudaPointerAttributes attributes;
  EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, &counter));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
}

static void check_managed_memory() {
  int* values = nullptr;
  EXPECT_SUCCESS(cudaMallocManaged(&values, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) values[i] = i;
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
  EXPECT_SUCCESS(cudaMemAdvise(values, 128, cudaMemAdviseSetPreferredLocation, device));
  EXPECT_SUCCESS(cudaMemPrefetchAsync(values, 128, device, 0, nullptr));
  add_one<<<1, 32>>>(values);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[31] == 32);
  EXPECT_SUCCESS(cudaFree(values));
}

static void check_registered() {
  int* values = static_cast<int*>(std::malloc(32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) values[i] = i;
  EXPECT_SUCCESS(cudaHostRegister(values, 128, cudaHostRegisterMapped));
  int* mapped = nullptr;
  EXPECT_SUCCESS(cudaHostGetDevicePointer(&mapped, values, 0));
  add_one<<<1, 32>>>(mapped);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(values[31] == 32);
  EXPECT_SUCCESS(cudaHostUnregister(values));
  std::free(values);
}

static void check_flags() {
  void* memory = nullptr;
  unsigned flags = 0;
  EXPECT_SUCCESS(cudaHostAlloc(&memory, 64, cudaHostAllocWriteCombined));
  EXPECT_SUCCESS(cudaHostGetFlags(&flags, memory));
  EXPECT(flags == (cudaHostAllocWriteCombined | cudaHostAllocMapped));
  EXPECT_SUCCESS(cudaFreeHost(memory));
  EXPECT_SUCCESS(cudaHostAlloc(&memory, 64, cudaHostAllocPortable));
  EXPECT_SUCCESS(cudaHostGetFlags(&flags, memory));
  EXPECT(flags == cudaHostAllocMapped);
  EXPECT_SUCCESS(cudaFreeHost(memory));
}

static void check_pools() {
  cudaMemPool_t pool = nullptr;
  EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 1 << 20, got = 0;
  EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  EXPECT(got == threshold);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  EXPECT_SUCCESS(cudaMemPoolCreate(&pool, &properties));
  int *a = nullptr, *b = nullptr, host[32];
  EXPECT_SUCCESS(cudaMallocFromPoolAsync(&a, 128, pool, nullptr));
  EXPECT_SUCCESS(cudaMallocAsync(&b, 128, cudaStream_t{}));
  EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
  EXPECT(got >= 128);
  EXPECT_SUCCESS(cudaMemsetAsync(a, 0, 128));
  add_one<<<1, 32>>>(a);
  copy<<<1, 32>>>(b, a);
  EXPECT_SUCCESS(cudaMemcpy(host, b, 128, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 1);
  EXPECT_SUCCESS(cudaFreeAsync(a, nullptr));
  EXPECT_SUCCESS(cudaFreeAsync(b, nullptr));
  EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &got));
  EXPECT(got == 0);
  EXPECT_SUCCESS(cudaMemPoolTrimTo(pool, 0));
  EXPECT_SUCCESS(cudaMemPoolDestroy(pool));
}

static unsigned long long pool_value(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  unsigned long long value = 99;
  EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

/// Programming Guide, "Physical Page Caching Behavior".
static void check_what_pools_keep() {
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  EXPECT_SUCCESS(cudaMemPoolCreate(&pool, &properties));
  void* memory = nullptr;
  for (const unsigned long long threshold : {0ull, ~0ull}) {
    unsigned long long value = threshold;
    EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    EXPECT_SUCCESS(cudaMallocFromPoolAsync(&memory, 1 << 20, pool, nullptr));
    EXPECT(pool_value(pool, cudaMemPoolAttrReservedMemCurrent) >= 1 << 20);
    EXPECT_SUCCESS(cudaFreeAsync(memory, nullptr));
    EXPECT_SUCCESS(cudaStreamSynchronize(nullptr));
    EXPECT((pool_value(pool, cudaMemPoolAttrReservedMemCurrent) > 0) == (threshold > 0));
    EXPECT(pool_value(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  }
  EXPECT_SUCCESS(cudaMemPoolTrimTo(pool, 0));
  EXPECT(pool_value(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
  unsigned long long five = 5, zero = 0;
  EXPECT_ERROR(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &five),
               cudaErrorInvalidValue);
  EXPECT(pool_value(pool, cudaMemPoolAttrUsedMemHigh) == 1 << 20);
  EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT(pool_value(pool, cudaMemPoolAttrUsedMemHigh) == 0);
  EXPECT_ERROR(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(77), &five),
               cudaErrorInvalidValue);
  EXPECT_SUCCESS(cudaMemPoolDestroy(pool));
}

static cudaMemAccessFlags access_from(cudaMemPool_t pool, int device) {
  cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  auto flags = static_cast<cudaMemAccessFlags>(9);
  EXPECT_SUCCESS(cudaMemPoolGetAccess(&flags, pool, &location));
  return flags;
}

/// The error codes are those of an H200 with driver 580.
static void check_what_access_is_refused(cudaMemPool_t pool) {
  const auto set = [&](cudaMemLocationType type, int id, int flags) {
    const cudaMemAccessDesc wanted = {{type, id}, static_cast<cudaMemAccessFlags>(flags)};
    const cudaError_t error = cudaMemPoolSetAccess(pool, &wanted, 1);
    cudaGetLastError();
    return error;
  };
  const cudaMemLocationType device = cudaMemLocationTypeDevice;
  EXPECT(set(device, 1, cudaMemAccessFlagsProtRead) == cudaErrorNotSupported);
  EXPECT(set(device, 1, 2) == cudaErrorInvalidValue);
  EXPECT(set(device, 0, cudaMemAccessFlagsProtNone) == cudaErrorInvalidDevice);
  EXPECT(set(device, 0, cudaMemAccessFlagsProtReadWrite) == cudaSuccess);
  EXPECT(set(device, 7, cudaMemAccessFlagsProtReadWrite) == cudaErrorInvalidDevice);
  EXPECT(set(device, -1, cudaMemAccessFlagsProtNone) == cudaErrorInvalidDevice);
  EXPECT(set(cudaMemLocationTypeHost, 0, cudaMemAccessFlagsProtReadWrite) == cudaErrorNotSupported);
  EXPECT_SUCCESS(cudaMemPoolSetAccess(pool, nullptr, 0));
  cudaMemLocation location = {device, 7};
  cudaMemAccessFlags flags;
  EXPECT_ERROR(cudaMemPoolGetAccess(&flags, pool, &location), cudaErrorInvalidValue);
  location = {cudaMemLocationTypeHost, 0};
  EXPECT_SUCCESS(cudaMemPoolGetAccess(&flags, pool, &location));
  EXPECT(flags == cudaMemAccessFlagsProtNone);
  // Where one of several is wrong, none is done.
  const cudaMemAccessDesc two[] = {{{device, 1}, cudaMemAccessFlagsProtReadWrite},
                                   {{device, 7}, cudaMemAccessFlagsProtReadWrite}};
  EXPECT_ERROR(cudaMemPoolSetAccess(pool, two, 2), cudaErrorInvalidDevice);
  EXPECT(access_from(pool, 1) == cudaMemAccessFlagsProtNone);
}

/// Memory of a pool of device 0, which device 1 may not access any more.
static int* check_access_to_pools() {
  int host[32] = {}, *a = nullptr;
  cudaMemPool_t pool = nullptr;
  EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&pool, 0));
  EXPECT(access_from(pool, 0) == cudaMemAccessFlagsProtReadWrite);
  EXPECT(access_from(pool, 1) == cudaMemAccessFlagsProtNone);
  check_what_access_is_refused(pool);
  EXPECT_SUCCESS(cudaMallocAsync(&a, 128, cudaStream_t{}));
  EXPECT_SUCCESS(cudaMemsetAsync(a, 0, 128));
  EXPECT_SUCCESS(cudaDeviceSynchronize());

  cudaMemAccessDesc wanted = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  EXPECT_SUCCESS(cudaMemPoolSetAccess(pool, &wanted, 1));
  EXPECT(access_from(pool, 1) == cudaMemAccessFlagsProtReadWrite);
  EXPECT_SUCCESS(cudaSetDevice(1));
  add_one<<<1, 32>>>(a);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaMemcpy(host, a, 128, cudaMemcpyDefault));
  EXPECT(host[31] == 1);

  wanted.flags = cudaMemAccessFlagsProtNone;
  EXPECT_SUCCESS(cudaMemPoolSetAccess(pool, &wanted, 1));
  EXPECT_ERROR(cudaMemcpy(host, a, 128, cudaMemcpyDefault), cudaErrorInvalidValue);
  // Peer access is another thing.
  EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT(access_from(pool, 1) == cudaMemAccessFlagsProtNone);
  EXPECT_SUCCESS(cudaSetDevice(0));
  return a;
}

/// Memory of device 1, which device 0 may not access any more.
static int* check_peers() {
  int can = 0, host[32], *near = nullptr, *far = nullptr;
  EXPECT_SUCCESS(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_SUCCESS(cudaSetDevice(1));
  EXPECT_SUCCESS(cudaMalloc(&far, 128));
  cudaStream_t of_first;
  EXPECT_SUCCESS(cudaSetDevice(0));
  EXPECT_SUCCESS(cudaStreamCreate(&of_first));
  EXPECT_SUCCESS(cudaSetDevice(1));
  add_one<<<1, 32, 0, of_first>>>(far);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  EXPECT_SUCCESS(cudaStreamDestroy(of_first));
  EXPECT_SUCCESS(cudaMemset(far, 0, 128));
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT_SUCCESS(cudaSetDevice(0));
  EXPECT_SUCCESS(cudaMalloc(&near, 128));
  EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_ERROR(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  add_one<<<1, 32>>>(far);
  copy<<<1, 32>>>(near, far);
  EXPECT_SUCCESS(cudaMemcpy(host, near, 128, cudaMemcpyDeviceToHost));
  EXPECT(host[31] == 1);
  EXPECT_SUCCESS(cudaMemcpyPeer(far, 1, near, 0, 128));
  EXPECT_SUCCESS(cudaDeviceDisablePeerAccess(1));
  return far;
}

/// Last, since a fault stays with its device.
static void check_fault(int device, int* foreign) {
  EXPECT_SUCCESS(cudaSetDevice(device));
  add_one<<<1, 32>>>(foreign);
  EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

int main() {
  check_managed_variables();
  check_managed_memory();
  check_registered();
  check_flags();
  check_pools();
  check_what_pools_keep();
  int count = 0;
  EXPECT_SUCCESS(cudaGetDeviceCount(&count));
  if (count < 2) return failures;
  int* const of_the_pool = check_access_to_pools();
  int* const of_the_peer = check_peers();
  check_fault(1, of_the_pool);
  check_fault(0, of_the_peer);
  return failures;
}
