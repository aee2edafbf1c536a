// SPDX-License-Identifier: MIT
// Products of matrices whose types are named by the call (cuBLAS Library, 2.8.13 and after). Elements are widened to float,
// those of 8-bit integers to double, which holds their sums exactly; a result is rounded once, at the end.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "cudart/cublas/blas.h"
#include "cudart/cublas/staged.h"

namespace warpgrade::cudart::cublas {
namespace {

struct Matrix {
  void* device;
  cudaDataType type;
  int rows, columns, leading;
};

/// alpha op(A) op(B) + beta C, in the types of the call.
struct Product {
  cublasOperation_t ta, tb;
  int m, n, k;
  const void* alpha;
  Matrix a, b;
  const void* beta;
  Matrix c;
  cublasComputeType_t compute;
};

int bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}

template <class Wide>
Wide widened(const char* at, cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
      return *reinterpret_cast<const int8_t*>(at);
    case CUDA_R_16F:
      return static_cast<Wide>(__half2float(*reinterpret_cast<const __half*>(at)));
    case CUDA_R_16BF:
      return static_cast<Wide>(__bfloat162float(*reinterpret_cast<const __nv_bfloat16*>(at)));
    case CUDA_R_32I:
      return static_cast<Wide>(*reinterpret_cast<const int32_t*>(at));
    default:
      return static_cast<Wide>(*reinterpret_cast<const float*>(at));
  }
}

template <class Wide>
void narrow(Wide value, cudaDataType type, char* to) {
  switch (type) {
    case CUDA_R_16F:
      *reinterpret_cast<__half*>(to) = __float2half(static_cast<float>(value));
      return;
    case CUDA_R_16BF:
      *reinterpret_cast<__nv_bfloat16*>(to) = __float2bfloat16(static_cast<float>(value));
      return;
    case CUDA_R_32I:
      *reinterpret_cast<int32_t*>(to) = static_cast<int32_t>(std::llrint(value));
      return;
    default:
      *reinterpret_cast<float*>(to) = static_cast<float>(value);
  }
}

char* bring(Staged& staged, const Matrix& matrix, Access access) {
  const auto copy = [&]<class T>(T) {
    return reinterpret_cast<char*>(staged.matrix(static_cast<const T*>(matrix.device), matrix.rows,
                                                 matrix.columns, matrix.leading, access));
  };
  switch (bytes_of(matrix.type)) {
    case 1:
      return copy(uint8_t());
    case 2:
      return copy(uint16_t());
    default:
      return copy(uint32_t());
  }
}

template <class Wide>
std::vector<Wide> widened(const char* from, const Matrix& matrix) {
  std::vector<Wide> values(static_cast<size_t>(matrix.rows) * matrix.columns);
  const int bytes = bytes_of(matrix.type);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = widened<Wide>(from + i * bytes, matrix.type);
  return values;
}

/// The type of alpha and beta (cuBLAS Library, the table of cublasGemmEx).
cudaDataType scale_type(const Product& product) {
  if (product.compute == CUBLAS_COMPUTE_16F || product.compute == CUBLAS_COMPUTE_16F_PEDANTIC)
    return CUDA_R_16F;
  const bool is_integer =
      product.compute == CUBLAS_COMPUTE_32I || product.compute == CUBLAS_COMPUTE_32I_PEDANTIC;
  return is_integer ? CUDA_R_32I : CUDA_R_32F;
}

float scalar(Staged& staged, const void* at, cudaDataType type) {
  char value[4] = {};
  const auto copy = [&]<class T>(T) {
    const T read = staged.scalar(static_cast<const T*>(at));
    std::copy_n(reinterpret_cast<const char*>(&read), sizeof(T), value);
  };
  if (bytes_of(type) == 2)
    copy(uint16_t());
  else
    copy(uint32_t());
  return widened<float>(value, type);
}

template <class Wide>
cublasStatus_t widened_product(cublasHandle_t handle, const Product& product) {
  Staged staged(handle);
  const Wide alpha = scalar(staged, product.alpha, scale_type(product)),
             beta = scalar(staged, product.beta, scale_type(product));
  const char* const a = bring(staged, product.a, Access::kRead);
  const char* const b = bring(staged, product.b, Access::kRead);
  char* const c = bring(staged, product.c, beta == 0 ? Access::kWrite : Access::kReadWrite);
  return staged.run([&] {
    const std::vector<Wide> left = widened<Wide>(a, product.a), right = widened<Wide>(b, product.b);
    std::vector<Wide> to = widened<Wide>(c, product.c);
    blas_gemm(word(product.ta), word(product.tb), product.m, product.n, product.k, alpha,
              left.data(), std::max(1, product.a.rows), right.data(), std::max(1, product.b.rows),
              beta, to.data(), product.m);
    const int bytes = bytes_of(product.c.type);
    for (size_t i = 0; i < to.size(); ++i) narrow(to[i], product.c.type, c + i * bytes);
  });
}

bool all_are(const Product& product, cudaDataType type) {
  return product.a.type == type && product.b.type == type && product.c.type == type;
}

bool is_narrow(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }

template <class T, class Gemm>
cublasStatus_t plain(cublasHandle_t handle, const Product& product, Gemm gemm) {
  return gemm(handle, product.ta, product.tb, product.m, product.n, product.k,
              static_cast<const T*>(product.alpha), static_cast<const T*>(product.a.device),
              product.a.leading, static_cast<const T*>(product.b.device), product.b.leading,
              static_cast<const T*>(product.beta), static_cast<T*>(product.c.device),
              product.c.leading);
}

cublasStatus_t multiply(cublasHandle_t handle, const Product& product) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (all_are(product, CUDA_R_32F)) return plain<float>(handle, product, cublasSgemm);
  if (all_are(product, CUDA_R_64F)) return plain<double>(handle, product, cublasDgemm);
  if (all_are(product, CUDA_C_32F)) return plain<cuComplex>(handle, product, cublasCgemm);
  if (all_are(product, CUDA_C_64F)) return plain<cuDoubleComplex>(handle, product, cublasZgemm);
  const auto fits = [](const Matrix& matrix) {
    return matrix.rows >= 0 && matrix.columns >= 0 && matrix.leading >= std::max(1, matrix.rows);
  };
  if (product.alpha == nullptr || product.beta == nullptr || !fits(product.a) || !fits(product.b) ||
      !fits(product.c))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (product.m == 0 || product.n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool same = product.a.type == product.b.type;
  const cudaDataType to = product.c.type;
  if (same && is_narrow(product.a.type) && (to == product.a.type || to == CUDA_R_32F))
    return widened_product<float>(handle, product);
  if (same && product.a.type == CUDA_R_8I && (to == CUDA_R_32I || to == CUDA_R_32F))
    return widened_product<double>(handle, product);
  return refuse("a product of matrices of these types by cuBLAS");
}

Product product_of(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                   const void* alpha, const void* a, cudaDataType a_type, int lda, const void* b,
                   cudaDataType b_type, int ldb, const void* beta, void* c, cudaDataType c_type,
                   int ldc, cublasComputeType_t compute) {
  const auto stored = [](const void* device, cudaDataType type, cublasOperation_t operation,
                         int rows, int columns, int leading) {
    const bool is_plain = operation == CUBLAS_OP_N;
    return Matrix{const_cast<void*>(device), type, is_plain ? rows : columns,
                  is_plain ? columns : rows, leading};
  };
  return {ta,
          tb,
          m,
          n,
          k,
          alpha,
          stored(a, a_type, ta, m, k, lda),
          stored(b, b_type, tb, k, n, ldb),
          beta,
          {c, c_type, m, n, ldc},
          compute};
}

/// The product of each of `count`, whose matrices lie `step` elements apart.
cublasStatus_t multiply_strided(cublasHandle_t handle, Product product, long long a_step,
                                long long b_step, long long c_step, int count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const auto advance = [](Matrix& matrix, long long step) {
    matrix.device = static_cast<char*>(matrix.device) + step * bytes_of(matrix.type);
  };
  for (int i = 0; i < count; ++i) {
    const cublasStatus_t status = multiply(handle, product);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    advance(product.a, a_step);
    advance(product.b, b_step);
    advance(product.c, c_step);
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// The same for matrices whose addresses lie in memory of the device.
cublasStatus_t multiply_batch(cublasHandle_t handle, Product product, const void* const* a,
                              const void* const* b, void* const* c, int count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const std::vector<const void*> left = batch_of(handle, a, count),
                                 right = batch_of(handle, b, count);
  const std::vector<void*> to = batch_of(handle, c, count);
  if (count > 0 && (left.empty() || right.empty() || to.empty()))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < count; ++i) {
    product.a.device = const_cast<void*>(left[i]);
    product.b.device = const_cast<void*>(right[i]);
    product.c.device = to[i];
    const cublasStatus_t status = multiply(handle, product);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpgrade::cudart::cublas

using namespace warpgrade::cudart::cublas;

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply(handle, product_of(ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                                     c, c_type, ldc, compute));
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long a_step, const void* b,
    cudaDataType b_type, int ldb, long long b_step, const void* beta, void* c, cudaDataType c_type,
    int ldc, long long c_step, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply_strided(handle,
                          product_of(ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                                     c, c_type, ldc, compute),
                          a_step, b_step, c_step, count);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t ta,
                                   cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return multiply_batch(handle,
                        product_of(ta, tb, m, n, k, alpha, nullptr, a_type, lda, nullptr, b_type,
                                   ldb, beta, nullptr, c_type, ldc, compute),
                        a, b, c, count);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                             int m, int n, int k, const float* alpha, const void* a,
                             cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                             int ldb, const float* beta, void* c, cudaDataType c_type, int ldc) {
  return multiply(handle, product_of(ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                                     c, c_type, ldc, CUBLAS_COMPUTE_32F));
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda,
                           const __half* b, int ldb, const __half* beta, __half* c, int ldc) {
  return multiply(handle, product_of(ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb,
                                     beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F));
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta,
                                         cublasOperation_t tb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long a_step, const __half* b, int ldb,
                                         long long b_step, const __half* beta, __half* c, int ldc,
                                         long long c_step, int count) {
  return multiply_strided(handle,
                          product_of(ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb,
                                     beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F),
                          a_step, b_step, c_step, count);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                  int m, int n, int k, const __half* alpha, const __half* const a[],
                                  int lda, const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int count) {
  return multiply_batch(
      handle,
      product_of(ta, tb, m, n, k, alpha, nullptr, CUDA_R_16F, lda, nullptr, CUDA_R_16F, ldb, beta,
                 nullptr, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F),
      reinterpret_cast<const void* const*>(a), reinterpret_cast<const void* const*>(b),
      reinterpret_cast<void* const*>(c), count);
}

}  // extern "C"
