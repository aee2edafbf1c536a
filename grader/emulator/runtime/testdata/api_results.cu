// SPDX-License-Identifier: MIT
// What the Runtime API answers, right and wrong calls alike. Every expectation was first read off an H200 with driver
// 580, so the program passes on a GPU under NVIDIA's library as well as on the emulated device.
#include <cuda_runtime.h>

#include <cstdio>

static int failures = 0;

static void expect(cudaError_t got, cudaError_t wanted, const char* call, int line) {
  cudaGetLastError();
  if (got == wanted) return;
  ++failures;
  std::printf("line %d: %s gave %s, not %s\n", line, call, cudaGetErrorName(got),
              cudaGetErrorName(wanted));
}
#define EXPECT(call, wanted) expect(call, wanted, #call, __LINE__)

__device__ int values[4];
__constant__ float factor;

__global__ void scale(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] *= factor;
  if (i < 4) values[i] = i * i;
}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void trap() { asm("trap;"); }

static void check_memory() {
  float *device = nullptr, host[2000] = {};
  size_t pitch = 7;
  void* memory = nullptr;
  EXPECT(cudaMalloc(&device, 4000), cudaSuccess);
  EXPECT(cudaMalloc(&memory, 0), cudaSuccess);
  EXPECT(cudaMalloc(&memory, size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT(cudaMallocPitch(&memory, &pitch, 0, 4), cudaSuccess);
  EXPECT(pitch == 0 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
  EXPECT(cudaMemcpy(device, host, 4000, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT(cudaMemcpy(device, host, 4004, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(9)),
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemset(device, 0, 8000), cudaErrorInvalidValue);
  EXPECT(cudaMallocPitch(&memory, &pitch, 4, 4), cudaSuccess);
  EXPECT(pitch == 512 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
  EXPECT(cudaMemcpy2D(memory, pitch, host, 4, 8, 2, cudaMemcpyHostToDevice),
         cudaErrorInvalidPitchValue);
  EXPECT(cudaMemset2D(memory, 4, 0, 8, 2), cudaErrorInvalidValue);
  EXPECT(cudaMemcpyToSymbol(values, host, 20), cudaErrorInvalidValue);
  EXPECT(cudaMemcpyToSymbol(host, host, 4), cudaErrorInvalidSymbol);
  EXPECT(cudaFree(device + 1), cudaErrorInvalidValue);
  EXPECT(cudaFree(device), cudaSuccess);
  EXPECT(cudaFree(device), cudaErrorInvalidValue);
  EXPECT(cudaFree(nullptr), cudaSuccess);
}

static void check_events() {
  cudaEvent_t start, end, untimed;
  float ms = -1;
  EXPECT(cudaEventCreate(&start), cudaSuccess);
  EXPECT(cudaEventCreate(&end), cudaSuccess);
  EXPECT(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  EXPECT(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventRecord(start), cudaSuccess);
  EXPECT(cudaEventRecord(end), cudaSuccess);
  EXPECT(cudaEventRecord(untimed), cudaSuccess);
  EXPECT(cudaEventSynchronize(end), cudaSuccess);
  EXPECT(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
  EXPECT(ms > 0 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
  // Whoever asks until the time is there has waited for the events.
  EXPECT(cudaEventRecord(start), cudaSuccess);
  EXPECT(cudaEventRecord(end), cudaSuccess);
  cudaError_t told = cudaErrorNotReady;
  for (int asks = 0; asks < 1'000'000 && told == cudaErrorNotReady; ++asks)
    told = cudaEventElapsedTime(&ms, start, end);
  EXPECT(told, cudaSuccess);
  EXPECT(cudaEventElapsedTime(&ms, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

static cudaError_t launched() { return cudaGetLastError(); }

static void check_launches() {
  float *device = nullptr, host[100], result[100];
  for (float& value : host) value = 2;
  const float three = 3;
  int squares[4] = {};
  EXPECT(cudaMalloc(&device, sizeof host), cudaSuccess);
  EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(factor, &three, sizeof three), cudaSuccess);
  scale<<<4, 32>>>(device, 100);
  EXPECT(launched(), cudaSuccess);
  EXPECT(cudaMemcpy(result, device, sizeof result, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(squares, values, sizeof squares), cudaSuccess);
  EXPECT(result[0] == 6 && result[99] == 6 && squares[3] == 9 ? cudaSuccess : cudaErrorUnknown,
         cudaSuccess);
  scale<<<1, 2048>>>(device, 1);
  EXPECT(launched(), cudaErrorInvalidValue);
  scale<<<0, 32>>>(device, 1);
  EXPECT(launched(), cudaErrorInvalidValue);
  scale<<<1, 32, 49153>>>(device, 1);
  EXPECT(launched(), cudaErrorInvalidValue);
  bounded<<<1, 256>>>();
  EXPECT(launched(), cudaErrorInvalidValue);
  EXPECT(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr), cudaErrorInvalidDeviceFunction);
}

// A kernel's fault shows at the next call that waits, stays, and leaves the device unusable.
static void check_fault() {
  int device = -1;
  void* memory = nullptr;
  trap<<<1, 1>>>();
  EXPECT(launched(), cudaSuccess);
  EXPECT(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  EXPECT(cudaGetDevice(&device), cudaSuccess);
  EXPECT(cudaMallocHost(&memory, 4), cudaErrorLaunchFailure);
  EXPECT(cudaDeviceReset(), cudaSuccess);
  EXPECT(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
}

int main() {
  EXPECT(cudaSetDevice(99), cudaErrorInvalidDevice);
  check_memory();
  check_events();
  check_launches();
  check_fault();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
