// expect: scaled, scaled-edges, scale-padding, scale-gaps, coalesced
// class: P1. Indexes a padded matrix as if its rows had no padding.
// SPDX-License-Identifier: MIT
#include <stdexcept>

#include "pitched.h"

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// What a kernel needs to know about rows, in one place.
struct Rows {
  char* start;
  size_t pitch;
  size_t slice_pitch;

  __device__ explicit Rows(cudaPitchedPtr p)
      : start(static_cast<char*>(p.ptr)), pitch(p.pitch), slice_pitch(p.pitch * p.ysize) {}

  __device__ float& at(int z, int y, int x) const {
    return reinterpret_cast<float*>(start + z * slice_pitch + y * pitch)[x];
  }
};

class DeviceBox {
 public:
  explicit DeviceBox(cudaPitchedPtr memory) : memory_(memory) {}
  ~DeviceBox() { cudaFree(memory_.ptr); }
  DeviceBox(const DeviceBox&) = delete;
  DeviceBox& operator=(const DeviceBox&) = delete;
  operator cudaPitchedPtr() const { return memory_; }

 private:
  cudaPitchedPtr memory_;
};

__device__ int global_x() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int global_y() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ int global_z() { return blockIdx.z * blockDim.z + threadIdx.z; }

struct Job {
  cudaPitchedPtr to, from;
  float w0, w1;
};

__global__ void scale_job(Job job) {
  const int x = global_x(), y = global_y();
  if (x < static_cast<int>(job.from.xsize) && y < static_cast<int>(job.from.ysize)) {
    static_cast<float*>(job.to.ptr)[y * job.to.xsize + x] =
        static_cast<float*>(job.from.ptr)[y * job.from.xsize + x] * (job.w0 + job.w1 * y);
  }
}

__global__ void blend_job(Job job, int depth) {
  const int x = global_x(), y = global_y(), z = global_z();
  if (x >= static_cast<int>(job.from.xsize) || y >= static_cast<int>(job.from.ysize)) return;
  if (z >= depth) return;
  const Rows to(job.to), from(job.from);
  const int after = z == depth - 1 ? z : z + 1;
  to.at(z, y, x) = from.at(z, y, x) * job.w0 + from.at(after, y, x) * job.w1;
}

unsigned blocks(size_t count, unsigned threads) {
  return static_cast<unsigned>((count - 1) / threads + 1);
}

}  // namespace

cudaPitchedPtr allocate_matrix(int rows, int columns) {
  cudaPitchedPtr m = {};
  m.xsize = columns;
  m.ysize = rows;
  check(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize));
  return m;
}

void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
  check(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, to.xsize * sizeof(float), to.ysize,
                     kind));
}

void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  const DeviceBox from(allocate_matrix(source.ysize, source.xsize));
  const DeviceBox to(allocate_matrix(source.ysize, source.xsize));
  copy_matrix(from, source, cudaMemcpyHostToDevice);
  const dim3 block(16, 16);
  scale_job<<<dim3(blocks(source.xsize, 16), blocks(source.ysize, 16)), block>>>(
      {to, from, first, step});
  check(cudaGetLastError());
  copy_matrix(result, to, cudaMemcpyDeviceToHost);
}

cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr v = {};
  check(cudaMalloc3D(
      &v, {columns * sizeof(float), static_cast<size_t>(rows), static_cast<size_t>(depth)}));
  return make_cudaPitchedPtr(v.ptr, v.pitch, columns, rows);
}

void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind kind) {
  cudaMemcpy3DParms how = {};
  how.srcPtr = from;
  how.dstPtr = to;
  how.extent = {to.xsize * sizeof(float), to.ysize, static_cast<size_t>(depth)};
  how.kind = kind;
  check(cudaMemcpy3D(&how));
}

void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  const DeviceBox from(allocate_volume(depth, source.ysize, source.xsize));
  const DeviceBox to(allocate_volume(depth, source.ysize, source.xsize));
  copy_volume(from, source, depth, cudaMemcpyHostToDevice);
  const dim3 block(16, 4, 4);
  const dim3 grid(blocks(source.xsize, 16), blocks(source.ysize, 4), blocks(depth, 4));
  blend_job<<<grid, block>>>({to, from, here, next}, depth);
  check(cudaGetLastError());
  copy_volume(result, to, depth, cudaMemcpyDeviceToHost);
}
