// SPDX-License-Identifier: MIT
// cuRAND's host API (cuRAND Library, chapter 2). The host makes the numbers and copies them in the generator's stream. All
// pseudorandom types are one generator, so the distributions are cuRAND's, and the numbers are others.
#include <curand.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cudart/curand/philox.h"
#include "cudart/toolkit.h"

extern "C" {
/// libcudart defines it. It says on stderr that the emulated device lacks a call.
cudaError_t __cudaRefuse(const char* what);
}

struct curandGenerator_st {
  bool is_on_host = false;
  cudaStream_t stream = nullptr;
  uint64_t seed = 0, position = 0;
};

namespace {

using warpgrade::cudart::Philox;

bool is_pseudorandom(curandRngType_t type) {
  return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW ||
         type == CURAND_RNG_PSEUDO_MRG32K3A || type == CURAND_RNG_PSEUDO_MTGP32 ||
         type == CURAND_RNG_PSEUDO_MT19937 || type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
}

curandStatus_t refuse(const char* what) {
  __cudaRefuse(what);
  return CURAND_STATUS_INTERNAL_ERROR;
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (type >= CURAND_RNG_QUASI_DEFAULT && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
    return refuse("a quasirandom generator of cuRAND's host API");
  if (!is_pseudorandom(type)) return CURAND_STATUS_TYPE_ERROR;
  auto made = std::make_unique<curandGenerator_st>();
  made->is_on_host = on_host;
  *generator = made.release();
  return CURAND_STATUS_SUCCESS;
}

/// "Uniform": greater than 0, and 1 at most.
float uniform(Philox& words) { return static_cast<float>(words()) * 0x1p-32f + 0x1p-33f; }
double uniform_double(Philox& words) {
  const uint64_t high = words(), low = words();
  return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53 + 0x1p-54;
}

/// Box and Muller's pair of normal values.
template <class T, class Uniform>
std::pair<T, T> normal_pair(Philox& words, Uniform next) {
  constexpr T kTurn = static_cast<T>(6.283185307179586);
  const T length = std::sqrt(T{-2} * std::log(next(words)));
  const T angle = kTurn * next(words);
  return {length * std::cos(angle), length * std::sin(angle)};
}

/// Calls make(words, values) for the values, and hands them over.
template <class T, class Make>
curandStatus_t generate(curandGenerator_t generator, T* to, size_t count, Make make) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (count == 0) return CURAND_STATUS_SUCCESS;
  Philox words(generator->seed, generator->position);
  std::vector<T> made(generator->is_on_host ? 0 : count);
  T* const values = generator->is_on_host ? to : made.data();
  make(words, values);
  generator->position = words.position();
  if (generator->is_on_host) return CURAND_STATUS_SUCCESS;
  const cudaError_t error =
      cudaMemcpyAsync(to, values, count * sizeof(T), cudaMemcpyDefault, generator->stream);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class T, class Next>
curandStatus_t generate_each(curandGenerator_t generator, T* to, size_t count, Next next) {
  return generate(generator, to, count, [&](Philox& words, T* values) {
    for (size_t i = 0; i < count; ++i) values[i] = next(words);
  });
}

/// `shape` turns a normal value into what is asked for.
template <class T, class Uniform, class Shape>
curandStatus_t generate_normal(curandGenerator_t generator, T* to, size_t count, Uniform next,
                               Shape shape) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, to, count, [&](Philox& words, T* values) {
    for (size_t i = 0; i < count; i += 2) {
      const auto [first, second] = normal_pair<T>(words, next);
      values[i] = shape(first);
      values[i + 1] = shape(second);
    }
  });
}

template <class Change>
curandStatus_t change(curandGenerator_t generator, Change change) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  change(*generator);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const std::unique_ptr<curandGenerator_st> held(generator);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  switch (type) {
    case MAJOR_VERSION:
      *value = CURAND_VER_MAJOR;
      return CURAND_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CURAND_VER_MINOR;
      return CURAND_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CURAND_VER_PATCH;
      return CURAND_STATUS_SUCCESS;
    default:
      return CURAND_STATUS_OUT_OF_RANGE;
  }
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return change(generator, [&](curandGenerator_st& its) { its.stream = stream; });
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  return change(generator, [&](curandGenerator_st& its) {
    its.seed = seed;
    its.position = 0;
  });
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return change(generator, [&](curandGenerator_st& its) { its.position = offset; });
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t ordering) {
  if (ordering == CURAND_ORDERING_QUASI_DEFAULT) return CURAND_STATUS_OUT_OF_RANGE;
  return change(generator, [](curandGenerator_st&) {});
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return change(generator, [](curandGenerator_st&) {});
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* to, size_t count) {
  return generate_each(generator, to, count, [](Philox& words) { return words(); });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*, size_t) {
  // "Only for 64-bit generators", which are quasirandom.
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* to, size_t count) {
  return generate_each(generator, to, count, uniform);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* to, size_t count) {
  return generate_each(generator, to, count, uniform_double);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* to, size_t count,
                                    float mean, float deviation) {
  return generate_normal(generator, to, count, uniform,
                         [&](float normal) { return mean + deviation * normal; });
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* to, size_t count,
                                          double mean, double deviation) {
  return generate_normal(generator, to, count, uniform_double,
                         [&](double normal) { return mean + deviation * normal; });
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* to, size_t count,
                                       float mean, float deviation) {
  return generate_normal(generator, to, count, uniform,
                         [&](float normal) { return std::exp(mean + deviation * normal); });
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* to, size_t count,
                                             double mean, double deviation) {
  return generate_normal(generator, to, count, uniform_double,
                         [&](double normal) { return std::exp(mean + deviation * normal); });
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* to, size_t count,
                                     double lambda) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
  std::poisson_distribution<unsigned> poisson(lambda);
  return generate_each(generator, to, count, poisson);
}
curandStatus_t curandGeneratePoissonMethod(curandGenerator_t generator, unsigned* to, size_t count,
                                           double lambda, curandMethod_t) {
  return curandGeneratePoisson(generator, to, count, lambda);
}

curandStatus_t curandCreatePoissonDistribution(double, curandDiscreteDistribution_t*) {
  return refuse("curandCreatePoissonDistribution");
}
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t) {
  return refuse("curandDestroyDistribution");
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t**,
                                           curandDirectionVectorSet_t) {
  return refuse("curandGetDirectionVectors32");
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t**,
                                           curandDirectionVectorSet_t) {
  return refuse("curandGetDirectionVectors64");
}
curandStatus_t curandGetScrambleConstants32(unsigned**) {
  return refuse("curandGetScrambleConstants32");
}
curandStatus_t curandGetScrambleConstants64(unsigned long long**) {
  return refuse("curandGetScrambleConstants64");
}

}  // extern "C"
