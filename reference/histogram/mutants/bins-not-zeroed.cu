// expect: global, global-sizes, global-threads, shared, shared-sizes, shared-threads,
// shared-memory, one-addition-per-bin, global-ordered, shared-ordered, global-zeroed,
// shared-zeroed, ordered-in-every-block, speed, global-without-shared, global-too-large, shared-too-large
// class: A1. The counts on the device start from whatever was there.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "histogram.h"

static void HandleError(cudaError_t err, const char* file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

__global__ void histo_kernel_global(unsigned char* buffer, size_t size, unsigned int* histo) {
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  size_t stride = (size_t)blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&(histo[buffer[i]]), 1);
    i += stride;
  }
}

__global__ void histo_kernel_shared(unsigned char* buffer, size_t size, unsigned int* histo) {
  __shared__ unsigned int temp[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) temp[b] = 0;
  __syncthreads();
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  size_t stride = (size_t)blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += stride;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&(histo[b]), temp[b]);
}

float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  unsigned char* dev_buffer;
  unsigned int* dev_histo;
  HANDLE_ERROR(cudaMalloc((void**)&dev_buffer, size));
  HANDLE_ERROR(cudaMemcpy(dev_buffer, data, size, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMalloc((void**)&dev_histo, 256 * sizeof(int)));

  int device;
  HANDLE_ERROR(cudaGetDevice(&device));
  cudaDeviceProp prop;
  HANDLE_ERROR(cudaGetDeviceProperties(&prop, device));
  int blocks = prop.multiProcessorCount;

  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaEventRecord(start, 0));
  histo_kernel_global<<<blocks * 2, threads>>>(dev_buffer, size, dev_histo);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaEventRecord(stop, 0));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  float elapsedTime;
  HANDLE_ERROR(cudaEventElapsedTime(&elapsedTime, start, stop));
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));

  HANDLE_ERROR(cudaMemcpy(counts, dev_histo, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaFree(dev_histo));
  HANDLE_ERROR(cudaFree(dev_buffer));
  return elapsedTime;
}

float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  unsigned char* dev_buffer;
  unsigned int* dev_histo;
  HANDLE_ERROR(cudaMalloc((void**)&dev_buffer, size));
  HANDLE_ERROR(cudaMemcpy(dev_buffer, data, size, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMalloc((void**)&dev_histo, 256 * sizeof(int)));

  int device;
  HANDLE_ERROR(cudaGetDevice(&device));
  cudaDeviceProp prop;
  HANDLE_ERROR(cudaGetDeviceProperties(&prop, device));
  int blocks = prop.multiProcessorCount;

  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  HANDLE_ERROR(cudaEventRecord(start, 0));
  histo_kernel_shared<<<blocks * 2, threads>>>(dev_buffer, size, dev_histo);
  HANDLE_ERROR(cudaGetLastError());
  HANDLE_ERROR(cudaEventRecord(stop, 0));
  HANDLE_ERROR(cudaEventSynchronize(stop));
  float elapsedTime;
  HANDLE_ERROR(cudaEventElapsedTime(&elapsedTime, start, stop));
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));

  HANDLE_ERROR(cudaMemcpy(counts, dev_histo, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  HANDLE_ERROR(cudaFree(dev_histo));
  HANDLE_ERROR(cudaFree(dev_buffer));
  return elapsedTime;
}

bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size) {
  unsigned int histo[256];
  for (int i = 0; i < 256; i++) histo[i] = 0;
  for (size_t i = 0; i < size; i++) histo[data[i]]++;
  for (int i = 0; i < 256; i++)
    if (histo[i] != counts[i]) return false;
  return true;
}
