// SPDX-License-Identifier: MIT
// What the hardware and CUB give, beside each group of answers: device-to-device copies of as many
// bytes, copies by kernels of the same shape, and CUB on the same data.
#include <cuda_runtime.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/cub.cuh>
#include <memory>

#include "testing/gpu/speed/task.h"

using namespace warpgrade::speed;

namespace {

// Where the limits' own arrays lie among the group's.
constexpr int kFrom = 10, kTo = 11, kTemporary = 12, kResult = 13, kLeft = 14, kRight = 15;

/// An array of bytes, copied as rows of 16384 floats by the kernels.
struct Copy {
  float *to, *from;
  size_t count;
  int columns;

  int rows() const { return static_cast<int>(count / static_cast<size_t>(columns)); }
  size_t bytes() const { return count * sizeof(float); }
};

__global__ void copy_one(float* to, const float* from, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const size_t i = static_cast<size_t>(row) * columns + column;
  to[i] = from[i];
}

// Blocks of 32 x 8, each thread four elements of a column, 8 rows apart.
__global__ void copy_four(float* to, const float* from, int rows, int columns) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  if (column >= columns) return;
  float elements[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (row + 8 * k < rows) elements[k] = from[static_cast<size_t>(row + 8 * k) * columns + column];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (row + 8 * k < rows) to[static_cast<size_t>(row + 8 * k) * columns + column] = elements[k];
  }
}

__global__ void copy_vectors(float4* to, const float4* from, size_t count) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < count) to[i] = from[i];
}

unsigned blocks_for(size_t total, size_t part) {
  return static_cast<unsigned>((total + part - 1) / part);
}

void launch_one(const Copy& copy, dim3 block) {
  const dim3 grid(blocks_for(static_cast<size_t>(copy.columns), block.x),
                  blocks_for(static_cast<size_t>(copy.rows()), block.y));
  copy_one<<<grid, block>>>(copy.to, copy.from, copy.rows(), copy.columns);
}

void launch_four(const Copy& copy) {
  const dim3 grid(blocks_for(static_cast<size_t>(copy.columns), 32),
                  blocks_for(static_cast<size_t>(copy.rows()), 32));
  copy_four<<<grid, dim3(32, 8)>>>(copy.to, copy.from, copy.rows(), copy.columns);
}

void launch_vectors(const Copy& copy) {
  const size_t vectors = copy.count / 4;
  copy_vectors<<<blocks_for(vectors, 256), 256>>>(
      reinterpret_cast<float4*>(copy.to), reinterpret_cast<const float4*>(copy.from), vectors);
}

/// Copies of `count` floats: by the library, and by the shapes of kernel that the course has.
void offer_copies(const Setting& setting, size_t count, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const Copy copy = {static_cast<float*>(memory.device(kTo, count * sizeof(float))),
                     static_cast<float*>(memory.device(kFrom, count * sizeof(float))), count,
                     setting.small() ? 128 : 16384};
  memory.fill(copy.from, count, 3);
  const auto offer = [&](const char* name, std::function<void()> call) {
    tasks.push_back({name, 2.0 * static_cast<double>(copy.bytes()), 0.0, std::move(call),
                     [=, &memory] { memory.poison(copy.to, copy.bytes()); },
                     [=, &memory] {
                       return holds_in_places(count, [&](size_t i) {
                         return memory.read(copy.to, i) == value_at(3, i);
                       });
                     }});
  };
  offer("cudaMemcpy on the device",
        [=] { cudaMemcpyAsync(copy.to, copy.from, copy.bytes(), cudaMemcpyDeviceToDevice); });
  offer("copy, float4", [=] { launch_vectors(copy); });
  offer("copy, 32 x 32", [=] { launch_one(copy, dim3(32, 32)); });
  offer("copy, 32 x 8", [=] { launch_one(copy, dim3(32, 8)); });
  offer("copy, 16 x 16", [=] { launch_one(copy, dim3(16, 16)); });
  offer("copy, 32 x 8, four each", [=] { launch_four(copy); });
}

/// A call of a CUB algorithm with temporary memory of the size that it asks for.
template <class Algorithm>
std::function<void()> cub_call(Memory& memory, Algorithm algorithm) {
  size_t bytes = 0;
  algorithm(nullptr, bytes);
  const size_t found = bytes;
  void* temporary = memory.device(kTemporary, size_t{1} << 26);
  return [=] {
    size_t given = found;
    algorithm(temporary, given);
  };
}

struct TermOf {
  const float *a, *b;
  __device__ float operator()(int i) const { return a[i] * b[i]; }
};

struct InsideOf {
  const float *x, *y;
  __device__ unsigned long long operator()(int i) const {
    return x[i] * x[i] + y[i] * y[i] <= 1.0f ? 1 : 0;
  }
};

/// Two arrays of `count` floats: their sum, and what reduces them by pairs.
void offer_reductions(const Setting& setting, size_t count, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const size_t bytes = count * sizeof(float);
  // One after the other, so that one sum reads both.
  auto* a = static_cast<float*>(memory.device(kFrom, 2 * bytes));
  float* b = a + count;
  auto* result = static_cast<float*>(memory.device(kResult, sizeof(double)));
  auto* inside = reinterpret_cast<unsigned long long*>(result);
  memory.fill(a, count, 1);
  memory.fill(b, count, 2);
  const auto whole = static_cast<int>(2 * count), half = static_cast<int>(count);
  const thrust::counting_iterator<int> places(0);
  const auto offer = [&](const char* name, auto algorithm, std::function<bool()> is_right) {
    tasks.push_back({name, 2.0 * static_cast<double>(bytes), 0.0, cub_call(memory, algorithm),
                     [=, &memory] { memory.poison(result, sizeof(double)); }, is_right});
  };
  offer(
      "cub::DeviceReduce::Sum",
      [=](void* temporary, size_t& size) {
        cub::DeviceReduce::Sum(temporary, size, a, result, whole);
      },
      [=, &memory] { return std::isfinite(memory.read(result, 0)); });
  offer(
      "cub::DeviceReduce::TransformReduce, products",
      [=](void* temporary, size_t& size) {
        cub::DeviceReduce::TransformReduce(temporary, size, places, result, half,
                                           ::cuda::std::plus<>(), TermOf{a, b}, 0.0f);
      },
      [=, &memory] {
        const Memory::Pairs pairs = memory.pairs(count, 1, 2);
        return std::fabs(memory.read(result, 0) - pairs.products) <=
               sum_tolerance(count) * pairs.sizes;
      });
  offer(
      "cub::DeviceReduce::TransformReduce, points inside",
      [=](void* temporary, size_t& size) {
        cub::DeviceReduce::TransformReduce(temporary, size, places, inside, half,
                                           ::cuda::std::plus<>(), InsideOf{a, b}, 0ull);
      },
      [=, &memory] {
        unsigned long long found = 0;
        cudaMemcpy(&found, inside, sizeof found, cudaMemcpyDeviceToHost);
        return may_be_inside(found, memory.pairs(count, 1, 2), count);
      });
}

/// With whole numbers as levels, and with the floats that earlier tables used.
template <class Level>
void offer_histogram(const Setting& setting, const std::string& name, Family family, size_t size,
                     std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  auto* data = static_cast<uint8_t*>(memory.device(20 + static_cast<int>(family), size));
  auto* counts = static_cast<unsigned*>(memory.device(kResult, 256 * sizeof(unsigned)));
  memory.fill(data, size, family);
  const auto algorithm = [=](void* temporary, size_t& bytes) {
    cub::DeviceHistogram::HistogramEven(temporary, bytes, data, counts, 257, Level{0}, Level{256},
                                        static_cast<int>(size));
  };
  tasks.push_back(
      {"cub::DeviceHistogram, " + name, static_cast<double>(size), 0.0, cub_call(memory, algorithm),
       [=, &memory] { memory.poison(counts, 256 * sizeof(unsigned)); },
       [=, &memory] {
         std::vector<unsigned> found(256);
         cudaMemcpy(found.data(), counts, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost);
         return found == memory.byte_counts(size, family);
       }});
}

void offer_histograms(const Setting& setting, std::vector<Task>& tasks) {
  const size_t size = setting.small() ? 50003 : size_t{1} << 29;
  const auto offer = [&](const std::string& name, Family family) {
    offer_histogram<int>(setting, name, family, size, tasks);
    offer_histogram<float>(setting, name + ", float levels", family, size, tasks);
  };
  offer("uniform", Family::kUniform);
  offer("equal", Family::kEqual);
  offer("two", Family::kTwo);
  offer("text", Family::kText);
  offer("runs", Family::kRuns);
}

/// The sum of as many ones as race-atomics counts, which lie nowhere.
void offer_count(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const int count = setting.small() ? 7 * 96 : 65536 * 1024;
  auto* result = static_cast<int*>(memory.device(kResult, sizeof(int)));
  const auto algorithm = [=](void* temporary, size_t& bytes) {
    cub::DeviceReduce::Sum(temporary, bytes, thrust::constant_iterator<int>(1), result, count);
  };
  tasks.push_back({"cub::DeviceReduce::Sum of ones", 0.0, 0.0, cub_call(memory, algorithm),
                   [=, &memory] { memory.poison(result, sizeof(int)); },
                   [=] {
                     int found = 0;
                     cudaMemcpy(&found, result, sizeof found, cudaMemcpyDeviceToHost);
                     return found == count;
                   }});
}

}  // namespace

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  const std::string& group = setting.group;
  const bool small = setting.small();
  // As many bytes as the answers move in all, half of them read and half of them written.
  if (group == "vecadd") offer_copies(setting, small ? 7680 : size_t{3} << 25, tasks);
  if (group == "matadd") offer_copies(setting, small ? 9600 : size_t{3} << 27, tasks);
  if (group == "transpose") offer_copies(setting, small ? 6400 : size_t{1} << 28, tasks);
  if (group == "constmem") offer_copies(setting, small ? 5120 : size_t{1} << 27, tasks);
  if (group == "dot") offer_reductions(setting, small ? 5004 : size_t{1} << 28, tasks);
  if (group == "pi") offer_reductions(setting, small ? 5004 : size_t{1} << 26, tasks);
  if (group == "histogram") offer_histograms(setting, tasks);
  if (group == "race-atomics") offer_count(setting, tasks);
}
