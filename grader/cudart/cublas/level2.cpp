// SPDX-License-Identifier: MIT
// Matrices and vectors (cuBLAS Library, 2.6).
#include "cudart/cublas/blas.h"
#include "cudart/cublas/staged.h"

namespace warpgrade::cudart::cublas {
namespace {

/// What is wrong with the arguments that every function here has.
cublasStatus_t mistake(cublasHandle_t handle, bool has_scalars, int rows, int columns, int leading,
                       int incx, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool fits = rows >= 0 && columns >= 0 && leading >= std::max(1, rows);
  return has_scalars && fits && incx != 0 && incy != 0 ? CUBLAS_STATUS_SUCCESS
                                                       : CUBLAS_STATUS_INVALID_VALUE;
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, m, n, lda, incx, incy);
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const bool is_plain = trans == CUBLAS_OP_N;
  const T* const matrix = staged.matrix(a, m, n, lda, Access::kRead);
  const T* const from = staged.vector(x, is_plain ? n : m, incx, Access::kRead);
  T* const to =
      staged.vector(y, is_plain ? m : n, incy, is_zero(kept) ? Access::kWrite : Access::kReadWrite);
  return staged.run([&] {
    blas_gemv(word(trans), m, n, factor, matrix, m, from, direction(incx), kept, to,
              direction(incy));
  });
}

/// A += alpha x y', with y conjugated where kConjugate.
template <bool kConjugate, class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,
                   const T* y, int incy, T* a, int lda) {
  const cublasStatus_t wrong = mistake(handle, alpha != nullptr, m, n, lda, incx, incy);
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  using Value = ComplexOf<T>;
  Staged staged(handle);
  const Value factor = number(staged.scalar(alpha));
  const auto* const column =
      reinterpret_cast<const Value*>(staged.vector(x, m, incx, Access::kRead));
  const auto* const row = reinterpret_cast<const Value*>(staged.vector(y, n, incy, Access::kRead));
  auto* const matrix = reinterpret_cast<Value*>(staged.matrix(a, m, n, lda, Access::kReadWrite));
  return staged.run([&] {
    for (int j = 0; j < n; ++j) {
      Value right = row[incy > 0 ? j : n - 1 - j];
      if constexpr (kConjugate) right = std::conj(right);
      for (int i = 0; i < m; ++i)
        matrix[static_cast<size_t>(j) * m + i] += factor * column[incx > 0 ? i : m - 1 - i] * right;
    }
  });
}

/// y = alpha A x + beta y for a symmetric or Hermitian A, of which one half is given.
template <class T, class Compute>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t fill, int n, const T* alpha, const T* a,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy, Compute compute) {
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, n, n, lda, incx, incy);
  if (wrong != CUBLAS_STATUS_SUCCESS || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const T* const matrix = staged.matrix(a, n, n, lda, Access::kRead, part_of(fill));
  const T* const from = staged.vector(x, n, incx, Access::kRead);
  T* const to = staged.vector(y, n, incy, is_zero(kept) ? Access::kWrite : Access::kReadWrite);
  return staged.run([&] {
    compute(CblasColMajor, word(fill), n, pass(factor), matrix, n, from, direction(incx),
            pass(kept), to, direction(incy));
  });
}

/// A += alpha x x', of which one half is computed.
template <class T, class S, class Compute>
cublasStatus_t syr(cublasHandle_t handle, cublasFillMode_t fill, int n, const S* alpha, const T* x,
                   int incx, T* a, int lda, Compute compute) {
  const cublasStatus_t wrong = mistake(handle, alpha != nullptr, n, n, lda, incx, 1);
  if (wrong != CUBLAS_STATUS_SUCCESS || n == 0) return wrong;
  Staged staged(handle);
  const S factor = staged.scalar(alpha);
  const T* const from = staged.vector(x, n, incx, Access::kRead);
  T* const matrix = staged.matrix(a, n, n, lda, Access::kReadWrite, part_of(fill));
  return staged.run(
      [&] { compute(CblasColMajor, word(fill), n, factor, from, direction(incx), matrix, n); });
}

template <class T, class Compute>
cublasStatus_t triangle(cublasHandle_t handle, cublasFillMode_t fill, int n, const T* a, int lda,
                        T* x, int incx, Compute compute) {
  const cublasStatus_t wrong = mistake(handle, true, n, n, lda, incx, 1);
  if (wrong != CUBLAS_STATUS_SUCCESS || n == 0) return wrong;
  Staged staged(handle);
  const T* const matrix = staged.matrix(a, n, n, lda, Access::kRead, part_of(fill));
  T* const vector = staged.vector(x, n, incx, Access::kReadWrite);
  return staged.run([&] { compute(matrix, vector, direction(incx)); });
}

}  // namespace
}  // namespace warpgrade::cudart::cublas

using namespace warpgrade::cudart::cublas;

extern "C" {

#define WARPGRADE_MATRIX_VECTOR(S, T)                                                            \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,   \
                                 const T* alpha, const T* a, int lda, const T* x, int incx,      \
                                 const T* beta, T* y, int incy) {                                \
    return gemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);                     \
  }                                                                                              \
  cublasStatus_t cublas##S##gemvStridedBatched(                                                  \
      cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* a,  \
      int lda, long long a_step, const T* x, int incx, long long x_step, const T* beta, T* y,    \
      int incy, long long y_step, int count) {                                                   \
    cublasStatus_t status = count < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;     \
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)                           \
      status = gemv(handle, trans, m, n, alpha, a + i * a_step, lda, x + i * x_step, incx, beta, \
                    y + i * y_step, incy);                                                       \
    return status;                                                                               \
  }                                                                                              \
  cublasStatus_t cublas##S##trmv(cublasHandle_t handle, cublasFillMode_t fill,                   \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,          \
                                 const T* a, int lda, T* x, int incx) {                          \
    return triangle(handle, fill, n, a, lda, x, incx, [&](const T* a, T* x, int step) {          \
      blas_trmv(word(fill), word(trans), word(diag), n, a, n, x, step);                          \
    });                                                                                          \
  }                                                                                              \
  cublasStatus_t cublas##S##trsv(cublasHandle_t handle, cublasFillMode_t fill,                   \
                                 cublasOperation_t trans, cublasDiagType_t diag, int n,          \
                                 const T* a, int lda, T* x, int incx) {                          \
    return triangle(handle, fill, n, a, lda, x, incx, [&](const T* a, T* x, int step) {          \
      blas_trsv(word(fill), word(trans), word(diag), n, a, n, x, step);                          \
    });                                                                                          \
  }
WARPGRADE_MATRIX_VECTOR(S, float)
WARPGRADE_MATRIX_VECTOR(D, double)
WARPGRADE_MATRIX_VECTOR(C, cuComplex)
WARPGRADE_MATRIX_VECTOR(Z, cuDoubleComplex)
#undef WARPGRADE_MATRIX_VECTOR

#define WARPGRADE_GER(name, T, conjugate)                                                      \
  cublasStatus_t cublas##name(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, \
                              int incx, const T* y, int incy, T* a, int lda) {                 \
    return ger<conjugate>(handle, m, n, alpha, x, incx, y, incy, a, lda);                      \
  }
WARPGRADE_GER(Sger, float, false)
WARPGRADE_GER(Dger, double, false)
WARPGRADE_GER(Cgeru, cuComplex, false)
WARPGRADE_GER(Cgerc, cuComplex, true)
WARPGRADE_GER(Zgeru, cuDoubleComplex, false)
WARPGRADE_GER(Zgerc, cuDoubleComplex, true)
#undef WARPGRADE_GER

#define WARPGRADE_SYMV(name, T, compute)                                                           \
  cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t fill, int n, const T* alpha, \
                              const T* a, int lda, const T* x, int incx, const T* beta, T* y,      \
                              int incy) {                                                          \
    return symv(handle, fill, n, alpha, a, lda, x, incx, beta, y, incy, compute);                  \
  }
WARPGRADE_SYMV(Ssymv, float, cblas_ssymv)
WARPGRADE_SYMV(Dsymv, double, cblas_dsymv)
WARPGRADE_SYMV(Chemv, cuComplex, cblas_chemv)
WARPGRADE_SYMV(Zhemv, cuDoubleComplex, cblas_zhemv)
#undef WARPGRADE_SYMV

#define WARPGRADE_SYR(name, T, S, compute)                                                         \
  cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t fill, int n, const S* alpha, \
                              const T* x, int incx, T* a, int lda) {                               \
    return syr(handle, fill, n, alpha, x, incx, a, lda, compute);                                  \
  }
WARPGRADE_SYR(Ssyr, float, float, cblas_ssyr)
WARPGRADE_SYR(Dsyr, double, double, cblas_dsyr)
WARPGRADE_SYR(Cher, cuComplex, float, cblas_cher)
WARPGRADE_SYR(Zher, cuDoubleComplex, double, cblas_zher)
#undef WARPGRADE_SYR

}  // extern "C"
