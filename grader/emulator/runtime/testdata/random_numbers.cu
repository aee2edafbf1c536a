// SPDX-License-Identifier: MIT
// cuRAND's host API: distributions by their moments, seeds and offsets, streams, what it refuses.
#include <curand.h>

#include <cmath>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

#define EXPECT_STATUS(call, wanted) expect_that((call) == (wanted), #call, __LINE__)
#define EXPECT_OK(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

constexpr size_t kCount = 20000;

struct Moments {
  double mean = 0, variance = 0, least = 0, most = 0;
};

template <class T>
static Moments moments_of(const std::vector<T>& values) {
  Moments of;
  of.least = of.most = values.front();
  for (const T value : values) {
    of.mean += value / static_cast<double>(values.size());
    of.least = std::fmin(of.least, value);
    of.most = std::fmax(of.most, value);
  }
  for (const T value : values)
    of.variance += (value - of.mean) * (value - of.mean) / static_cast<double>(values.size());
  return of;
}

/// What make(memory) has put into memory of the device.
template <class T, class Make>
static std::vector<T> made(Make make) {
  T* memory = nullptr;
  EXPECT_SUCCESS(cudaMalloc(&memory, kCount * sizeof(T)));
  EXPECT_OK(make(memory));
  std::vector<T> values(kCount);
  EXPECT_SUCCESS(cudaMemcpy(values.data(), memory, kCount * sizeof(T), cudaMemcpyDeviceToHost));
  EXPECT_SUCCESS(cudaFree(memory));
  return values;
}

static void expect_moments(const Moments& got, double mean, double variance) {
  EXPECT(std::fabs(got.mean - mean) < 0.05 * (1 + std::fabs(mean)));
  EXPECT(std::fabs(got.variance - variance) < 0.1 * variance);
}

static void check_distributions(curandGenerator_t generator) {
  const Moments uniform = moments_of(
      made<float>([&](float* to) { return curandGenerateUniform(generator, to, kCount); }));
  expect_moments(uniform, 0.5, 1.0 / 12);
  EXPECT(uniform.least > 0 && uniform.most <= 1);
  expect_moments(moments_of(made<double>([&](double* to) {
                   return curandGenerateUniformDouble(generator, to, kCount);
                 })),
                 0.5, 1.0 / 12);
  expect_moments(moments_of(made<float>(
                     [&](float* to) { return curandGenerateNormal(generator, to, kCount, 3, 2); })),
                 3, 4);
  expect_moments(moments_of(made<double>([&](double* to) {
                   return curandGenerateLogNormalDouble(generator, to, kCount, 0, 0.5);
                 })),
                 std::exp(0.125), (std::exp(0.25) - 1) * std::exp(0.25));
  expect_moments(moments_of(made<unsigned>([&](unsigned* to) {
                   return curandGeneratePoisson(generator, to, kCount, 12.5);
                 })),
                 12.5, 12.5);
}

static std::vector<unsigned> words(curandGenerator_t generator, unsigned long long seed,
                                   unsigned long long offset) {
  EXPECT_OK(curandSetPseudoRandomGeneratorSeed(generator, seed));
  EXPECT_OK(curandSetGeneratorOffset(generator, offset));
  return made<unsigned>([&](unsigned* to) { return curandGenerate(generator, to, kCount); });
}

/// The same seed gives the same numbers, on the device and on the host, and an offset skips some.
static void check_sequences(curandGenerator_t generator) {
  const std::vector<unsigned> first = words(generator, 42, 0);
  EXPECT(first == words(generator, 42, 0));
  EXPECT(first != words(generator, 43, 0));
  EXPECT(first[5] == words(generator, 42, 5)[0]);
  curandGenerator_t on_host = nullptr;
  EXPECT_OK(curandCreateGeneratorHost(&on_host, CURAND_RNG_PSEUDO_DEFAULT));
  EXPECT_OK(curandSetPseudoRandomGeneratorSeed(on_host, 42));
  std::vector<unsigned> others(kCount);
  EXPECT_OK(curandGenerate(on_host, others.data(), kCount / 2));
  EXPECT_OK(curandGenerate(on_host, others.data() + kCount / 2, kCount / 2));
  EXPECT(first == others);
  EXPECT_OK(curandDestroyGenerator(on_host));
}

__global__ void halve(float* values) { values[threadIdx.x] /= 2; }

/// Numbers arrive in the order of the generator's stream.
static void check_stream(curandGenerator_t generator) {
  cudaStream_t stream = nullptr;
  float* values = nullptr;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  EXPECT_SUCCESS(cudaMallocManaged(&values, 64 * sizeof(float)));
  EXPECT_OK(curandSetStream(generator, stream));
  EXPECT_OK(curandGenerateUniform(generator, values, 64));
  halve<<<1, 64, 0, stream>>>(values);
  EXPECT_SUCCESS(cudaStreamSynchronize(stream));
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += values[i] <= 0 || values[i] > 0.5f;
  EXPECT(wrong == 0);
  EXPECT_OK(curandSetStream(generator, nullptr));
  EXPECT_SUCCESS(cudaFree(values));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

static void check_refusals(curandGenerator_t generator) {
  curandGenerator_t none = nullptr;
  float* const nowhere = nullptr;
  EXPECT_STATUS(curandCreateGenerator(&none, static_cast<curandRngType_t>(7)),
                CURAND_STATUS_TYPE_ERROR);
  EXPECT_STATUS(curandGenerateUniform(nullptr, nowhere, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_STATUS(curandGenerateNormal(generator, nowhere, 3, 0, 1),
                CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  unsigned* const no_counts = nullptr;
  EXPECT_STATUS(curandGeneratePoisson(generator, no_counts, 1, -1), CURAND_STATUS_OUT_OF_RANGE);
  int version = 0;
  EXPECT_OK(curandGetVersion(&version));
  EXPECT(version == CURAND_VERSION);
}

int main() {
  curandGenerator_t generator = nullptr;
  EXPECT_OK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  EXPECT_OK(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  check_distributions(generator);
  check_sequences(generator);
  check_stream(generator);
  check_refusals(generator);
  EXPECT_OK(curandDestroyGenerator(generator));
  return failures;
}
