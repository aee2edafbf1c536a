// SPDX-License-Identifier: MIT
// Atomics on global and shared memory: requests, sectors and what becomes of those that use no
// result.
#include "testing/ground_truth/cases.cuh"

namespace {

constexpr int kElements = 1056;
using Long = unsigned long long;

struct Add {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicAdd(at, value);
  }
};
struct AddOne {
  template <class T>
  static __device__ T run(T* at, T) {
    return atomicAdd(at, T(1));
  }
};
struct AddTwo {
  template <class T>
  static __device__ T run(T* at, T) {
    return atomicAdd(at, T(2));
  }
};
struct Increment {
  static __device__ unsigned run(unsigned* at, unsigned value) { return atomicInc(at, value); }
};
struct Max {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicMax(at, value);
  }
};
struct Exchange {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicExch(at, value);
  }
};
struct CompareAndSwap {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicCAS(at, T{0}, value);
  }
};
struct And {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicAnd(at, value);
  }
};
struct AddOfBlock {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicAdd_block(at, value);
  }
};
struct AddOfSystem {
  template <class T>
  static __device__ T run(T* at, T value) {
    return atomicAdd_system(at, value);
  }
};

/// One warp; a lane whose index is negative does nothing.
template <class Op, class T>
__global__ void without_result(const int* index, T* data, const T* values) {
  const int at = index[threadIdx.x];
  if (at >= 0) Op::run(data + at, values[threadIdx.x]);
}

template <class Op, class T>
__global__ void with_result(const int* index, T* data, const T* values, T* out) {
  const int at = index[threadIdx.x];
  if (at >= 0) out[threadIdx.x] = Op::run(data + at, values[threadIdx.x]);
}

template <class Op, class T>
__global__ void in_shared(const int* index, const T* values, T* out) {
  __shared__ T data[kElements];
  for (int i = static_cast<int>(threadIdx.x); i < kElements; i += 32) data[i] = T{};
  __syncwarp();
  const int at = index[threadIdx.x];
  if (at >= 0) Op::run(data + at, values[threadIdx.x]);
  __syncwarp();
  out[threadIdx.x] = data[threadIdx.x];
}

template <class Op, class T>
__global__ void in_shared_with_result(const int* index, const T* values, T* out) {
  __shared__ T data[kElements];
  for (int i = static_cast<int>(threadIdx.x); i < kElements; i += 32) data[i] = T{};
  __syncwarp();
  const int at = index[threadIdx.x];
  if (at >= 0) out[threadIdx.x] = Op::run(data + at, values[threadIdx.x]);
}

__global__ void count_all(int* counter) { atomicAdd(counter, 1); }

__global__ void count_some(const int* in, int* counter, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && in[i] % 3 == 0) atomicAdd(counter, 1);
}

/// All threads of a block name one address, which the compiler can see.
template <class Op, class T>
__global__ void at_one_place(const T* values, T* data) {
  Op::run(data + blockIdx.x, values[threadIdx.x]);
}

template <class Op, class T>
__global__ void at_one_place_with_result(const T* values, T* data, T* out) {
  out[threadIdx.x] = Op::run(data + blockIdx.x, values[threadIdx.x]);
}

template <class Op, class T>
__global__ void at_one_place_for_some(const T* values, T* data) {
  if (values[threadIdx.x] != T(0)) Op::run(data + blockIdx.x, values[threadIdx.x]);
}

template <class Op, class T>
__global__ void at_one_place_in_shared(const T* values, T* out) {
  __shared__ T data[4];
  if (threadIdx.x < 4) data[threadIdx.x] = T(0);
  __syncthreads();
  Op::run(data + blockIdx.x % 4, values[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = data[0];
}

template <class T>
__global__ void either_space(const int* index, T* global, int from_shared) {
  __shared__ T data[kElements];
  for (int i = static_cast<int>(threadIdx.x); i < kElements; i += 32) data[i] = T{};
  __syncwarp();
  T* const place = static_cast<int>(blockIdx.x) < from_shared ? data : global;
  atomicAdd(place + index[threadIdx.x], T(3));
  __syncwarp();
  global[threadIdx.x] = data[threadIdx.x];
}

__global__ void wrap_around(unsigned* counter, unsigned* out) {
  out[threadIdx.x] = atomicInc(counter + threadIdx.x, 10);
}

__global__ void histogram(const int* in, int* bins, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(bins + in[i], 1);
}

__global__ void histogram_in_shared(const int* in, int* bins, int n) {
  __shared__ int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(mine + in[i] % 64, 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, mine[threadIdx.x]);
}

__global__ void largest_by_swapping(float* data, const float* values) {
  int* const at = reinterpret_cast<int*>(data + threadIdx.x);
  int held = *at;
  while (__int_as_float(held) < values[threadIdx.x]) {
    const int seen = atomicCAS(at, held, __float_as_int(values[threadIdx.x]));
    if (seen == held) break;
    held = seen;
  }
}

struct Pattern {
  const char* name;
  int (*index)(int lane);
};

int anywhere(int lane) {
  Numbers numbers;
  int at = 0;
  for (int i = 0; i <= lane; ++i) at = static_cast<int>(numbers.below(kElements));
  return at;
}

constexpr Pattern kPatterns[] = {
    {"distinct", [](int lane) { return lane; }},
    {"stride 8", [](int lane) { return 8 * lane; }},
    {"stride 32", [](int lane) { return 32 * lane; }},
    {"one address", [](int) { return 3; }},
    {"pairs", [](int lane) { return lane / 2; }},
    {"odd lanes", [](int lane) { return lane % 2 != 0 ? lane : -1; }},
    {"one lane", [](int lane) { return lane == 9 ? 40 : -1; }},
    {"anywhere", anywhere},
};

const int* index_of(const Pattern& pattern) {
  std::vector<int> index(32);
  for (int lane = 0; lane < 32; ++lane) index[static_cast<size_t>(lane)] = pattern.index(lane);
  return on_device(index);
}

template <class Op, class T>
void on_global(const char* what, size_t patterns) {
  T *const data = zeros<T>(kElements), *const out = zeros<T>(32);
  const T* const values = on_device(std::vector<T>(32, T(1)));
  char name[80];
  for (size_t i = 0; i < patterns; ++i) {
    const int* const index = index_of(kPatterns[i]);
    std::snprintf(name, sizeof name, "%s, no result, %s", what, kPatterns[i].name);
    launch(name, without_result<Op, T>, 1, 32, 0, {}, index, data, values);
    std::snprintf(name, sizeof name, "%s, result used, %s", what, kPatterns[i].name);
    launch(name, with_result<Op, T>, 1, 32, 0, {}, index, data, values, out);
  }
}

template <class Op, class T>
void on_shared(const char* what, size_t patterns, Differs last = {}) {
  T* const out = zeros<T>(32);
  const T* const values = on_device(std::vector<T>(32, T(1)));
  char name[80];
  for (size_t i = 0; i < patterns; ++i) {
    const int* const index = index_of(kPatterns[i]);
    const Differs differs = i + 1 == patterns ? last : Differs{};
    std::snprintf(name, sizeof name, "shared %s, no result, %s", what, kPatterns[i].name);
    launch(name, in_shared<Op, T>, 1, 32, 0, differs, index, values, out);
    std::snprintf(name, sizeof name, "shared %s, result used, %s", what, kPatterns[i].name);
    launch(name, in_shared_with_result<Op, T>, 1, 32, 0, differs, index, values, out);
  }
}

template <class Op, class T>
void in_one_place(const char* what, Differs shared = {}) {
  std::vector<T> numbers(96);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i % 3);
  const T* const values = on_device(numbers);
  T *const data = zeros<T>(32), *const out = zeros<T>(96);
  char name[80];
  const auto titled = [&](const char* how) {
    std::snprintf(name, sizeof name, "%s in one place%s", what, how);
    return name;
  };
  launch(titled(""), at_one_place<Op, T>, 2, 96, 0, {}, values, data);
  launch(titled(", result used"), at_one_place_with_result<Op, T>, 2, 96, 0, {}, values, data, out);
  launch(titled(", some threads"), at_one_place_for_some<Op, T>, 2, 96, 0, {}, values, data);
  launch(titled(", shared"), at_one_place_in_shared<Op, T>, 2, 96, 0, shared, values, out);
}

template <class T>
void generic(const char* what) {
  char name[80];
  for (const int from_shared : {0, 2, 3}) {
    std::snprintf(name, sizeof name, "generic %s, %d of 3 blocks on shared memory", what,
                  from_shared);
    launch(name, either_space<T>, 3, 32, 0, {}, index_of(kPatterns[1]), zeros<T>(kElements),
           from_shared);
  }
}

void whole_kernels() {
  constexpr int n = 3000;
  std::vector<int> numbers(n);
  Numbers source;
  for (int& number : numbers) number = static_cast<int>(source.below(256));
  const int* const in = on_device(numbers);
  int* const bins = zeros<int>(256);
  launch("one counter for all threads", count_all, 4, 100, 0, {}, bins);
  launch("one counter for some threads", count_some, 12, 256, 0, {}, in, bins, n);
  launch("increments that wrap around", wrap_around, 1, 128, 0, {}, zeros<unsigned>(128),
         zeros<unsigned>(128));
  launch("histogram", histogram, 12, 256, 0,
         {"red", "ncu itself counts 2131 to 2152 sectors from run to run"}, in, bins, n);
  launch("histogram in shared memory", histogram_in_shared, 12, 256, 0, {}, in, bins, n);
  launch("maximum by compare and swap", largest_by_swapping, 1, 64, 0, {}, zeros<float>(64),
         on_device(std::vector<float>(64, 2.0f)));
}

}  // namespace

int main(int count, char** arguments) {
  read_arguments(count, arguments);
  on_global<Add, int>("add int", 8);
  on_global<Add, float>("add float", 5);
  on_global<Add, double>("add double", 4);
  on_global<Add, Long>("add 64-bit", 4);
  on_global<Max, int>("max int", 4);
  on_global<Exchange, int>("exchange", 4);
  on_global<CompareAndSwap, int>("compare and swap", 4);
  on_global<And, Long>("and 64-bit", 2);
  on_global<AddOne, int>("add 1", 4);
  on_global<AddOfBlock, int>("add int of the block", 1);
  on_global<AddOfSystem, int>("add int of the system", 1);
  on_shared<Add, int>("add int", 8);
  on_shared<Max, int>("max int", 4);
  on_shared<Exchange, int>("exchange", 4);
  on_shared<CompareAndSwap, int>("compare and swap", 4);
  on_shared<AddOne, int>("add 1", 8);
  on_shared<AddTwo, int>("add 2", 4);
  on_shared<Increment, unsigned>("increment", 4);
  on_shared<Add, Long>("add 64-bit", 8);
  on_shared<Add, float>("add float", 8);
  on_shared<Add, double>("add double", 4);
  on_shared<Max, Long>("max 64-bit", 4,
                       {"shared_ld,shared_atom", "the loop ends where the maximum is there"});
  on_shared<Exchange, Long>("exchange 64-bit", 4);
  on_shared<CompareAndSwap, Long>("compare and swap 64-bit", 4);
  in_one_place<Add, int>("add int");
  in_one_place<AddOne, int>("add 1");
  in_one_place<Max, int>("max int");
  in_one_place<Add, Long>("add 64-bit",
                          {"shared_ld,shared_atom", "loops of several warps disturb each other"});
  in_one_place<Add, float>("add float",
                           {"shared_ld,shared_atom", "loops of several warps disturb each other"});
  in_one_place<Exchange, int>("exchange");
  generic<int>("add int");
  generic<float>("add float");
  whole_kernels();
}
