// SPDX-License-Identifier: MIT
// Handles and their modes, versions, names of states, and copies of vectors and matrices (cuBLAS Library, 2.4).
#include "cudart/cublas/handle.h"

#include <memory>

namespace warpgrade::cudart::cublas {
namespace {

cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

template <class Change>
cublasStatus_t change(cublasHandle_t handle, Change change) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  change(*handle);
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t tell(cublasHandle_t handle, T cublasContext::*field, T* to) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *to = handle->*field;
  return CUBLAS_STATUS_SUCCESS;
}

/// Columns of `rows` elements; `ahead` elements lie between the beginnings of two columns.
struct Columns {
  const void* from;
  size_t from_ahead;
  void* to;
  size_t to_ahead;
};

cublasStatus_t copy(const Columns& columns, int rows, int count, int element_bytes,
                    cudaMemcpyKind kind, const cudaStream_t* stream) {
  if (rows < 0 || count < 0 || element_bytes <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  const size_t bytes = static_cast<size_t>(element_bytes), width = bytes * rows;
  if (width > bytes * columns.from_ahead || width > bytes * columns.to_ahead)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const size_t to_pitch = bytes * columns.to_ahead, from_pitch = bytes * columns.from_ahead;
  return status_of(stream == nullptr ? cudaMemcpy2D(columns.to, to_pitch, columns.from, from_pitch,
                                                    width, count, kind)
                                     : cudaMemcpy2DAsync(columns.to, to_pitch, columns.from,
                                                         from_pitch, width, count, kind, *stream));
}

/// A vector is a matrix of one row.
cublasStatus_t copy_vector(int count, int element_bytes, const void* from, int from_step, void* to,
                           int to_step, cudaMemcpyKind kind, const cudaStream_t* stream) {
  if (from_step <= 0 || to_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copy({from, static_cast<size_t>(from_step), to, static_cast<size_t>(to_step)}, 1, count,
              element_bytes, kind, stream);
}

cublasStatus_t copy_matrix(int rows, int count, int element_bytes, const void* from, int from_ahead,
                           void* to, int to_ahead, cudaMemcpyKind kind,
                           const cudaStream_t* stream) {
  if (from_ahead <= 0 || to_ahead <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copy({from, static_cast<size_t>(from_ahead), to, static_cast<size_t>(to_ahead)}, rows,
              count, element_bytes, kind, stream);
}

}  // namespace

cublasStatus_t refuse(const char* what) {
  __cudaRefuse(what);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace warpgrade::cudart::cublas

using namespace warpgrade::cudart::cublas;

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (cudaFree(nullptr) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const std::unique_ptr<cublasContext> held(handle);
  return cudaStreamSynchronize(handle->stream) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion() { return CUDART_VERSION; }
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "the call succeeded";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the handle was not created";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "memory could not be had";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an argument has a value that the function does not take";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "the device lacks what the function needs";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "memory of the device could not be read or written";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the device could not do the work";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "a part of the library failed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the function is not supported";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "the licence could not be checked";
  }
  return "no status of cuBLAS";
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return change(handle, [&](cublasContext& its) { its.stream = stream; });
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return tell(handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
    return CUBLAS_STATUS_INVALID_VALUE;
  return change(handle, [&](cublasContext& its) { its.pointer_mode = mode; });
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return tell(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return change(handle, [&](cublasContext& its) { its.atomics_mode = mode; });
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return tell(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return change(handle, [&](cublasContext& its) { its.math_mode = mode; });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return tell(handle, &cublasContext::math_mode, mode);
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int target) {
  return change(handle, [&](cublasContext& its) { its.multiprocessor_target = target; });
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* target) {
  return tell(handle, &cublasContext::multiprocessor_target, target);
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
  return change(handle, [](cublasContext&) {});
}

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_vector(n, element_bytes, x, incx, y, incy, cudaMemcpyHostToDevice, nullptr);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_vector(n, element_bytes, x, incx, y, incy, cudaMemcpyDeviceToHost, nullptr);
}
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* x, int incx, void* y,
                                    int incy, cudaStream_t stream) {
  return copy_vector(n, element_bytes, x, incx, y, incy, cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* x, int incx, void* y,
                                    int incy, cudaStream_t stream) {
  return copy_vector(n, element_bytes, x, incx, y, incy, cudaMemcpyDeviceToHost, &stream);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyHostToDevice, nullptr);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost, nullptr);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int element_bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyHostToDevice, &stream);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int element_bytes, const void* a, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost, &stream);
}

}  // extern "C"
