// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include "cudart/cublas/handle.h"

namespace warpgrade::cudart::cublas {

enum class Access { kRead, kWrite, kReadWrite };
enum class Part { kWhole, kLower, kUpper };

inline Part part_of(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_UPPER ? Part::kUpper : Part::kLower;
}

/// The step of a vector's copy, which keeps the direction alone.
inline int direction(int step) { return step < 0 ? -1 : 1; }

/// The operands of one call, dense and in column-major order on the host. run() waits for them, computes, and gives back
/// what was written. The first error of a copy is the call's status.
class Staged {
 public:
  explicit Staged(cublasHandle_t handle) : handle_(*handle) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    note(cudaStreamIsCapturing(handle_.stream, &capture));
    if (capture == cudaStreamCaptureStatusNone) return;
    __cudaRefuse("cuBLAS in a stream that is captured");
    error_ = cudaErrorNotSupported;
  }

  /// `alpha` and the like, from where the pointer mode says.
  template <class T>
  T scalar(const T* at) {
    if (handle_.pointer_mode == CUBLAS_POINTER_MODE_HOST) return *at;
    T value{};
    if (error_ != cudaSuccess) return value;
    note(cudaMemcpyAsync(&value, at, sizeof(T), cudaMemcpyDeviceToHost, handle_.stream));
    note(cudaStreamSynchronize(handle_.stream));
    return value;
  }

  /// `count` elements that lie `step` apart. The copy begins with the one at the lowest address, whatever the sign of
  /// `step`.
  template <class T>
  T* vector(const T* device, int count, int step, Access access) {
    return matrix(device, 1, count, std::abs(step), access);
  }

  /// The leading dimension of the copy is `rows`.
  template <class T>
  T* matrix(const T* device, int rows, int columns, int64_t leading, Access access,
            Part part = Part::kWhole) {
    std::vector<char>& host =
        hosts_.emplace_back(sizeof(T) * std::max<size_t>(1, static_cast<size_t>(rows) * columns));
    const auto pitch = [](int64_t elements) { return static_cast<size_t>(elements) * sizeof(T); };
    const Operand whole = {
        const_cast<T*>(device),      host.data(), pitch(leading), pitch(rows), pitch(rows),
        static_cast<size_t>(columns)};
    // What lies on the other side of the diagonal is never read or written.
    for (const Operand& operand : part == Part::kWhole
                                      ? std::vector<Operand>{whole}
                                      : columns_of(whole, part, sizeof(T), columns)) {
      if (access != Access::kWrite) bring(operand);
      if (access != Access::kRead) written_.push_back(operand);
    }
    return reinterpret_cast<T*>(host.data());
  }

  template <class Compute>
  cublasStatus_t run(Compute compute) {
    if (error_ == cudaSuccess) note(cudaStreamSynchronize(handle_.stream));
    if (error_ == cudaSuccess) {
      compute();
      for (const Operand& operand : written_)
        note(copy(operand.device, operand.device_pitch, operand.host, operand.host_pitch, operand,
                  cudaMemcpyHostToDevice));
    }
    return status();
  }

  /// Like run(), for a function whose result is one number.
  template <class T, class Compute>
  cublasStatus_t result(T* to, Compute compute) {
    T value{};
    if (run([&] { value = compute(); }) != CUBLAS_STATUS_SUCCESS) return status();
    if (handle_.pointer_mode == CUBLAS_POINTER_MODE_HOST)
      *to = value;
    else
      note(cudaMemcpyAsync(to, &value, sizeof(T), cudaMemcpyHostToDevice, handle_.stream));
    return status();
  }

 private:
  struct Operand {
    void* device;
    void* host;
    size_t device_pitch, host_pitch, width_bytes, count;
  };

  static std::vector<Operand> columns_of(const Operand& whole, Part part, size_t element_bytes,
                                         int columns) {
    std::vector<Operand> all;
    for (int j = 0; j < columns; ++j) {
      const size_t first = part == Part::kUpper ? 0 : j * element_bytes,
                   end = part == Part::kUpper ? (j + 1) * element_bytes : whole.width_bytes;
      all.push_back({static_cast<char*>(whole.device) + j * whole.device_pitch + first,
                     static_cast<char*>(whole.host) + j * whole.host_pitch + first,
                     whole.device_pitch, whole.host_pitch, end - first, 1});
    }
    return all;
  }

  void bring(const Operand& operand) {
    if (error_ == cudaSuccess)
      note(copy(operand.host, operand.host_pitch, operand.device, operand.device_pitch, operand,
                cudaMemcpyDeviceToHost));
  }

  cudaError_t copy(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                   const Operand& shape, cudaMemcpyKind kind) {
    if (shape.width_bytes == 0 || shape.count == 0) return cudaSuccess;
    if (to_pitch == shape.width_bytes && from_pitch == shape.width_bytes)
      return cudaMemcpyAsync(to, from, shape.width_bytes * shape.count, kind, handle_.stream);
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, shape.width_bytes, shape.count, kind,
                             handle_.stream);
  }

  void note(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }

  cublasStatus_t status() const {
    if (error_ == cudaErrorNotSupported) return CUBLAS_STATUS_NOT_SUPPORTED;
    return error_ == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
  }

  const cublasContext& handle_;
  cudaError_t error_ = cudaSuccess;
  std::deque<std::vector<char>> hosts_;
  std::vector<Operand> written_;
};

/// The pointers of a batch, which lie in memory of the device; none where they cannot be read.
template <class T>
std::vector<T*> batch_of(cublasHandle_t handle, T* const* pointers, int count) {
  std::vector<T*> host(count);
  if (cudaMemcpyAsync(host.data(), pointers, sizeof(T*) * count, cudaMemcpyDeviceToHost,
                      handle->stream) != cudaSuccess ||
      cudaStreamSynchronize(handle->stream) != cudaSuccess)
    host.clear();
  return host;
}

}  // namespace warpgrade::cudart::cublas
