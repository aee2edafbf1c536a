// SPDX-License-Identifier: MIT
// Matrices (cuBLAS Library, 2.7 and 2.8).
#include "cudart/cublas/blas.h"
#include "cudart/cublas/staged.h"

namespace warpgrade::cudart::cublas {
namespace {

struct Shape {
  int rows, columns, leading;

  bool fits() const { return rows >= 0 && columns >= 0 && leading >= std::max(1, rows); }
};

/// The shape in memory of op(A) with so many rows and columns.
Shape stored(cublasOperation_t operation, int rows, int columns, int leading) {
  return operation == CUBLAS_OP_N ? Shape{rows, columns, leading} : Shape{columns, rows, leading};
}

cublasStatus_t mistake(cublasHandle_t handle, bool has_scalars,
                       std::initializer_list<Shape> shapes) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return has_scalars && std::ranges::all_of(shapes, &Shape::fits) ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_INVALID_VALUE;
}

template <class T>
T* bring(Staged& staged, const T* device, const Shape& shape, Access access,
         Part part = Part::kWhole) {
  return staged.matrix(device, shape.rows, shape.columns, shape.leading, access, part);
}

template <class T>
Access added_to(T beta) {
  return is_zero(beta) ? Access::kWrite : Access::kReadWrite;
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                    T* c, int ldc) {
  const Shape left = stored(ta, m, k, lda), right = stored(tb, k, n, ldb), to = {m, n, ldc};
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, {left, right, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const T* const one = bring(staged, a, left, Access::kRead);
  const T* const two = bring(staged, b, right, Access::kRead);
  T* const product = bring(staged, c, to, added_to(kept));
  return staged.run([&] {
    blas_gemm(word(ta), word(tb), m, n, k, factor, one, std::max(1, left.rows), two,
              std::max(1, right.rows), kept, product, m);
  });
}

/// symm and hemm: one of the factors is symmetric, and half of it is given.
template <class T, class Compute>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m,
                    int n, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                    T* c, int ldc, Compute compute) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Shape half = {order, order, lda}, other = {m, n, ldb}, to = {m, n, ldc};
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, {half, other, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const T* const one = bring(staged, a, half, Access::kRead, part_of(fill));
  const T* const two = bring(staged, b, other, Access::kRead);
  T* const product = bring(staged, c, to, added_to(kept));
  return staged.run([&] { compute(factor, one, order, two, kept, product); });
}

/// syrk and herk: half of C = alpha op(A) op(A)' + beta C.
template <class T, class S, class Compute>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t trans, int n,
                    int k, const S* alpha, const T* a, int lda, const S* beta, T* c, int ldc,
                    Compute compute) {
  const Shape from = stored(trans, n, k, lda), to = {n, n, ldc};
  const cublasStatus_t wrong = mistake(handle, alpha != nullptr && beta != nullptr, {from, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || n == 0) return wrong;
  Staged staged(handle);
  const S factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const T* const values = bring(staged, a, from, Access::kRead);
  T* const product = bring(staged, c, to, added_to(kept), part_of(fill));
  return staged.run([&] { compute(factor, values, std::max(1, from.rows), kept, product); });
}

template <class T>
cublasStatus_t syr2k(cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t trans, int n,
                     int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,
                     T* c, int ldc) {
  const Shape left = stored(trans, n, k, lda), right = stored(trans, n, k, ldb), to = {n, n, ldc};
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, {left, right, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha), kept = staged.scalar(beta);
  const T* const one = bring(staged, a, left, Access::kRead);
  const T* const two = bring(staged, b, right, Access::kRead);
  T* const product = bring(staged, c, to, added_to(kept), part_of(fill));
  return staged.run([&] {
    blas_syr2k(word(fill), word(trans), n, k, factor, one, std::max(1, left.rows), two,
               std::max(1, right.rows), kept, product, n);
  });
}

/// trmm and trsm: a triangular A works on a copy of B, which goes to C.
template <class T, class Compute>
cublasStatus_t triangle(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m,
                        int n, const T* alpha, const T* a, int lda, const T* b, int ldb, T* c,
                        int ldc, Compute compute) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Shape half = {order, order, lda}, from = {m, n, ldb}, to = {m, n, ldc};
  const cublasStatus_t wrong = mistake(handle, alpha != nullptr, {half, from, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const T factor = staged.scalar(alpha);
  const T* const matrix = bring(staged, a, half, Access::kRead, part_of(fill));
  const T* const values = bring(staged, b, from, Access::kRead);
  T* const result = bring(staged, c, to, Access::kWrite);
  return staged.run([&] {
    std::copy_n(values, static_cast<size_t>(m) * n, result);
    compute(factor, matrix, order, result);
  });
}

template <class T>
T element(const T* matrix, int leading, cublasOperation_t operation, int row, int column) {
  const size_t at = operation == CUBLAS_OP_N ? static_cast<size_t>(column) * leading + row
                                             : static_cast<size_t>(row) * leading + column;
  if constexpr (std::is_floating_point_v<T>)
    return matrix[at];
  else
    return operation == CUBLAS_OP_C ? std::conj(matrix[at]) : matrix[at];
}

/// C = alpha op(A) + beta op(B). A factor of 0 leaves its matrix unread, and C may be A or B.
template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,
                    int ldc) {
  using Value = ComplexOf<T>;
  const Shape left = stored(ta, m, n, lda), right = stored(tb, m, n, ldb), to = {m, n, ldc};
  const cublasStatus_t wrong =
      mistake(handle, alpha != nullptr && beta != nullptr, {left, right, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const T first = staged.scalar(alpha), second = staged.scalar(beta);
  const auto bring_factor = [&](const T* matrix, const Shape& shape, T factor) {
    return is_zero(factor)
               ? nullptr
               : reinterpret_cast<const Value*>(bring(staged, matrix, shape, Access::kRead));
  };
  const Value* const one = bring_factor(a, left, first);
  const Value* const two = bring_factor(b, right, second);
  auto* const sum = reinterpret_cast<Value*>(bring(staged, c, to, Access::kWrite));
  return staged.run([&] {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        Value value(0);
        if (one != nullptr) value += number(first) * element(one, left.rows, ta, i, j);
        if (two != nullptr) value += number(second) * element(two, right.rows, tb, i, j);
        sum[static_cast<size_t>(j) * m + i] = value;
      }
    }
  });
}

/// C = diag(x) A or A diag(x).
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda,
                    const T* x, int incx, T* c, int ldc) {
  using Value = ComplexOf<T>;
  const Shape from = {m, n, lda}, to = {m, n, ldc};
  const cublasStatus_t wrong = mistake(handle, incx != 0, {from, to});
  if (wrong != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0) return wrong;
  Staged staged(handle);
  const int count = side == CUBLAS_SIDE_LEFT ? m : n;
  const auto* const values = reinterpret_cast<const Value*>(bring(staged, a, from, Access::kRead));
  const auto* const diagonal =
      reinterpret_cast<const Value*>(staged.vector(x, count, incx, Access::kRead));
  auto* const product = reinterpret_cast<Value*>(bring(staged, c, to, Access::kWrite));
  return staged.run([&] {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        const int place = side == CUBLAS_SIDE_LEFT ? i : j;
        const size_t at = static_cast<size_t>(j) * m + i;
        product[at] = values[at] * diagonal[incx > 0 ? place : count - 1 - place];
      }
    }
  });
}

/// Calls compute(i) for each i below `count` until one fails.
template <class Compute>
cublasStatus_t each(cublasHandle_t handle, int count, Compute compute) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i) status = compute(i);
  return status;
}

template <class T>
cublasStatus_t gemm_batched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                            int m, int n, int k, const T* alpha, const T* const* a, int lda,
                            const T* const* b, int ldb, const T* beta, T* const* c, int ldc,
                            int count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (count == 0) return CUBLAS_STATUS_SUCCESS;
  const std::vector<const T*> left = batch_of(handle, a, count), right = batch_of(handle, b, count);
  const std::vector<T*> to = batch_of(handle, c, count);
  if (left.empty() || right.empty() || to.empty()) return CUBLAS_STATUS_EXECUTION_FAILED;
  return each(handle, count, [&](int i) {
    return gemm(handle, ta, tb, m, n, k, alpha, left[i], lda, right[i], ldb, beta, to[i], ldc);
  });
}

}  // namespace
}  // namespace warpgrade::cudart::cublas

using namespace warpgrade::cudart::cublas;

extern "C" {

#define WARPGRADE_MATRICES(S, T)                                                                   \
  cublasStatus_t cublas##S##gemm(                                                                  \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return gemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                     \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmBatched(cublasHandle_t handle, cublasOperation_t ta,               \
                                        cublasOperation_t tb, int m, int n, int k, const T* alpha, \
                                        const T* const a[], int lda, const T* const b[], int ldb,  \
                                        const T* beta, T* const c[], int ldc, int count) {         \
    return gemm_batched(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);      \
  }                                                                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,      \
      const T* alpha, const T* a, int lda, long long a_step, const T* b, int ldb,                  \
      long long b_step, const T* beta, T* c, int ldc, long long c_step, int count) {               \
    return each(handle, count, [&](int i) {                                                        \
      return gemm(handle, ta, tb, m, n, k, alpha, a + i * a_step, lda, b + i * b_step, ldb, beta,  \
                  c + i * c_step, ldc);                                                            \
    });                                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##symm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t fill, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {     \
    return symm(handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc,                     \
                [&](T alpha, const T* a, int lda, const T* b, T beta, T* c) {                      \
                  blas_symm(word(side), word(fill), m, n, alpha, a, lda, b, m, beta, c, m);        \
                });                                                                                \
  }                                                                                                \
  cublasStatus_t cublas##S##syrk(cublasHandle_t handle, cublasFillMode_t fill,                     \
                                 cublasOperation_t trans, int n, int k, const T* alpha,            \
                                 const T* a, int lda, const T* beta, T* c, int ldc) {              \
    return syrk(handle, fill, trans, n, k, alpha, a, lda, beta, c, ldc,                            \
                [&](T alpha, const T* a, int lda, T beta, T* c) {                                  \
                  blas_syrk(word(fill), word(trans), n, k, alpha, a, lda, beta, c, n);             \
                });                                                                                \
  }                                                                                                \
  cublasStatus_t cublas##S##syr2k(                                                                 \
      cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t trans, int n, int k,         \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return syr2k(handle, fill, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trmm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t fill, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, const T* b, int ldb, T* c, int ldc) {                    \
    return triangle(handle, side, fill, m, n, alpha, a, lda, b, ldb, c, ldc,                       \
                    [&](T alpha, const T* a, int lda, T* c) {                                      \
                      blas_trmm(word(side), word(fill), word(trans), word(diag), m, n, alpha, a,   \
                                lda, c, m);                                                        \
                    });                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t fill, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T* alpha, const T* a,  \
                                 int lda, T* b, int ldb) {                                         \
    return triangle(handle, side, fill, m, n, alpha, a, lda, b, ldb, b, ldb,                       \
                    [&](T alpha, const T* a, int lda, T* b) {                                      \
                      blas_trsm(word(side), word(fill), word(trans), word(diag), m, n, alpha, a,   \
                                lda, b, m);                                                        \
                    });                                                                            \
  }                                                                                                \
  cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t ta,                      \
                                 cublasOperation_t tb, int m, int n, const T* alpha, const T* a,   \
                                 int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {     \
    return geam(handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                        \
  }                                                                                                \
  cublasStatus_t cublas##S##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,       \
                                 const T* a, int lda, const T* x, int incx, T* c, int ldc) {       \
    return dgmm(handle, side, m, n, a, lda, x, incx, c, ldc);                                      \
  }
WARPGRADE_MATRICES(S, float)
WARPGRADE_MATRICES(D, double)
WARPGRADE_MATRICES(C, cuComplex)
WARPGRADE_MATRICES(Z, cuDoubleComplex)
#undef WARPGRADE_MATRICES

#define WARPGRADE_HERMITIAN(S, T, R, s)                                                           \
  cublasStatus_t cublas##S##hemm(cublasHandle_t handle, cublasSideMode_t side,                    \
                                 cublasFillMode_t fill, int m, int n, const T* alpha, const T* a, \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {    \
    return symm(handle, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, ldc,                    \
                [&](T alpha, const T* a, int lda, const T* b, T beta, T* c) {                     \
                  cblas_##s##hemm(CblasColMajor, word(side), word(fill), m, n, &alpha, a, lda, b, \
                                  m, &beta, c, m);                                                \
                });                                                                               \
  }                                                                                               \
  cublasStatus_t cublas##S##herk(cublasHandle_t handle, cublasFillMode_t fill,                    \
                                 cublasOperation_t trans, int n, int k, const R* alpha,           \
                                 const T* a, int lda, const R* beta, T* c, int ldc) {             \
    return syrk(handle, fill, trans, n, k, alpha, a, lda, beta, c, ldc,                           \
                [&](R alpha, const T* a, int lda, R beta, T* c) {                                 \
                  cblas_##s##herk(CblasColMajor, word(fill), word(trans), n, k, alpha, a, lda,    \
                                  beta, c, n);                                                    \
                });                                                                               \
  }
WARPGRADE_HERMITIAN(C, cuComplex, float, c)
WARPGRADE_HERMITIAN(Z, cuDoubleComplex, double, z)
#undef WARPGRADE_HERMITIAN

}  // extern "C"
