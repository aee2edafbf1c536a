// SPDX-License-Identifier: MIT
// Divergence, loops, warp functions, barriers and local memory.
#include <cstdint>

#include "testing/ground_truth/cases.cuh"

namespace {

constexpr unsigned kAll = 0xFFFF'FFFF;

__device__ int thread_number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void two_ways(const float* in, float* out, int mask) {
  const int i = thread_number();
  if ((static_cast<int>(threadIdx.x) & mask) != 0) {
    float value = in[i];
    for (int k = 0; k < 20; ++k) value = value * value + in[i + k];
    out[i] = value;
  } else {
    float value = 1;
    for (int k = 0; k < 10; ++k) value = value / (2 + in[i + k]);
    out[i + 1] = value;
  }
}

__global__ void trips_by_lane(const float* in, float* out) {
  const int i = thread_number();
  float sum = 0;
  for (int k = 0; k < static_cast<int>(threadIdx.x % 32); ++k) sum += in[32 * k + i];
  out[i] = sum;
}

__global__ void trips_by_warp(const float* in, float* out) {
  const int i = thread_number();
  float sum = 0;
  for (int k = 0; k < static_cast<int>(threadIdx.x / 32); ++k) sum += in[32 * k + i];
  out[i] = sum;
}

__global__ void early_exit(const float* in, float* out, int limit) {
  const int i = thread_number();
  if (in[i] < 0 || i >= limit) return;
  out[i] = in[i + 1] + in[i + 33];
  if (i % 7 == 0) return;
  out[i + 4000] = in[i + 2];
}

__global__ void switched(const int* in, float* out, const float* values) {
  const int i = thread_number();
  switch (in[i] % 6) {
    case 0:
      out[i] = sqrtf(values[i]);
      break;
    case 1:
      out[i + 1] = values[2 * i] * 3;
      break;
    case 2:
      out[i + 2] = values[i] + values[i + 5];
      break;
    case 3:
      out[2 * i] = 1 / values[i];
      break;
    case 4:
      out[i + 9] = values[3 * i] - 1;
      break;
    default:
      out[3 * i] = 7;
  }
}

__global__ void nested(const int* in, float* out) {
  const int i = thread_number();
  const int value = in[i];
  if (value % 2 == 0) {
    out[i] = 1;
    if (value % 4 == 0) {
      out[2 * i] = static_cast<float>(in[i + 1]);
    } else {
      out[3 * i] = static_cast<float>(in[i + 2]);
    }
  }
  out[i + 5000] = static_cast<float>(value);
}

__global__ void collatz(const int* in, int* out) {
  const int i = thread_number();
  int steps = 0;
  for (unsigned value = static_cast<unsigned>(in[i]) + 1; value != 1; ++steps)
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
  out[i] = steps;
}

__global__ void reduce_by_shuffles(const float* in, float* out) {
  float sum = in[thread_number()];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(kAll, sum, static_cast<unsigned>(distance));
  if (threadIdx.x % 32 == 0) out[thread_number() / 32] = sum;
}

__global__ void votes(const int* in, unsigned* out) {
  const int i = thread_number();
  const int value = in[i];
  const unsigned ballot = __ballot_sync(kAll, value % 3 == 0);
  out[i] = __any_sync(kAll, value > 250) != 0 ? ballot : static_cast<unsigned>(__popc(ballot));
}

__global__ void loaded_twice(const int* in, unsigned* out) {
  const int i = thread_number();
  const unsigned ballot = __ballot_sync(kAll, in[i] % 3 == 0);
  out[i] = ballot + static_cast<unsigned>(in[i]);
}

__global__ void matches(const int* in, unsigned* out) {
  const int i = thread_number();
  out[i] = __match_any_sync(kAll, in[i] % 4);
}

__global__ void butterfly(const double* in, double* out) {
  double value = in[thread_number()];
  for (int distance = 1; distance < 32; distance *= 2)
    value += __shfl_xor_sync(kAll, value, distance);
  out[thread_number()] = value;
}

__global__ void barriers(float* out, int rounds) {
  __shared__ float value[128];
  value[threadIdx.x] = 1;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    const float next = value[(threadIdx.x + 1) % 128];
    __syncthreads();
    value[threadIdx.x] = next;
  }
  out[threadIdx.x] = value[threadIdx.x] + static_cast<float>(__syncthreads_count(out[0] == 0));
}

/// An array of T that cannot be kept in registers: element `at[thread]` is stored and loaded.
template <class T, int Size>
__global__ void local_array(const int* at, T* out) {
  T values[Size];
  const int mine = at[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < Size; ++i) values[(i + mine) % Size] = out[i];
  out[threadIdx.x] = values[mine];
}

struct Three {
  int a, b, c;
};

__global__ void local_structures(const int* at, int* out) {
  Three values[8];
  const int mine = at[threadIdx.x] % 8;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) values[(i + mine) % 8] = {out[i], i, mine};
  out[threadIdx.x] = values[mine].b + values[(mine + 3) % 8].a;
}

/// Lanes whose number modulo `modulus` is less than `locals` store to local memory, the others to
/// global memory.
__global__ void local_by_pointer(const int* at, int* out, int modulus, int locals) {
  int values[16];
  const int mine = at[threadIdx.x] % 16;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) values[(i * 3) % 16] = i;
  const bool local = static_cast<int>(threadIdx.x) % modulus < locals;
  int* const where = local ? values + mine : out + 64 + threadIdx.x;
  *where = mine;
  out[threadIdx.x] = values[(mine + 1) % 16];
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(const int* in, int* out) {
  const int number = fibonacci(in[thread_number()] % 7);
  __syncwarp();
  out[thread_number()] = number;
}

__global__ void __maxnreg__(24) spilling(const float* in, float* out) {
  float values[40];
  for (int i = 0; i < 40; ++i) values[i] = in[i * 64 + threadIdx.x];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 40; ++i) values[i] = values[i] * values[(i + 7) % 40] + 1;
  }
  float sum = 0;
  for (int i = 0; i < 40; ++i) sum += values[i] * values[39 - i];
  out[threadIdx.x] = sum;
}

__global__ void __launch_bounds__(1024) full_block(const float* in, float* out) {
  out[thread_number()] = __sinf(in[thread_number()]) * __expf(in[thread_number()]);
}

__global__ void many_registers(const float* in, float* out) {
  float values[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) values[i] = in[i * 64 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) values[i] = values[i] * values[63 - i] + values[(i * 5) % 64];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) sum += values[i] * sum + values[(i + 31) % 64];
  out[threadIdx.x] = sum;
}

__global__ void arithmetic(const double* in, double* out, int n) {
  const int i = thread_number();
  if (i >= n) return;
  double value = in[i];
  float single = static_cast<float>(value);
  for (int k = 0; k < 8; ++k) {
    value = value * 1.5 + 2;
    single = single * 3.0f + 1.0f;
  }
  out[i] = (value + 1) * static_cast<double>(single + 2) - in[i];
}

void divergence() {
  constexpr int n = 4000;
  float *const in = zeros<float>(4 * n), *const out = zeros<float>(4 * n);
  std::vector<int> numbers(n);
  Numbers source;
  for (int& number : numbers) number = static_cast<int>(source.below(256));
  const int* const data = on_device(numbers);
  launch("two ways, odd and even lanes", two_ways, 8, 128, 0, {}, in, out, 1);
  launch("two ways, halves of warps", two_ways, 8, 128, 0, {}, in, out, 16);
  launch("two ways, whole warps", two_ways, 8, 128, 0, {}, in, out, 32);
  launch("trips by lane", trips_by_lane, 4, 128, 0, {}, in, out);
  launch("trips by warp", trips_by_warp, 4, 128, 0, {}, in, out);
  launch("early exit", early_exit, 16, 250, 0, {}, in, out, 3900);
  launch("switch of 6", switched, 10, 128, 0, {}, data, out, in);
  launch("nested ifs", nested, 10, 128, 0, {}, data, out);
  launch("loops that end by data", collatz, 10, 128, 0, {}, data, zeros<int>(n));
  launch("arithmetic", arithmetic, 4, 128, 0, {}, zeros<double>(n), zeros<double>(n), 500);
}

void warp_functions() {
  constexpr int n = 1024;
  std::vector<int> numbers(n);
  Numbers source;
  for (int& number : numbers) number = static_cast<int>(source.below(256));
  const int* const data = on_device(numbers);
  float* const out = zeros<float>(n);
  launch("reduction by shuffles", reduce_by_shuffles, 8, 128, 0, {}, zeros<float>(n), out);
  launch("votes", votes, 8, 128, 0, {}, data, zeros<unsigned>(n));
  launch("the same element loaded twice", loaded_twice, 8, 128, 0, {}, data, zeros<unsigned>(n));
  launch("matches", matches, 8, 128, 0, {}, data, zeros<unsigned>(n));
  launch("butterfly of doubles", butterfly, 8, 128, 0, {}, zeros<double>(n), zeros<double>(n));
  launch("barriers", barriers, 2, 128, 0, {}, out, 10);
}

void local_memory() {
  std::vector<int> same(128, 3), by_lane(128), random(128);
  Numbers source;
  for (int i = 0; i < 128; ++i) {
    by_lane[static_cast<size_t>(i)] = i % 32 % 16;
    random[static_cast<size_t>(i)] = static_cast<int>(source.below(16));
  }
  const int *const all = on_device(same), *const lanes = on_device(by_lane),
                   *const any = on_device(random);
  float* const out = zeros<float>(256);
  const struct {
    const char* name;
    const int* at;
  } choices[] = {{"one element", all}, {"by lane", lanes}, {"anywhere", any}};
  for (const auto& [name, at] : choices) {
    char text[80];
    const auto titled = [&](const char* what) {
      std::snprintf(text, sizeof text, "local %s, %s", what, name);
      return text;
    };
    launch(titled("1 byte"), local_array<uint8_t, 16>, 1, 64, 0, {}, at, zeros<uint8_t>(256));
    launch(titled("2 bytes"), local_array<uint16_t, 16>, 1, 64, 0, {}, at, zeros<uint16_t>(256));
    launch(titled("4 bytes"), local_array<float, 16>, 1, 64, 0, {}, at, out);
    launch(titled("8 bytes"), local_array<double, 16>, 1, 64, 0, {}, at, zeros<double>(256));
    launch(titled("16 bytes"), local_array<float4, 16>, 1, 64, 0, {}, at, zeros<float4>(256));
    launch(titled("structs"), local_structures, 1, 64, 0, {}, at, zeros<int>(256));
    launch(titled("by generic pointer"), local_by_pointer, 1, 64, 0,
           {"bytes", "ncu counts the bytes of every generic access as global"}, at, zeros<int>(256),
           2, 2);
  }
  launch("generic pointers to global memory", local_by_pointer, 1, 64, 0, {}, lanes,
         zeros<int>(256), 2, 0);
  launch("generic pointers, odd lanes to global memory", local_by_pointer, 1, 64, 0,
         {"global,local,bytes", "one store goes to two spaces"}, lanes, zeros<int>(256), 2, 1);
  launch("generic pointers, half warps to global memory", local_by_pointer, 1, 64, 0,
         {"local,bytes", "one store goes to two spaces"}, all, zeros<int>(256), 32, 16);
  launch("local 4 bytes, partial warps", local_array<float, 16>, 1, 45, 0, {}, lanes, out);
  launch(
      "recursion", recursion, 1, 64, 0,
      {"global,local", "ptxas saves registers on the stack; lanes that have returned stay apart"},
      any, zeros<int>(256));
  launch("spilled registers", spilling, 2, 64, 0, {"local", "spills are ptxas's own"},
         zeros<float>(4096), out);
  launch("many registers", many_registers, 2, 64, 0, {}, zeros<float>(8192), out);
  launch("blocks of 1024 threads", full_block, 2, 1024, 0, {}, zeros<float>(2048),
         zeros<float>(2048));
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  divergence();
  warp_functions();
  local_memory();
}
