// SPDX-License-Identifier: MIT
#pragma once

// OpenBLAS by the type of its elements, in column-major order, with cuBLAS's words for its options.

#include <cblas.h>
#include <cublas_v2.h>

#include <bit>
#include <complex>

namespace warpgrade::cudart::cublas {

inline CBLAS_TRANSPOSE word(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N   ? CblasNoTrans
         : operation == CUBLAS_OP_T ? CblasTrans
                                    : CblasConjTrans;
}
inline CBLAS_UPLO word(cublasFillMode_t fill) {
  return fill == CUBLAS_FILL_MODE_UPPER ? CblasUpper : CblasLower;
}
inline CBLAS_DIAG word(cublasDiagType_t diagonal) {
  return diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE word(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_RIGHT ? CblasRight : CblasLeft;
}

template <class T>
struct Number {
  using Real = T;
  using Complex = T;
};
template <>
struct Number<cuComplex> {
  using Real = float;
  using Complex = std::complex<float>;
};
template <>
struct Number<cuDoubleComplex> {
  using Real = double;
  using Complex = std::complex<double>;
};
/// The type with arithmetic that has the layout of T.
template <class T>
using ComplexOf = typename Number<T>::Complex;
template <class T>
using RealOf = typename Number<T>::Real;

template <class T>
ComplexOf<T> number(T value) {
  return std::bit_cast<ComplexOf<T>>(value);
}
template <class T>
bool is_zero(T value) {
  return number(value) == ComplexOf<T>(0);
}

// CBLAS takes real scalars by value and complex ones by address.
inline float pass(const float& value) { return value; }
inline double pass(const double& value) { return value; }
inline const void* pass(const cuComplex& value) { return &value; }
inline const void* pass(const cuDoubleComplex& value) { return &value; }

#define WARPGRADE_BLAS(T, s)                                                                       \
  inline void blas_axpy(int n, T alpha, const T* x, int incx, T* y, int incy) {                    \
    cblas_##s##axpy(n, pass(alpha), x, incx, y, incy);                                             \
  }                                                                                                \
  inline int blas_amax(int n, const T* x) {                                                        \
    return static_cast<int>(cblas_i##s##amax(n, x, 1)) + 1;                                        \
  }                                                                                                \
  inline int blas_amin(int n, const T* x) {                                                        \
    return static_cast<int>(cblas_i##s##amin(n, x, 1)) + 1;                                        \
  }                                                                                                \
  inline void blas_gemv(CBLAS_TRANSPOSE trans, int m, int n, T alpha, const T* a, int lda,         \
                        const T* x, int incx, T beta, T* y, int incy) {                            \
    cblas_##s##gemv(CblasColMajor, trans, m, n, pass(alpha), a, lda, x, incx, pass(beta), y,       \
                    incy);                                                                         \
  }                                                                                                \
  inline void blas_trmv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,            \
                        const T* a, int lda, T* x, int incx) {                                     \
    cblas_##s##trmv(CblasColMajor, uplo, trans, diag, n, a, lda, x, incx);                         \
  }                                                                                                \
  inline void blas_trsv(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,            \
                        const T* a, int lda, T* x, int incx) {                                     \
    cblas_##s##trsv(CblasColMajor, uplo, trans, diag, n, a, lda, x, incx);                         \
  }                                                                                                \
  inline void blas_gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, T alpha,      \
                        const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {         \
    cblas_##s##gemm(CblasColMajor, ta, tb, m, n, k, pass(alpha), a, lda, b, ldb, pass(beta), c,    \
                    ldc);                                                                          \
  }                                                                                                \
  inline void blas_symm(CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, T alpha, const T* a,       \
                        int lda, const T* b, int ldb, T beta, T* c, int ldc) {                     \
    cblas_##s##symm(CblasColMajor, side, uplo, m, n, pass(alpha), a, lda, b, ldb, pass(beta), c,   \
                    ldc);                                                                          \
  }                                                                                                \
  inline void blas_syrk(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, T alpha, const T* a, \
                        int lda, T beta, T* c, int ldc) {                                          \
    cblas_##s##syrk(CblasColMajor, uplo, trans, n, k, pass(alpha), a, lda, pass(beta), c, ldc);    \
  }                                                                                                \
  inline void blas_syr2k(CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, T alpha,            \
                         const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {        \
    cblas_##s##syr2k(CblasColMajor, uplo, trans, n, k, pass(alpha), a, lda, b, ldb, pass(beta), c, \
                     ldc);                                                                         \
  }                                                                                                \
  inline void blas_trmm(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,  \
                        int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {               \
    cblas_##s##trmm(CblasColMajor, side, uplo, trans, diag, m, n, pass(alpha), a, lda, b, ldb);    \
  }                                                                                                \
  inline void blas_trsm(CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,  \
                        int m, int n, T alpha, const T* a, int lda, T* b, int ldb) {               \
    cblas_##s##trsm(CblasColMajor, side, uplo, trans, diag, m, n, pass(alpha), a, lda, b, ldb);    \
  }

WARPGRADE_BLAS(float, s)
WARPGRADE_BLAS(double, d)
WARPGRADE_BLAS(cuComplex, c)
WARPGRADE_BLAS(cuDoubleComplex, z)
#undef WARPGRADE_BLAS

inline float blas_asum(int n, const float* x) { return cblas_sasum(n, x, 1); }
inline double blas_asum(int n, const double* x) { return cblas_dasum(n, x, 1); }
inline float blas_asum(int n, const cuComplex* x) { return cblas_scasum(n, x, 1); }
inline double blas_asum(int n, const cuDoubleComplex* x) { return cblas_dzasum(n, x, 1); }
inline float blas_nrm2(int n, const float* x) { return cblas_snrm2(n, x, 1); }
inline double blas_nrm2(int n, const double* x) { return cblas_dnrm2(n, x, 1); }
inline float blas_nrm2(int n, const cuComplex* x) { return cblas_scnrm2(n, x, 1); }
inline double blas_nrm2(int n, const cuDoubleComplex* x) { return cblas_dznrm2(n, x, 1); }

}  // namespace warpgrade::cudart::cublas
