// expect: nothing
// A demonstration with a volatile counter, a counter for each warp, and a lock by atomicExch alone.
// SPDX-License-Identifier: MIT
#include <cfloat>
#include <climits>
#include "race-atomics.h"
__global__ void add_racy(volatile int* counter) {
  int old = *counter;
  old++;
  *counter = old;
}
__global__ void add_atomic(int* counter) { atomicAdd(counter, 1); }
__global__ void add_by_blocks(int* counter) {
  extern __shared__ int s[];  // a counter for each warp, then one
  int t = threadIdx.x, warps = (blockDim.x + 31) / 32;
  if (t < warps) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[t / 32], 1);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int w = 0; w < warps; ++w) sum += s[w];
    atomicAdd(counter, sum);
  }
}
class Watch {
 public:
  Watch() {
    cudaStreamCreate(&s);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
  }
  ~Watch() {
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    cudaStreamDestroy(s);
  }
  template <class F>
  float operator()(int* counter, F f) {
    cudaMemsetAsync(counter, 0, sizeof(int), s);
    cudaEventRecord(a, s);
    f(s);
    cudaEventRecord(b, s);
    cudaStreamSynchronize(s);
    float ms = 0;
    cudaEventElapsedTime(&ms, a, b);
    return ms;
  }

 private:
  cudaStream_t s;
  cudaEvent_t a, b;
};
float count_racy(int* c, int b, int t) {
  return Watch()(c, [=](cudaStream_t s) { add_racy<<<b, t, 0, s>>>(c); });
}
float count_atomic(int* c, int b, int t) {
  return Watch()(c, [=](cudaStream_t s) { add_atomic<<<b, t, 0, s>>>(c); });
}
float count_by_blocks(int* c, int b, int t) {
  return Watch()(
      c, [=](cudaStream_t s) { add_by_blocks<<<b, t, (t + 31) / 32 * sizeof(int), s>>>(c); });
}
__global__ void stats(Statistics* r, const int* v, int n, unsigned seats, unsigned stock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 && n == 0) return;
  if (i >= n) return;
  int x = v[i];
  atomicMin(&r->smallest, x);
  atomicMax(&r->largest, x);
  atomicAnd(&r->in_all, (unsigned)x);
  atomicOr(&r->in_any, (unsigned)x);
  atomicXor(&r->in_odd, (unsigned)x);
  if (x >= 0)
    atomicInc(&r->seat, seats - 1);
  else
    atomicDec(&r->tickets, stock);
}
__global__ void start(Statistics* r, unsigned stock) {
  *r = Statistics{INT_MAX, INT_MIN, 0xffffffffu, 0u, 0u, 0u, stock};
}
void statistics(Statistics* r, const int* v, int n, unsigned seats, unsigned stock) {
  start<<<1, 1>>>(r, stock);
  stats<<<n / 256 + 1, 256>>>(r, v, n, seats, stock);  // always at least one block
}
__global__ void run(unsigned* b, unsigned* r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned seen = atomicAdd(b, 0u), found;
    while ((found = atomicCAS(b, seen, (unsigned)i + 1)) != seen) seen = found;
    r[i] = seen;
  }
}
void relay(unsigned* b, unsigned* r, int n) {
  cudaMemset(b, 0, sizeof *b);
  run<<<(n + 31) / 32, 32>>>(b, r, n);
}
__global__ void low(float* m, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k) m[i] = -FLT_MAX;
}
__global__ void maxima(float* m, const float* v, const int* g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned* a = (unsigned*)(m + g[i]);
  unsigned old = atomicOr(a, 0u), seen;
  do {
    seen = old;
    if (!(v[i] > __uint_as_float(seen))) break;
    old = atomicCAS(a, seen, __float_as_uint(v[i]));
  } while (old != seen);
}
void group_maxima(float* m, int k, const float* v, const int* g, int n) {
  low<<<(k + 63) / 64, 64>>>(m, k);
  maxima<<<1 + n / 64, 64>>>(m, v, g, n);
}
__global__ void begin(Record* r, int* lock) {
  r->visits = 0;
  r->largest = INT_MIN;
  r->where = -1;
  *lock = 0;
}
__global__ void keep(Record* r, const int* v, int n, int* lock) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  volatile Record* p = r;
  p->visits = p->visits + 1;
  if (v[i] > p->largest || (v[i] == p->largest && (p->where < 0 || i < p->where))) {
    p->largest = v[i];
    p->where = i;
  }
  __threadfence();
  atomicExch(lock, 0);
}
void locked_record(Record* r, const int* v, int n) {
  int* lock;
  cudaMalloc(&lock, sizeof(int));
  begin<<<1, 1>>>(r, lock);
  keep<<<n / 32 + 1, 32>>>(r, v, n, lock);
  cudaFree(lock);
}
