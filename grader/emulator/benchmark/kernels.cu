// SPDX-License-Identifier: MIT
// What emulator_speed.cpp times. extern "C" keeps the names plain.

extern "C" __global__ void naive_matmul(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[32][32], b_tile[32][32];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 32) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void transpose(const float* a, const float*, float* c, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] =
      a[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  c[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y +
                threadIdx.y * blockDim.x + threadIdx.x;
  if (i < n * n) c[i] = a[i] + b[i];
}
