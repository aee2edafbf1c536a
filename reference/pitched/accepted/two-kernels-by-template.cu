// expect: nothing
// Two kernels share the work of scale_rows; cudaMemcpyDefault finds the direction.
// SPDX-License-Identifier: MIT
#include <stdexcept>
#include "pitched.h"
namespace {
void check(cudaError_t e) {
  if (e) throw std::runtime_error(cudaGetErrorString(e));
}
class Matrix {
 public:
  Matrix(int rows, int columns) : p(allocate_matrix(rows, columns)) {}
  Matrix(int d, int rows, int columns) : p(allocate_volume(d, rows, columns)) {}
  Matrix(const Matrix&) = delete;
  ~Matrix() { cudaFree(p.ptr); }
  cudaPitchedPtr p;
};
template <class T>
struct View {
  char* base;
  size_t pitch, slice;
  __host__ __device__ View(cudaPitchedPtr p)
      : base((char*)p.ptr), pitch(p.pitch), slice(p.pitch * p.ysize) {}
  __device__ T& operator()(int z, int y, int x) const {
    return *((T*)(base + z * slice + y * pitch) + x);
  }
};
struct Pair {
  cudaPitchedPtr r, s;
};
__global__ void factor(Pair m, float first, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m.s.xsize && y < m.s.ysize) View<float>(m.r)(0, y, x) = first + step * y;
}
__global__ void apply(Pair m) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < m.s.xsize && y < m.s.ysize) View<float>(m.r)(0, y, x) *= View<const float>(m.s)(0, y, x);
}
__global__ void blend(View<float> r, View<const float> s, int3 n, float a, float b) {
  for (int z = threadIdx.z + blockIdx.z * blockDim.z; z < n.z; z += gridDim.z * blockDim.z)
    for (int y = threadIdx.y + blockIdx.y * blockDim.y; y < n.y; y += gridDim.y * blockDim.y)
      for (int x = threadIdx.x + blockIdx.x * blockDim.x; x < n.x; x += gridDim.x * blockDim.x)
        r(z, y, x) = a * s(z, y, x) + b * s(min(z + 1, n.z - 1), y, x);
}
}  // namespace
cudaPitchedPtr allocate_matrix(int rows, int columns) {
  cudaPitchedPtr m{};
  m.xsize = columns;
  m.ysize = rows;
  check(cudaMallocPitch(&m.ptr, &m.pitch, m.xsize * sizeof(float), m.ysize));
  check(cudaMemset(m.ptr, 0xFF, m.pitch * m.ysize));  // so that what no thread writes is seen
  return m;
}
void copy_matrix(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind) {
  check(cudaMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, to.xsize * sizeof(float), to.ysize,
                     cudaMemcpyDefault));
}
void scale_rows(cudaPitchedPtr result, cudaPitchedPtr source, float first, float step) {
  Matrix r(source.ysize, source.xsize), s(source.ysize, source.xsize);
  copy_matrix(s.p, source, cudaMemcpyHostToDevice);
  dim3 b(32, 4), g((source.xsize + 31) / 32, (source.ysize + 3) / 4);
  factor<<<g, b>>>(Pair{r.p, s.p}, first, step);
  check(cudaGetLastError());
  apply<<<g, b>>>(Pair{r.p, s.p});
  check(cudaGetLastError());
  copy_matrix(result, r.p, cudaMemcpyDeviceToHost);
}
cudaPitchedPtr allocate_volume(int depth, int rows, int columns) {
  cudaPitchedPtr m{};
  check(cudaMalloc3D(&m, {columns * sizeof(float), (size_t)rows, (size_t)depth}));
  m.xsize = columns;
  return m;
}
void copy_volume(cudaPitchedPtr to, cudaPitchedPtr from, int depth, cudaMemcpyKind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = from;
  p.dstPtr = to;
  p.kind = cudaMemcpyDefault;
  p.extent = {to.xsize * sizeof(float), to.ysize, (size_t)depth};
  check(cudaMemcpy3DAsync(&p, cudaStreamPerThread));
  check(cudaStreamSynchronize(cudaStreamPerThread));
}
void blend_slices(cudaPitchedPtr result, cudaPitchedPtr source, int depth, float here, float next) {
  Matrix r(depth, source.ysize, source.xsize), s(depth, source.ysize, source.xsize);
  copy_volume(s.p, source, depth, cudaMemcpyHostToDevice);
  blend<<<dim3(2, 2, 2), dim3(8, 4, 2)>>>(r.p, s.p, make_int3(source.xsize, source.ysize, depth),
                                          here, next);
  check(cudaGetLastError());
  copy_volume(result, r.p, depth, cudaMemcpyDeviceToHost);
}
