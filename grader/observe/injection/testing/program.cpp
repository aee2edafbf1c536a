// SPDX-License-Identifier: MIT
// A program as students write them, for the fake GPU. Its argument says what it does.
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "observe/injection/testing/fake_gpu.h"

namespace {

bool has_slow_clock = false;

}  // namespace

/// What a program that cheats may bring: a clock that shows a third of the time.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long status = ::syscall(SYS_clock_gettime, clock, time);
  if (has_slow_clock) {
    const int64_t ns = (int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec) / 3;
    *time = {ns / 1'000'000'000, ns % 1'000'000'000};
  }
  return static_cast<int>(status);
}

namespace {

using warpgrade::fake::Kernel;

constexpr size_t kWidth = 400, kHeight = 3;

struct Pitched {
  char* ptr;
  size_t pitch;
};

const char kWriteRows = 0, kWritePadding = 0, kSlow = 0, kMultiply = 0;

void take_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

float& at(const cudaPitchedPtr& matrix, size_t row, size_t column) {
  return reinterpret_cast<float*>(static_cast<char*>(matrix.ptr) + row * matrix.pitch)[column];
}

void multiply(const cudaPitchedPtr& a, const cudaPitchedPtr& b, const cudaPitchedPtr& c) {
  for (size_t row = 0; row < c.ysize; ++row) {
    for (size_t column = 0; column < c.xsize; ++column) {
      float sum = 0;
      for (size_t k = 0; k < a.xsize; ++k) sum += at(a, row, k) * at(b, k, column);
      at(c, row, column) = sum;
    }
  }
}

void add_kernels() {
  const auto write = [](void** arguments, size_t offset) {
    const auto& matrix = *static_cast<const Pitched*>(arguments[1]);
    for (size_t row = 0; row < kHeight; ++row) matrix.ptr[row * matrix.pitch + offset] = 7;
  };
  using warpgrade::fake::add_kernel;
  add_kernel(&kWriteRows, {"_Z10write_rowsPKc7Pitched", {8, 16}, 96, [=](void** arguments) {
                             write(arguments, 0);
                           }});
  add_kernel(&kWritePadding, {"_Z13write_paddingPKc7Pitched", {8, 16}, 0, [=](void** arguments) {
                                write(arguments, kWidth);
                              }});
  add_kernel(&kMultiply, {"_Z8multiply14cudaPitchedPtrS_S_", {32, 32, 32}, 0, [](void** arguments) {
                            const auto& matrices = reinterpret_cast<cudaPitchedPtr**>(arguments);
                            multiply(*matrices[0], *matrices[1], *matrices[2]);
                          }});
  add_kernel(&kSlow, {"_Z4slowv", {}, 0, [](void**) { take_ms(5); }});
}

/// A matrix on the device, with `values` where it is given some.
cudaPitchedPtr pitched_matrix(size_t rows, size_t columns, const std::vector<float>& values) {
  cudaPitchedPtr matrix = {nullptr, 0, columns, rows};
  cudaMallocPitch(&matrix.ptr, &matrix.pitch, columns * sizeof(float), rows);
  if (!values.empty())
    cudaMemcpy2D(matrix.ptr, matrix.pitch, values.data(), columns * sizeof(float),
                 columns * sizeof(float), rows, cudaMemcpyHostToDevice);
  return matrix;
}

/// A right answer to the assignment about pitched memory, 33 x 17 by 17 x 65. Writes the product and
/// the kernel's time to a file.
void pitched_product(const char* path) {
  constexpr size_t kM = 33, kN = 17, kK = 65;
  nvtxRangePushA("padded");
  const cudaPitchedPtr a = pitched_matrix(kM, kN, std::vector<float>(kM * kN, 2));
  const cudaPitchedPtr b = pitched_matrix(kN, kK, std::vector<float>(kN * kK, 3));
  const cudaPitchedPtr c = pitched_matrix(kM, kK, {});
  cudaEvent_t start = nullptr, end = nullptr;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  void* arguments[] = {const_cast<cudaPitchedPtr*>(&a), const_cast<cudaPitchedPtr*>(&b),
                       const_cast<cudaPitchedPtr*>(&c)};
  cudaEventRecord(start, nullptr);
  cudaLaunchKernel(&kMultiply, dim3(5, 3), dim3(16, 16), arguments, 0, nullptr);
  cudaEventRecord(end, nullptr);
  cudaEventSynchronize(end);
  std::vector<float> results(kM * kK + 1);
  cudaEventElapsedTime(&results.back(), start, end);
  cudaMemcpy2DAsync(results.data(), kK * sizeof(float), c.ptr, c.pitch, kK * sizeof(float), kM,
                    cudaMemcpyDeviceToHost, nullptr);
  for (const cudaEvent_t event : {start, end}) cudaEventDestroy(event);
  for (const cudaPitchedPtr& matrix : {a, b, c}) cudaFree(matrix.ptr);
  nvtxRangePop();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(results.data()),
             static_cast<std::streamsize>(results.size() * sizeof(float)));
}

void launch_slow() { cudaLaunchKernel(&kSlow, 1, 32, nullptr, 0, nullptr); }

/// A matrix and its way through a kernel.
void pitched(const void* kernel) {
  char host[kHeight * kWidth] = {};
  void *in = nullptr, *out = nullptr;
  size_t pitch = 0;
  nvtxRangePushA("padded");
  cudaMalloc(&in, sizeof host);
  cudaMallocPitch(&out, &pitch, kWidth, kHeight);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  Pitched matrix = {static_cast<char*>(out), pitch};
  void* arguments[] = {&in, &matrix};
  cudaLaunchKernel(kernel, dim3(2, 3), dim3(16, 16), arguments, 64, nullptr);
  cudaMemcpy2D(host, kWidth, out, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  nvtxRangePop();
}

void too_large_a_block() {
  void* arguments[] = {nullptr};
  cudaLaunchKernel(&kSlow, 4, 2048, arguments, 0, nullptr);
}

void graph() {
  cudaStream_t stream = nullptr;
  cudaGraph_t captured = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaLaunchKernel(&kSlow, 1, 32, nullptr, 0, stream);
  cudaStreamEndCapture(stream, &captured);
  warpgrade::fake::set_graph({&kSlow, &kSlow});
  cudaGraphLaunch(nullptr, stream);
}

/// Three repetitions: one kernel in the range, two, one; in the last also one behind the range before.
void repetitions() {
  for (int k = 0; k < 3; ++k) {
    nvtxRangePushA(("warpgrade.repetition:" + std::to_string(k)).c_str());
    if (k == 2) launch_slow();
    nvtxRangePushA("device");
    nvtxRangePushA("inner");
    launch_slow();
    nvtxRangePop();
    if (k == 1) std::thread(launch_slow).join();
    nvtxRangePop();
    nvtxRangePop();
  }
}

void reset_in_every_range() {
  for (int k = 0; k < 2; ++k) {
    nvtxRangePushA("device");
    launch_slow();
    cudaDeviceReset();
    nvtxRangePop();
  }
}

/// Leaves through the exit handlers in a fork as well.
void fork_after_a_range() {
  nvtxRangePushA("device");
  launch_slow();
  nvtxRangePop();
  const pid_t child = ::fork();
  if (child == 0) {
    nvtxRangePushA("device");
    nvtxRangePop();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::exit(status == 0 ? 0 : 1);
}

void reset_between_ranges() {
  for (int k = 0; k < 2; ++k) {
    nvtxRangePushA("device");
    launch_slow();
    nvtxRangePop();
    cudaDeviceReset();
  }
}

/// Something that lives longer than main().
struct Global {
  void* memory = nullptr;
  ~Global() {
    if (memory != nullptr) cudaFree(memory);
  }
} global;

void run(const std::string& what) {
  if (what == "pitched") pitched(&kWriteRows);
  if (what == "padding") pitched(&kWritePadding);
  if (what == "block") too_large_a_block();
  if (what == "graph") graph();
  has_slow_clock = what == "slow clock";
  if (what == "another CUPTI") ::setenv("WARPGRADE_CUPTI", "/nowhere/libcupti.so", 1);
  if (what == "repetitions" || what == "slow clock" || what == "another CUPTI") repetitions();
  if (what == "reset") reset_in_every_range();
  if (what == "fork") fork_after_a_range();
  if (what == "reset between") reset_between_ranges();
  if (what == "driver") cuInit(0);
  if (what == "global") cudaMalloc(&global.memory, 8);
  if (what == "exit in a range") {
    repetitions();
    nvtxRangePushA("device");
    launch_slow();
    std::exit(0);
  }
  if (what == "killed") {
    repetitions();
    nvtxRangePushA("device");
    ::raise(SIGKILL);
  }
  if (what == "ranges only") {
    nvtxRangePushA("padded");
    nvtxRangePop();
  }
}

}  // namespace

int main(int count, char** arguments) {
  add_kernels();
  if (count == 3) {
    pitched_product(arguments[2]);
  } else {
    run(arguments[1]);
  }
}
