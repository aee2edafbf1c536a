// SPDX-License-Identifier: MIT
// What watch_test.cpp runs. extern "C" keeps the names plain; "mark: x" is how the test finds a line.

extern "C" __global__ void copy_floats(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];  // mark: copy_floats
}

extern "C" __global__ void fill_floats(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

extern "C" __global__ void count_up(int* counter) { atomicAdd(counter, 1); }

extern "C" __global__ void shared_unwritten(float* out) {
  __shared__ float tile[64];
  if (threadIdx.x != 5) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];  // mark: shared_unwritten
}

extern "C" __global__ void add_up(int* out) {
  __shared__ int partial[128];
  partial[threadIdx.x] = 1;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];  // mark: add_up
    __syncwarp();
  }
  if (threadIdx.x == 0) *out = partial[0];
}

extern "C" __global__ void local_unwritten(float* out, int n) {
  float values[8];
  for (int i = 0; i < n; ++i) values[i & 7] = i;
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += values[(i + n) & 7];  // mark: local_unwritten
  out[threadIdx.x] = sum;
}

struct Padded {
  double d;
  int i;
};
extern "C" __global__ void copy_padded(const Padded* in, Padded* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void fill_padded(Padded* out) {
  out[threadIdx.x].d = 1;
  out[threadIdx.x].i = 2;
}

extern "C" __global__ void fill_xyz(float4* out) {
  out[threadIdx.x].x = 1;
  out[threadIdx.x].y = 2;
  out[threadIdx.x].z = 3;
}
extern "C" __global__ void copy_float4(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void length_xyz(const float4* in, float* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = v.x * v.x + v.y * v.y + v.z * v.z;
}
extern "C" __global__ void store_w(const float4* in, float* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = v.x + v.y;
  out[threadIdx.x + 32] = v.w;
}
extern "C" __global__ void length_xyzw(const float4* in, float* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

extern "C" __global__ void neighbours(float* out, int synchronised) {
  __shared__ float tile[256];
  const int i = threadIdx.x;
  tile[i] = i;  // mark: neighbours_write
  if (synchronised) __syncthreads();
  out[i] = tile[(i + 1) % 256];  // mark: neighbours
}

extern "C" __global__ void second_barrier(float* out, int synchronised) {
  __shared__ float tile[256];
  const int i = threadIdx.x;
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    tile[i] = i + round;  // mark: second_barrier
    __syncthreads();
    sum += tile[255 - i];  // mark: second_barrier_read
    if (synchronised) __syncthreads();
  }
  out[i] = sum;
}

extern "C" __global__ void warp_step(float* out, int synchronised) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  tile[lane] = lane;
  for (int distance = 16; distance > 0; distance /= 2) {
    __syncwarp();
    const float other = tile[(lane + distance) % 32];
    if (synchronised) __syncwarp();
    tile[lane] += other;  // mark: warp_step
  }
  out[lane] = tile[lane];
}

extern "C" __global__ void block_halo(float* data, float* out, int in_place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const float sum = data[i] + data[(i + 1) % n];
  __syncthreads();
  (in_place ? data : out)[i] = sum;
}

extern "C" __global__ void bytes_in_place(unsigned char* data, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[(i + shift) % (gridDim.x * blockDim.x)] + 1;
}

extern "C" __global__ void same_value(int* flag, int different) {
  *flag = different ? threadIdx.x : 7;  // mark: same_value
}

extern "C" __global__ void set_then_added_to(int* sum, int* in_first_block) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
  __syncthreads();
  if (threadIdx.x == 0 && (blockIdx.x > 0 || in_first_block != nullptr)) atomicAdd(sum, 1);
}

extern "C" __global__ void plain_count(int* counter) {
  *counter = *counter + 1;  // mark: plain_count
}

extern "C" __global__ void plain_largest(const int* in, int* largest) {
  *largest = max(*largest, in[threadIdx.x]);
}

extern "C" __global__ void plain_count_wide(unsigned long long* counters) {
  unsigned long long* const third = counters + 2;
  *third = counters[2] + 1;  // mark: plain_count_wide
}

extern "C" __global__ void two_counters(int* counters, int* out) {
  if (threadIdx.x < 32) {
    atomicAdd(&counters[0], 1);  // mark: first_counter
    atomicAdd(&counters[1], 1);  // mark: second_counter
  } else {
    out[0] = counters[0];
    out[1] = counters[1];
  }
}

extern "C" __global__ void hand_over(int* data, int* out) {
  if (blockIdx.x == 0) data[threadIdx.x] = threadIdx.x;
  if (blockIdx.x == 1) out[threadIdx.x] = data[threadIdx.x];
}

extern "C" __global__ void last_block(const float* in, float* partial, unsigned* done, float* out,
                                      int fenced) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    if (fenced) __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int block = 0; block < gridDim.x; ++block) sum += partial[block];
    *out = sum;
  }
}

extern "C" __global__ void locked(int* lock, int* value, int locks) {
  if (locks) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    if (locks == 2) __threadfence();
    if (locks == 3) __threadfence_block();
  }
  *value = *value + 1;
  if (locks) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void histogram(const int* in, int* bins, int* out, int early) {
  __shared__ int counts[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0;
  if (!early) __syncthreads();
  atomicAdd(&counts[in[threadIdx.x] & 31], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

extern "C" __global__ void producer_consumer(int* out, int right) {
  __shared__ int box[64];
  const int i = threadIdx.x;
  if (i < 64) {
    box[i] = i;
    if (right) asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    if (right) asm volatile("bar.sync 1, 128;" ::: "memory");
    out[i - 64] = box[127 - i];
  }
}

extern "C" __global__ void half_tiles(float* out, int width) {
  __shared__ float tile[32];
  const int lane = threadIdx.x;
  const unsigned mask = width == 16 ? 0xFFFFu << (lane & 16) : 0xFFu << (lane & 24);
  tile[lane] = lane;
  __syncwarp(mask);
  out[lane] = tile[lane ^ 15];
}

enum VolatileUpdate {
  kPlainly,
  kUnderALock,
  kUnderALockWithoutFences,
  kUnderALockWithoutItsLastFence,
  kSameByAll,
  kInTurn
};

extern "C" __global__ void volatile_updates(volatile int* word, int* taken, int how) {
  if (threadIdx.x != 0) return;
  const int block = blockIdx.x;
  if (how == kPlainly) *word = *word + 1;
  if (how == kSameByAll && *word == 0) *word = 1;
  if (how == kUnderALock || how == kUnderALockWithoutFences ||
      how == kUnderALockWithoutItsLastFence) {
    while (atomicCAS(taken, 0, 1) != 0) {
    }
    if (how != kUnderALockWithoutFences) __threadfence();
    if (*word < block + 1) *word = block + 1;
    if (how == kUnderALock) __threadfence();
    atomicExch(taken, 0);
  }
  if (how == kInTurn) {
    while (*word != block) {
    }
    __threadfence();
    *word = block + 1;
  }
}

extern "C" __global__ void flags(volatile int* flag, int* data, int* out, int fenced) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 5;
    if (fenced) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    out[blockIdx.x] = *data;
  }
}

__device__ volatile unsigned noise;

extern "C" __global__ void add_behind_many_fences(int* sum, int fences) {
  if (blockIdx.x == 0) {
    for (int i = 0; i < fences; ++i) {
      __threadfence();
      noise = i;
    }
  }
  if (noise == 1) *sum = 0;
  __threadfence();
  *sum += 1;
}

extern "C" __global__ void push_without_fences(int* lock, int* head, int* next) {
  for (int lane = 0; lane < 32; ++lane) {
    if (threadIdx.x % 32 != lane) continue;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    next[threadIdx.x] = *head;
    *head = threadIdx.x;
    atomicExch(lock, 0);
  }
}

extern "C" __global__ void halve_by_all(float* value) { *value *= 0.5f; }
