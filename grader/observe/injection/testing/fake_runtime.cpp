// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "observe/injection/testing/fake_state.h"

namespace warpgrade::fake {
namespace {

constexpr size_t kPitch = 512;
constexpr unsigned kMaxThreads = 1024;

/// A call of the runtime, which makes what it needs first.
template <class Params, class Body>
cudaError_t runtime_call(const char* name, const Params& params, Body body,
                         const char* symbol = nullptr) {
  ::cuInit(0);
  make_context();
  Call call(CUPTI_CB_DOMAIN_RUNTIME_API, name, &params, symbol);
  return static_cast<cudaError_t>(call.end_with(static_cast<int>(body())));
}

void copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
               size_t height) {
  run_recorded(CUPTI_ACTIVITY_KIND_MEMCPY, CUpti_ActivityMemcpy6{}, nullptr, [&] {
    for (size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, width);
  });
}

}  // namespace
}  // namespace warpgrade::fake

using namespace warpgrade::fake;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return runtime_call("cudaMalloc_v3020", cudaMalloc_v3020_params{pointer, bytes}, [&] {
    return ::cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(pointer), bytes);
  });
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const cudaMallocPitch_v3020_params params{pointer, pitch, width, height};
  return runtime_call("cudaMallocPitch_v3020", params, [&] {
    *pitch = kPitch;
    return ::cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(pointer), kPitch * height);
  });
}
cudaError_t cudaFree(void* pointer) {
  return runtime_call("cudaFree_v3020", cudaFree_v3020_params{pointer}, [&] {
    state().memory.erase(reinterpret_cast<uint64_t>(pointer));
    std::free(pointer);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return runtime_call("cudaMemcpy_v3020", cudaMemcpy_v3020_params{to, from, bytes, kind}, [&] {
    copy_rows(to, bytes, from, bytes, bytes, 1);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  const cudaMemcpy2D_v3020_params params{to, to_pitch, from, from_pitch, width, height, kind};
  return runtime_call("cudaMemcpy2D_v3020", params, [&] {
    copy_rows(to, to_pitch, from, from_pitch, width, height);
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  const cudaMemcpy2DAsync_v3020_params params{to,    to_pitch, from, from_pitch,
                                              width, height,   kind, stream};
  return runtime_call("cudaMemcpy2DAsync_v3020", params, [&] {
    copy_rows(to, to_pitch, from, from_pitch, width, height);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return runtime_call("cudaEventCreate_v3020", cudaEventCreate_v3020_params{event},
                      [&] { return ::cuEventCreate(event, 0); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime_call("cudaEventRecord_v3020", cudaEventRecord_v3020_params{event, stream},
                      [&] { return ::cuEventRecord(event, stream); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return runtime_call("cudaEventSynchronize_v3020", cudaEventSynchronize_v3020_params{event},
                      [] { return cudaSuccess; });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const cudaEventElapsedTime_v12080_params params{ms, start, end};
  return runtime_call("cudaEventElapsedTime_v12080", params,
                      [&] { return ::cuEventElapsedTime_v2(ms, start, end); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime_call("cudaEventDestroy_v3020", cudaEventDestroy_v3020_params{event}, [&] {
    return state().event_ns.erase(reinterpret_cast<uint64_t>(event)) == 1
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  const Kernel& kernel = state().kernels.at(function);
  const cudaLaunchKernel_v7000_params params{function,  grid,         block,
                                             arguments, shared_bytes, stream};
  const auto body = [&] {
    if (block.x * block.y * block.z > kMaxThreads) return CUDA_ERROR_INVALID_VALUE;
    return ::cuLaunchKernel(reinterpret_cast<CUfunction>(const_cast<Kernel*>(&kernel)), grid.x,
                            grid.y, grid.z, block.x, block.y, block.z,
                            static_cast<unsigned>(shared_bytes), stream, arguments, nullptr);
  };
  // As the code that nvcc writes launches.
  return runtime_call("__cudaLaunchKernel_v13000", params, body, kernel.mangled.c_str());
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return runtime_call("cudaStreamCreate_v3020", cudaStreamCreate_v3020_params{stream},
                      [&] { return ::cuStreamCreate(stream, 0); });
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const cudaStreamBeginCapture_v10000_params params{stream, mode};
  return runtime_call("cudaStreamBeginCapture_v10000", params, [&] {
    state().capturing.insert(reinterpret_cast<uint64_t>(stream));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const cudaStreamEndCapture_v10000_params params{stream, graph};
  return runtime_call("cudaStreamEndCapture_v10000", params, [&] {
    state().capturing.erase(reinterpret_cast<uint64_t>(stream));
    return cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const cudaGraphLaunch_v10000_params params{graph, stream};
  return runtime_call("cudaGraphLaunch_v10000", params,
                      [&] { return ::cuGraphLaunch(graph, stream); });
}
cudaError_t cudaDeviceReset() {
  return runtime_call("cudaDeviceReset_v3020", 0, [] {
    destroy_context();
    return cudaSuccess;
  });
}

}  // extern "C"
