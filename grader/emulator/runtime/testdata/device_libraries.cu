// SPDX-License-Identifier: MIT
// cuRAND's device API against the generators' published definitions, libcu++, and integers wider
// than the hardware's.
#include <curand_kernel.h>

#include <cmath>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

#include "emulator/runtime/testdata/expect.h"

__global__ void first_numbers(unsigned* out) {
  curandStateXORWOW_t xorwow;
  curand_init(42, 0, 0, &xorwow);
  for (int i = 0; i < 8; ++i) out[i] = curand(&xorwow);
  curand_init(42, 0, 3, &xorwow);
  out[8] = curand(&xorwow);
  curandStatePhilox4_32_10_t philox;
  curand_init(42ull << 20, 0, 0, &philox);
  const uint4 four = curand4(&philox);
  out[9] = four.x;
  out[10] = four.y;
  out[11] = four.z;
  out[12] = four.w;
}

/// Marsaglia's xorwow with cuRAND's seeding.
void expect_xorwow(const unsigned* got) {
  const unsigned low = 42 ^ 0xAAD26B49u, high = 0xF7DCEFDDu;
  const unsigned t0 = 1099087573u * low, t1 = 2591861531u * high;
  unsigned d = 6615241 + t1 + t0, v[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1,
                                          88675123u ^ t1, 5783321u + t0};
  for (int i = 0; i < 8; ++i) {
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int k = 0; k < 4; ++k) v[k] = v[k + 1];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    d += 362437;
    EXPECT(got[i] == v[4] + d);
    if (i == 3) EXPECT(got[8] == v[4] + d);
  }
}

/// Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", Philox 4x32 with ten rounds.
void expect_philox(const unsigned* got) {
  unsigned counter[4] = {}, key[2] = {42u << 20, 0};
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
    const unsigned next[4] = {
        static_cast<unsigned>(b >> 32) ^ counter[1] ^ key[0], static_cast<unsigned>(b),
        static_cast<unsigned>(a >> 32) ^ counter[3] ^ key[1], static_cast<unsigned>(a)};
    for (int i = 0; i < 4; ++i) counter[i] = next[i];
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  for (int i = 0; i < 4; ++i) EXPECT(got[i] == counter[i]);
}

template <class State>
__global__ void draw(float* uniform, float* normal, unsigned* poisson, int each) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(7, thread, 0, &state);
  for (int i = thread * each; i < (thread + 1) * each; ++i) {
    uniform[i] = curand_uniform(&state);
    normal[i] = curand_normal(&state);
    poisson[i] = curand_poisson(&state, 4);
  }
}

template <class State>
void expect_moments() {
  constexpr int kThreads = 64, kEach = 50, kCount = kThreads * kEach;
  float *uniform, *normal;
  unsigned* poisson;
  EXPECT_SUCCESS(cudaMallocManaged(&uniform, kCount * sizeof(float)));
  EXPECT_SUCCESS(cudaMallocManaged(&normal, kCount * sizeof(float)));
  EXPECT_SUCCESS(cudaMallocManaged(&poisson, kCount * sizeof(unsigned)));
  draw<State><<<2, kThreads / 2>>>(uniform, normal, poisson, kEach);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  double mean = 0, square = 0, events = 0;
  for (int i = 0; i < kCount; ++i) {
    EXPECT(uniform[i] > 0 && uniform[i] <= 1);
    mean += uniform[i] / kCount;
    square += normal[i] * normal[i] / kCount;
    events += static_cast<double>(poisson[i]) / kCount;
  }
  EXPECT(std::fabs(mean - 0.5) < 0.03);
  EXPECT(std::fabs(square - 1) < 0.15);
  EXPECT(std::fabs(events - 4) < 0.2);
  EXPECT_SUCCESS(cudaFree(uniform));
  EXPECT_SUCCESS(cudaFree(normal));
  EXPECT_SUCCESS(cudaFree(poisson));
}

struct Shared {
  int count, largest;
  double sum;
  short small;
  int guarded;
  int latched[64];
};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore{1};

__global__ void synchronise(Shared* shared) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device>(shared->count).fetch_add(1);
  cuda::atomic_ref<int, cuda::thread_scope_device>(shared->largest).fetch_max(thread);
  cuda::atomic_ref<double, cuda::thread_scope_device>(shared->sum).fetch_add(0.5);
  cuda::atomic_ref<short, cuda::thread_scope_device>(shared->small).fetch_add(1);
  semaphore.acquire();
  shared->guarded = shared->guarded + 1;
  semaphore.release();
  __shared__ cuda::latch<cuda::thread_scope_block>* latch;
  __shared__ alignas(16) char storage[sizeof(cuda::latch<cuda::thread_scope_block>)];
  __shared__ int written[64];
  if (threadIdx.x == 0) latch = new (storage) cuda::latch<cuda::thread_scope_block>(blockDim.x);
  __syncthreads();
  written[threadIdx.x] = threadIdx.x;
  latch->arrive_and_wait();
  if (blockIdx.x == 0) shared->latched[threadIdx.x] = written[63 - threadIdx.x];
}

__device__ short small_variable;
__device__ signed char smallest_variable;

/// libcu++ makes an atomic of 1 or 2 bytes by the word around them, which reaches beyond these objects.
__global__ void count_in_small(short* threes, unsigned char* five, int* results) {
  using Short = cuda::atomic_ref<short, cuda::thread_scope_device>;
  using Byte = cuda::atomic_ref<unsigned char, cuda::thread_scope_device>;
  __shared__ short in_block;
  __shared__ short* in_heap;
  if (threadIdx.x == 0) {
    in_block = 0;
    in_heap = static_cast<short*>(malloc(sizeof *in_heap));
    *in_heap = 0;
  }
  __syncthreads();
  Short(small_variable).fetch_add(1);
  cuda::atomic_ref<signed char, cuda::thread_scope_device>(smallest_variable).fetch_add(1);
  Short(threes[2]).fetch_add(1);
  Byte(five[4]).fetch_add(1);
  Short(in_block).fetch_add(1);
  Short(*in_heap).fetch_add(1);
  __syncthreads();
  if (threadIdx.x != 0) return;
  results[0] = Short(small_variable).load();
  results[1] = cuda::atomic_ref<signed char, cuda::thread_scope_device>(smallest_variable).load();
  results[2] = Short(threes[2]).load();
  results[3] = Byte(five[4]).exchange(9);
  results[4] = in_block;
  results[5] = *in_heap;
  free(in_heap);
}

__global__ void vocabulary(int* out) {
  cuda::std::array<int, 3> values{3, 1, 2};
  cuda::std::swap(values[0], values[1]);
  const cuda::std::span<int> all(values);
  const auto triple = cuda::std::make_tuple(1, 2.5, 'c');
  cuda::std::optional<int> maybe;
  const cuda::std::variant<int, float> either = 2.5f;
  const cuda::std::complex<double> z = cuda::std::complex<double>(1, 2) * 2.0;
  out[0] = all[0] * 100 + all[1] * 10 + static_cast<int>(all.size());
  out[1] = static_cast<int>(cuda::std::get<1>(triple) * 2) + maybe.value_or(9);
  out[2] = cuda::std::visit([](auto value) { return static_cast<int>(value * 2); }, either);
  out[3] = static_cast<int>(z.real() + z.imag());
}

__global__ void wide_integers(const unsigned* in, unsigned long long* out) {
  const int t = threadIdx.x;
  const unsigned __int128 dividend = static_cast<unsigned __int128>(in[t]) << 64 | in[t + 1];
  const __int128 product = static_cast<__int128>(static_cast<int>(in[t])) *
                           static_cast<int>(in[t + 1]) * static_cast<int>(in[t + 2]);
  out[3 * t] = static_cast<unsigned long long>(dividend / (in[t + 2] | 1));
  out[3 * t + 1] = static_cast<unsigned long long>(dividend % (in[t + 2] | 1));
  out[3 * t + 2] = static_cast<unsigned long long>(product >> 40);
}

void expect_wide_integers() {
  constexpr int kCount = 256;
  unsigned* in;
  unsigned long long* out;
  EXPECT_SUCCESS(cudaMallocManaged(&in, (kCount + 2) * sizeof(unsigned)));
  EXPECT_SUCCESS(cudaMallocManaged(&out, 3 * kCount * sizeof(unsigned long long)));
  for (unsigned i = 0; i < kCount + 2; ++i) in[i] = i < 8 ? 0 - (i & 3) : i * 2654435761u;
  wide_integers<<<1, kCount>>>(in, out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (int t = 0; t < kCount; ++t) {
    const unsigned __int128 dividend = static_cast<unsigned __int128>(in[t]) << 64 | in[t + 1];
    const __int128 product = static_cast<__int128>(static_cast<int>(in[t])) *
                             static_cast<int>(in[t + 1]) * static_cast<int>(in[t + 2]);
    EXPECT(out[3 * t] == static_cast<unsigned long long>(dividend / (in[t + 2] | 1)));
    EXPECT(out[3 * t + 1] == static_cast<unsigned long long>(dividend % (in[t + 2] | 1)));
    EXPECT(out[3 * t + 2] == static_cast<unsigned long long>(product >> 40));
  }
}

void check_small_atomics() {
  constexpr int kThreads = 96;
  short* threes;
  unsigned char* five;
  int* results;
  EXPECT_SUCCESS(cudaMalloc(&threes, 3 * sizeof *threes));
  EXPECT_SUCCESS(cudaMalloc(&five, 5));
  EXPECT_SUCCESS(cudaMallocManaged(&results, 6 * sizeof *results));
  EXPECT_SUCCESS(cudaMemset(threes, 0, 3 * sizeof *threes));
  EXPECT_SUCCESS(cudaMemset(five, 0, 5));
  count_in_small<<<1, kThreads>>>(threes, five, results);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  for (int i = 0; i < 6; ++i) EXPECT(results[i] == kThreads);
  unsigned char last = 0;
  EXPECT_SUCCESS(cudaMemcpy(&last, five + 4, 1, cudaMemcpyDeviceToHost));
  EXPECT(last == 9);
  EXPECT_SUCCESS(cudaFree(threes));
  EXPECT_SUCCESS(cudaFree(five));
  EXPECT_SUCCESS(cudaFree(results));
}

int main() {
  unsigned* numbers;
  EXPECT_SUCCESS(cudaMallocManaged(&numbers, 64));
  first_numbers<<<1, 1>>>(numbers);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  expect_xorwow(numbers);
  expect_philox(numbers + 9);
  expect_moments<curandStatePhilox4_32_10_t>();
  expect_moments<curandStateMRG32k3a_t>();

  Shared* shared;
  EXPECT_SUCCESS(cudaMallocManaged(&shared, sizeof(Shared)));
  *shared = {};
  synchronise<<<4, 64>>>(shared);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(shared->count == 256 && shared->largest == 255 && shared->sum == 128);
  EXPECT(shared->small == 256 && shared->guarded == 256);
  EXPECT(shared->latched[0] == 63 && shared->latched[63] == 0);

  int* out;
  EXPECT_SUCCESS(cudaMallocManaged(&out, 64));
  vocabulary<<<1, 1>>>(out);
  EXPECT_SUCCESS(cudaDeviceSynchronize());
  EXPECT(out[0] == 133 && out[1] == 14 && out[2] == 5 && out[3] == 6);
  expect_wide_integers();
  check_small_atomics();
  return failures;
}
