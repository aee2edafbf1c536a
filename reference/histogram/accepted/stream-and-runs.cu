// expect: nothing
// One stream, asynchronous copies in pieces, dynamic shared memory, runs of equal bytes counted at once.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "histogram.h"

static cudaError_t last = cudaSuccess;
static void note(cudaError_t error) {
  if (error == cudaSuccess) return;
  last = error;
  std::fputs(cudaGetErrorString(error), stderr);
}

template <bool kShared>
__global__ void count(const unsigned char* bytes, size_t size, unsigned int* result) {
  extern __shared__ unsigned int dynamic[];
  unsigned int* bins = kShared ? dynamic : result;
  if (kShared) {
    for (int bin = kBins - 1 - threadIdx.x; bin >= 0; bin -= blockDim.x) bins[bin] = 0;
    __syncthreads();
  }
  const size_t threads = (size_t)blockDim.x * gridDim.x;
  const size_t me = (size_t)blockDim.x * blockIdx.x + threadIdx.x;
  if (!kShared) {
    for (size_t i = me; i < size; i += threads) atomicInc(bins + bytes[i], 0xFFFFFFFFu);
    return;
  }
  // Neighbouring threads take neighbouring words of four bytes.
  const size_t words = size / 4;
  int value = -1, run = 0;
  for (size_t i = me; i < words + size % 4; i += threads) {
    const bool whole = i < words;
    const uchar4 four = whole ? ((const uchar4*)bytes)[i] : make_uchar4(0, 0, 0, 0);
    const unsigned char each[4] = {whole ? four.x : bytes[4 * words + i - words], four.y, four.z,
                                   four.w};
    for (int k = 0; k < (whole ? 4 : 1); ++k) {
      if (each[k] != value) {
        if (run > 0) atomicAdd(bins + value, (unsigned int)run);
        value = each[k];
        run = 0;
      }
      ++run;
    }
  }
  if (run > 0) atomicAdd(bins + value, (unsigned int)run);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    const unsigned int found = bins[bin];
    if (found) atomicAdd(result + bin, found);
  }
}

template <bool kShared>
static float run(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  cudaStream_t stream;
  cudaEvent_t around[2];
  unsigned char* bytes;
  unsigned int* result;
  note(cudaStreamCreate(&stream));
  for (auto& event : around) note(cudaEventCreate(&event));
  note(cudaMalloc(&bytes, size));
  note(cudaMalloc(&result, sizeof(unsigned int[kBins])));
  note(cudaMemsetAsync(result, 0, sizeof(unsigned int[kBins]), stream));
  const size_t piece = 1 << 16;
  for (size_t done = 0; done < size; done += piece) {
    const size_t now = std::min(piece, size - done);
    note(cudaMemcpyAsync(bytes + done, data + done, now, cudaMemcpyHostToDevice, stream));
  }
  int device, sms;
  note(cudaGetDevice(&device));
  note(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  note(cudaEventRecord(around[0], stream));
  count<kShared>
      <<<sms + sms, threads, kShared ? kBins * sizeof *result : 0, stream>>>(bytes, size, result);
  note(cudaGetLastError());
  note(cudaEventRecord(around[1], stream));
  std::vector<unsigned int> back(kBins);
  note(cudaMemcpyAsync(back.data(), result, kBins * 4, cudaMemcpyDeviceToHost, stream));
  note(cudaStreamSynchronize(stream));
  std::copy(back.begin(), back.end(), counts);
  float milliseconds = 0;
  note(cudaEventElapsedTime(&milliseconds, around[0], around[1]));
  for (auto event : around) note(cudaEventDestroy(event));
  note(cudaStreamDestroy(stream));
  note(cudaFree(bytes));
  note(cudaFree(result));
  return last == cudaSuccess ? milliseconds : 0;
}

float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run<false>(counts, data, size, threads);
}

float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  return run<true>(counts, data, size, threads);
}

bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size) {
  std::vector<long long> left(counts, counts + kBins);
  while (size > 0) --left[data[--size]];
  return std::count(left.begin(), left.end(), 0) == kBins;
}
