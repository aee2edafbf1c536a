// SPDX-License-Identifier: MIT
// What needs compute capability 8.0: asynchronous copies, matrices, reductions over a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

#include "testing/ground_truth/cases.cuh"

namespace {

using namespace nvcuda;  // wmma

/// Each lane copies Bytes from element index[lane] to element to[lane] of shared memory.
template <int Bytes>
__global__ void copy_by(const char* in, const int* index, const int* to, char* out) {
  __shared__ alignas(16) char data[1056 * Bytes];
  const int from = index[threadIdx.x];
  if (from >= 0) {
    __pipeline_memcpy_async(data + to[threadIdx.x] * Bytes, in + from * Bytes, Bytes);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  out[threadIdx.x] = data[threadIdx.x];
}

__global__ void copy_and_fill(const float4* in, float4* out, int valid) {
  __shared__ float4 data[128];
  const int i = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(data + i, in + i, 16, i < valid ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = data[127 - i];
}

__global__ void copy_together(const float* in, float* out) {
  __shared__ float data[512];
  const auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, data, in, sizeof data);
  cooperative_groups::wait(block);
  out[threadIdx.x] = data[511 - threadIdx.x];
}

template <class Layout, class Source>
__device__ void multiply(const Source* a, const Source* b, float* c, unsigned stride) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, Layout> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, Layout> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> of_c;
  wmma::fill_fragment(of_c, 0.0f);
  wmma::load_matrix_sync(of_a, a, stride);
  wmma::load_matrix_sync(of_b, b, stride);
  wmma::mma_sync(of_c, of_a, of_b, of_c);
  wmma::store_matrix_sync(c, of_c, stride, wmma::mem_row_major);
}

template <class Layout>
__global__ void multiply_global(const half* a, const half* b, float* c, unsigned stride) {
  multiply<Layout>(a, b, c, stride);
}

template <class Layout, int Stride>
__global__ void multiply_shared(const half* a, float* c) {
  __shared__ alignas(32) half of_a[16 * Stride], of_b[16 * Stride];
  __shared__ alignas(32) float of_c[16 * Stride];
  for (unsigned i = threadIdx.x; i < 16 * Stride; i += 32) {
    of_a[i] = a[i];
    of_b[i] = a[i];
  }
  __syncwarp();
  multiply<Layout>(of_a, of_b, of_c, Stride);
  __syncwarp();
  for (unsigned i = threadIdx.x; i < 16 * Stride; i += 32) c[i] = of_c[i];
}

/// Loads one matrix, from global memory or from shared memory, and stores what it holds.
template <class Use, int M, int N, int K, class T, class Layout, int Stride, bool Shared>
__global__ void load_one(const T* in, float* out) {
  __shared__ alignas(32) T data[Shared ? 32 * Stride : 1];
  if (Shared) {
    for (unsigned i = threadIdx.x; i < 32 * Stride; i += 32) data[i] = in[i];
    __syncwarp();
  }
  wmma::fragment<Use, M, N, K, T, Layout> matrix;
  wmma::load_matrix_sync(matrix, Shared ? data : in, Stride);
  float sum = 0;
  for (int i = 0; i < matrix.num_elements; ++i) sum += static_cast<float>(matrix.x[i]);
  out[threadIdx.x] = sum;
}

template <int M, int N, int K, class T, int Stride>
__global__ void move_accumulator(const T* in, T* out, bool rows_in, bool rows_out) {
  wmma::fragment<wmma::accumulator, M, N, K, T> matrix;
  if (rows_in) {
    wmma::load_matrix_sync(matrix, in, Stride, wmma::mem_row_major);
  } else {
    wmma::load_matrix_sync(matrix, in, Stride, wmma::mem_col_major);
  }
  if (rows_out) {
    wmma::store_matrix_sync(out, matrix, Stride, wmma::mem_row_major);
  } else {
    wmma::store_matrix_sync(out, matrix, Stride, wmma::mem_col_major);
  }
}

__global__ void copy_through_cache(const float4* in, const int* index, const int* to, float4* out) {
  __shared__ float4 data[1056];
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(data + to[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + index[threadIdx.x]));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  out[threadIdx.x] = data[threadIdx.x];
}

template <int Count, bool Transposed>
__global__ void load_tiles(const half* in, const int* row, unsigned* out) {
  __shared__ alignas(16) half data[64 * 40];
  for (unsigned i = threadIdx.x; i < 64 * 40; i += 32) data[i] = in[i];
  __syncwarp();
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(data + row[threadIdx.x] * 8));
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (Count == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  } else if (Count == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b)
                 : "r"(at));
  } else if (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(at));
  }
  out[threadIdx.x] = a + b + c + d;
}

__global__ void reduce_in_one(const int* in, int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int value = in[i];
  out[i] = __reduce_add_sync(0xFFFF'FFFF, value) + __reduce_max_sync(0xFFFF'FFFF, value);
}

__global__ void half_atomics(half2* data) {
  atomicAdd(data + threadIdx.x % 16, __floats2half2_rn(1, 2));
}

std::vector<int> lanes(int (*index)(int lane)) {
  std::vector<int> values(32);
  for (int lane = 0; lane < 32; ++lane) values[static_cast<size_t>(lane)] = index(lane);
  return values;
}

template <int Bytes>
void copies(const char* what) {
  char *const in = zeros<char>(1056 * Bytes), *const out = zeros<char>(32);
  const int* const straight = on_device(lanes([](int lane) { return lane; }));
  const int* const strided = on_device(lanes([](int lane) { return 8 * lane; }));
  const int* const apart = on_device(lanes([](int lane) { return 33 * lane; }));
  const int* const odd = on_device(lanes([](int lane) { return lane % 2 != 0 ? lane : -1; }));
  const int* const shifted = on_device(lanes([](int lane) { return lane + 1; }));
  const int* const doubled = on_device(lanes([](int lane) { return 2 * lane; }));
  const int* const threefold = on_device(lanes([](int lane) { return 3 * lane; }));
  const struct {
    const char* name;
    const int *from, *to;
  } cases[] = {{"straight", straight, straight},
               {"off by one", shifted, straight},
               {"from stride 8", strided, straight},
               {"to stride 8", straight, strided},
               {"both apart by 33", apart, apart},
               {"odd lanes", odd, straight},
               {"to stride 2", straight, doubled},
               {"to stride 3", straight, threefold},
               {"off by one, to stride 2", shifted, doubled}};
  for (const auto& [name, from, to] : cases) {
    char text[80];
    std::snprintf(text, sizeof text, "cp.async %s, %s", what, name);
    launch(text, copy_by<Bytes>, 1, 32, 0, {}, in, from, to, out);
  }
}

void matrices() {
  half* const a = zeros<half>(16 * 128);
  float* const c = zeros<float>(16 * 128);
  launch("wmma, rows of 16 in global memory", multiply_global<wmma::row_major>, 1, 32, 0, {}, a, a,
         c, 16);
  launch("wmma, rows of 72 in global memory", multiply_global<wmma::row_major>, 1, 32, 0, {}, a, a,
         c, 72);
  launch("wmma, columns of 16 in global memory", multiply_global<wmma::col_major>, 1, 32, 0, {}, a,
         a, c, 16);
  launch("wmma, columns of 64 in global memory", multiply_global<wmma::col_major>, 1, 32, 0, {}, a,
         a, c, 64);
  launch("wmma, rows of 16 in shared memory", multiply_shared<wmma::row_major, 16>, 1, 32, 0, {}, a,
         c);
  launch("wmma, rows of 24 in shared memory", multiply_shared<wmma::row_major, 24>, 1, 32, 0, {}, a,
         c);
  launch("wmma, rows of 64 in shared memory", multiply_shared<wmma::row_major, 64>, 1, 32, 0, {}, a,
         c);
  launch("wmma, columns of 16 in shared memory", multiply_shared<wmma::col_major, 16>, 1, 32, 0, {},
         a, c);
  launch("wmma, columns of 24 in shared memory", multiply_shared<wmma::col_major, 24>, 1, 32, 0, {},
         a, c);
}

template <class Use, int M, int N, int K, class T, class Layout, int Stride>
void one_matrix(const char* name) {
  const T* const in = zeros<T>(64 * 128);
  float* const out = zeros<float>(32);
  char text[80];
  std::snprintf(text, sizeof text, "wmma %s, global", name);
  launch(text, load_one<Use, M, N, K, T, Layout, Stride, false>, 1, 32, 0, {}, in, out);
  std::snprintf(text, sizeof text, "wmma %s, shared", name);
  launch(text, load_one<Use, M, N, K, T, Layout, Stride, true>, 1, 32, 0, {}, in, out);
}

template <int M, int N, int K, class T, int Stride>
void accumulator(const char* name) {
  T *const in = zeros<T>(64 * 128), *const out = zeros<T>(64 * 128);
  char text[80];
  for (const bool rows_in : {false, true}) {
    for (const bool rows_out : {false, true}) {
      std::snprintf(text, sizeof text, "wmma accumulator %s, %s in, %s out", name,
                    rows_in ? "rows" : "columns", rows_out ? "rows" : "columns");
      launch(text, move_accumulator<M, N, K, T, Stride>, 1, 32, 0, {}, in, out, rows_in, rows_out);
    }
  }
}

void fragments() {
  using wmma::matrix_a, wmma::matrix_b, wmma::row_major, wmma::col_major;
  one_matrix<matrix_a, 16, 16, 16, half, row_major, 32>("a 16x16x16 half by rows of 32");
  one_matrix<matrix_a, 16, 16, 16, half, col_major, 40>("a 16x16x16 half by columns of 40");
  one_matrix<matrix_b, 16, 16, 16, half, row_major, 40>("b 16x16x16 half by rows of 40");
  one_matrix<matrix_b, 16, 16, 16, half, col_major, 32>("b 16x16x16 half by columns of 32");
  one_matrix<matrix_a, 32, 8, 16, half, row_major, 48>("a 32x8x16 half by rows of 48");
  one_matrix<matrix_a, 32, 8, 16, half, col_major, 48>("a 32x8x16 half by columns of 48");
  one_matrix<matrix_b, 32, 8, 16, half, row_major, 48>("b 32x8x16 half by rows of 48");
  one_matrix<matrix_b, 32, 8, 16, half, col_major, 48>("b 32x8x16 half by columns of 48");
  one_matrix<matrix_a, 8, 32, 16, half, row_major, 48>("a 8x32x16 half by rows of 48");
  one_matrix<matrix_b, 8, 32, 16, half, col_major, 48>("b 8x32x16 half by columns of 48");
  one_matrix<matrix_a, 16, 16, 16, signed char, row_major, 48>("a 16x16x16 int8 by rows of 48");
  one_matrix<matrix_b, 16, 16, 16, signed char, col_major, 48>("b 16x16x16 int8 by columns of 48");
  one_matrix<matrix_a, 16, 16, 16, signed char, col_major, 48>("a 16x16x16 int8 by columns of 48");
  accumulator<16, 16, 16, float, 16>("of 16 floats");
  accumulator<16, 16, 16, float, 40>("of 40 floats");
  accumulator<16, 16, 16, half, 48>("of 48 halves");
  accumulator<32, 8, 16, float, 40>("32x8 of 40 floats");
}

void tiles() {
  const half* const in = zeros<half>(64 * 40);
  unsigned* const out = zeros<unsigned>(32);
  const int* const dense = on_device(lanes([](int lane) { return lane; }));
  const int* const padded = on_device(lanes([](int lane) { return 9 * lane; }));
  const int* const wide = on_device(lanes([](int lane) { return 8 * lane; }));
  launch("ldmatrix x1, dense", load_tiles<1, false>, 1, 32, 0, {}, in, dense, out);
  launch("ldmatrix x2, rows of 128 bytes", load_tiles<2, false>, 1, 32, 0, {}, in, wide, out);
  launch("ldmatrix x4, dense", load_tiles<4, false>, 1, 32, 0, {}, in, dense, out);
  launch("ldmatrix x4, rows of 128 bytes", load_tiles<4, false>, 1, 32, 0, {}, in, wide, out);
  launch("ldmatrix x4, rows of 144 bytes", load_tiles<4, false>, 1, 32, 0, {}, in, padded, out);
  launch("ldmatrix x4, transposed", load_tiles<4, true>, 1, 32, 0, {}, in, wide, out);
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  copies<4>("4 bytes");
  copies<8>("8 bytes");
  copies<16>("16 bytes");
  const Differs one_of_two = {"async", "ptxas makes one copy of two, of 16 bytes and of none"};
  launch("cp.async, zeros after 100 elements", copy_and_fill, 1, 128, 0, one_of_two,
         zeros<float4>(128), zeros<float4>(128), 100);
  launch("cp.async, zeros after 32 elements", copy_and_fill, 1, 128, 0, one_of_two,
         zeros<float4>(128), zeros<float4>(128), 32);
  const int* const straight = on_device(lanes([](int lane) { return lane; }));
  const int* const shifted = on_device(lanes([](int lane) { return lane + 1; }));
  const int* const apart = on_device(lanes([](int lane) { return 8 * lane; }));
  float4* const plane = zeros<float4>(1056);
  launch("cp.async.ca 16 bytes, straight", copy_through_cache, 1, 32, 0, {}, plane, straight,
         straight, plane);
  launch("cp.async.ca 16 bytes, off by one", copy_through_cache, 1, 32, 0, {}, plane, shifted,
         straight, plane);
  launch("cp.async.ca 16 bytes, to stride 8", copy_through_cache, 1, 32, 0, {}, plane, straight,
         apart, plane);
  launch("cp.async of a block together", copy_together, 1, 128, 0, {}, zeros<float>(512),
         zeros<float>(512));
  matrices();
  fragments();
  tiles();
  launch("reductions in one instruction", reduce_in_one, 4, 128, 0, {}, zeros<int>(512),
         zeros<int>(512));
  launch("atomics of half2", half_atomics, 1, 32, 0, {}, zeros<half2>(16));
}
