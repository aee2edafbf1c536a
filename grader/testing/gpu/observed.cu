// SPDX-License-Identifier: MIT
// A little of all that a trace tells, for same_trace.py: nvcc -std=c++17 -cudart shared -arch=sm_75 observed.cu
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int kWidth = 100, kHeight = 40;

__constant__ int kept[4];

__global__ void scale(cudaPitchedPtr in, cudaPitchedPtr out, int factor) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                 y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.xsize || y >= in.ysize) return;
  const auto row = [&](const cudaPitchedPtr& matrix) {
    return reinterpret_cast<int*>(static_cast<char*>(matrix.ptr) + y * matrix.pitch);
  };
  row(out)[x] = factor * row(in)[x] + kept[x % 4];
}

__global__ void sum(const int* values, int count, int* total) {
  __shared__ int part[64];
  int mine = 0;
  for (int i = threadIdx.x; i < count; i += 64) mine += values[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 64; ++i) mine += part[i];
  *total = mine;
}

void pitched(const std::vector<int>& host) {
  nvtxRangePushA("pitched");
  cudaPitchedPtr in = {nullptr, 0, kWidth, kHeight}, out = in;
  for (cudaPitchedPtr* matrix : {&in, &out})
    cudaMallocPitch(&matrix->ptr, &matrix->pitch, kWidth * sizeof(int), kHeight);
  const int values[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(kept, values, sizeof values);
  cudaMemcpy2D(in.ptr, in.pitch, host.data(), kWidth * sizeof(int), kWidth * sizeof(int), kHeight,
               cudaMemcpyHostToDevice);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventRecord(start);
  scale<<<dim3(7, 3), dim3(16, 16)>>>(in, out, 3);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, end);
  std::vector<int> back(kWidth * kHeight);
  cudaMemcpy2D(back.data(), kWidth * sizeof(int), out.ptr, out.pitch, kWidth * sizeof(int), kHeight,
               cudaMemcpyDeviceToHost);
  for (const cudaEvent_t event : {start, end}) cudaEventDestroy(event);
  cudaFree(in.ptr);
  cudaFree(out.ptr);
  nvtxRangePop();
}

void streams(const std::vector<int>& host) {
  nvtxRangePushA("streams");
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *values = nullptr, *total = nullptr, result = 0;
  const int count = static_cast<int>(host.size());
  cudaMalloc(&values, host.size() * sizeof(int));
  cudaMallocManaged(&total, sizeof(int));
  cudaMemcpyAsync(values, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
  sum<<<1, 64, 256, stream>>>(values, count, total);
  cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::thread([&] { sum<<<1, 64>>>(values, count / 2, total); }).join();
  cudaDeviceSynchronize();
  sum<<<1, 2048>>>(values, count, total);  // Refused.
  std::printf("%d, then %s\n", result, cudaGetErrorName(cudaGetLastError()));
  cudaMemset(values, 0, host.size() * sizeof(int));
  cudaStreamDestroy(stream);
  cudaFree(values);
  cudaFree(total);
  nvtxRangePop();
}

void graph(const std::vector<int>& host) {
  nvtxRangePushA("graph");
  int *values = nullptr, *total = nullptr;
  cudaMalloc(&values, host.size() * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(values, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaGraph_t captured;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  sum<<<1, 64, 0, stream>>>(values, 100, total);
  cudaStreamEndCapture(stream, &captured);
  cudaGraphInstantiate(&executable, captured, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(captured);
  cudaStreamDestroy(stream);
  cudaFree(values);
  cudaFree(total);
  nvtxRangePop();
}

}  // namespace

int main() {
  const std::vector<int> host(kWidth * kHeight, 7);
  pitched(host);
  streams(host);
  graph(host);
}
