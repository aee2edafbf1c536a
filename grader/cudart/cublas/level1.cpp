// SPDX-License-Identifier: MIT
// Vectors (cuBLAS Library, 2.5).
#include <numeric>

#include "cudart/cublas/blas.h"
#include "cudart/cublas/staged.h"

namespace warpgrade::cudart::cublas {
namespace {

template <class T, class Find>
cublasStatus_t position(cublasHandle_t handle, int n, const T* x, int incx, int* to, Find find) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  Staged staged(handle);
  if (n <= 0 || incx <= 0) return staged.result(to, [] { return 0; });
  const T* const values = staged.vector(x, n, incx, Access::kRead);
  return staged.result(to, [&] { return find(n, values); });
}

template <class T, class Sum>
cublasStatus_t measure(cublasHandle_t handle, int n, const T* x, int incx, RealOf<T>* to, Sum sum) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  Staged staged(handle);
  if (n <= 0 || incx <= 0) return staged.result(to, [] { return RealOf<T>(0); });
  const T* const values = staged.vector(x, n, incx, Access::kRead);
  return staged.result(to, [&] { return static_cast<RealOf<T>>(sum(n, values)); });
}

template <class T, class S>
cublasStatus_t scale(cublasHandle_t handle, int n, const S* alpha, T* x, int incx) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  Staged staged(handle);
  const auto factor = number(staged.scalar(alpha));
  auto* const values =
      reinterpret_cast<ComplexOf<T>*>(staged.vector(x, n, incx, Access::kReadWrite));
  return staged.run([&] {
    for (int i = 0; i < n; ++i) values[i] *= factor;
  });
}

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,
                    int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (incx == 0 || incy == 0) return refuse("cublas<t>axpy with a step of 0");
  Staged staged(handle);
  const T factor = staged.scalar(alpha);
  const T* const from = staged.vector(x, n, incx, Access::kRead);
  T* const to = staged.vector(y, n, incy, Access::kReadWrite);
  return staged.run([&] { blas_axpy(n, factor, from, direction(incx), to, direction(incy)); });
}

/// Calls change(x, y) for each pair of elements, in the vectors' order.
template <class T, class Change>
cublasStatus_t pairs(cublasHandle_t handle, int n, T* x, int incx, Access x_access, T* y, int incy,
                     Access y_access, Change change) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (incx == 0 || incy == 0) return refuse("a vector with a step of 0");
  Staged staged(handle);
  auto* const one = reinterpret_cast<ComplexOf<T>*>(staged.vector(x, n, incx, x_access));
  auto* const two = reinterpret_cast<ComplexOf<T>*>(staged.vector(y, n, incy, y_access));
  return staged.run([&] {
    for (int i = 0; i < n; ++i)
      change(one[incx > 0 ? i : n - 1 - i], two[incy > 0 ? i : n - 1 - i]);
  });
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  return pairs(handle, n, const_cast<T*>(x), incx, Access::kRead, y, incy, Access::kWrite,
               [](const auto& from, auto& to) { to = from; });
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
  return pairs(handle, n, x, incx, Access::kReadWrite, y, incy, Access::kReadWrite,
               [](auto& one, auto& two) { std::swap(one, two); });
}

template <class T>
cublasStatus_t rotate(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* c,
                      const T* s) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (c == nullptr || s == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  Staged scalars(handle);
  const T cosine = scalars.scalar(c), sine = scalars.scalar(s);
  return pairs(handle, n, x, incx, Access::kReadWrite, y, incy, Access::kReadWrite,
               [&](T& one, T& two) {
                 const T before = one;
                 one = cosine * before + sine * two;
                 two = cosine * two - sine * before;
               });
}

template <bool kConjugate, class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,
                   T* to) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  using Value = ComplexOf<T>;
  Staged staged(handle);
  if (n <= 0) return staged.result(to, [] { return T{}; });
  if (incx == 0 || incy == 0) return refuse("cublas<t>dot with a step of 0");
  const auto* const one = reinterpret_cast<const Value*>(staged.vector(x, n, incx, Access::kRead));
  const auto* const two = reinterpret_cast<const Value*>(staged.vector(y, n, incy, Access::kRead));
  return staged.result(to, [&] {
    // As a device sums: in more than one part, so that the error does not grow with n.
    constexpr int kParts = 32;
    Value parts[kParts] = {};
    for (int i = 0; i < n; ++i) {
      Value left = one[incx > 0 ? i : n - 1 - i];
      if constexpr (kConjugate) left = std::conj(left);
      parts[i % kParts] += left * two[incy > 0 ? i : n - 1 - i];
    }
    const Value sum = std::accumulate(parts, parts + kParts, Value(0));
    return std::bit_cast<T>(sum);
  });
}

}  // namespace
}  // namespace warpgrade::cudart::cublas

using namespace warpgrade::cudart::cublas;

extern "C" {

#define WARPGRADE_POSITIONS(name, T)                                                            \
  cublasStatus_t cublasI##name##amax(cublasHandle_t handle, int n, const T* x, int incx,        \
                                     int* to) {                                                 \
    return position(handle, n, x, incx, to, [](int n, const T* x) { return blas_amax(n, x); }); \
  }                                                                                             \
  cublasStatus_t cublasI##name##amin(cublasHandle_t handle, int n, const T* x, int incx,        \
                                     int* to) {                                                 \
    return position(handle, n, x, incx, to, [](int n, const T* x) { return blas_amin(n, x); }); \
  }
WARPGRADE_POSITIONS(s, float)
WARPGRADE_POSITIONS(d, double)
WARPGRADE_POSITIONS(c, cuComplex)
WARPGRADE_POSITIONS(z, cuDoubleComplex)
#undef WARPGRADE_POSITIONS

#define WARPGRADE_MEASURES(S, T)                                                               \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx,           \
                                 RealOf<T>* to) {                                              \
    return measure(handle, n, x, incx, to, [](int n, const T* x) { return blas_asum(n, x); }); \
  }                                                                                            \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx,           \
                                 RealOf<T>* to) {                                              \
    return measure(handle, n, x, incx, to, [](int n, const T* x) { return blas_nrm2(n, x); }); \
  }
WARPGRADE_MEASURES(S, float)
WARPGRADE_MEASURES(D, double)
WARPGRADE_MEASURES(Sc, cuComplex)
WARPGRADE_MEASURES(Dz, cuDoubleComplex)
#undef WARPGRADE_MEASURES

#define WARPGRADE_VECTORS(S, T)                                                                  \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x,       \
                                 int incx, T* y, int incy) {                                     \
    return axpy(handle, n, alpha, x, incx, y, incy);                                             \
  }                                                                                              \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) { \
    return scale(handle, n, alpha, x, incx);                                                     \
  }                                                                                              \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y,       \
                                 int incy) {                                                     \
    return copy(handle, n, x, incx, y, incy);                                                    \
  }                                                                                              \
  cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) { \
    return swap(handle, n, x, incx, y, incy);                                                    \
  }
WARPGRADE_VECTORS(S, float)
WARPGRADE_VECTORS(D, double)
WARPGRADE_VECTORS(C, cuComplex)
WARPGRADE_VECTORS(Z, cuDoubleComplex)
#undef WARPGRADE_VECTORS

cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x,
                            int incx) {
  return scale(handle, n, alpha, x, incx);
}
cublasStatus_t cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x,
                            int incx) {
  return scale(handle, n, alpha, x, incx);
}

#define WARPGRADE_DOT(name, T, conjugate)                                                     \
  cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx, const T* y, \
                              int incy, T* to) {                                              \
    return dot<conjugate>(handle, n, x, incx, y, incy, to);                                   \
  }
WARPGRADE_DOT(Sdot, float, false)
WARPGRADE_DOT(Ddot, double, false)
WARPGRADE_DOT(Cdotu, cuComplex, false)
WARPGRADE_DOT(Cdotc, cuComplex, true)
WARPGRADE_DOT(Zdotu, cuDoubleComplex, false)
WARPGRADE_DOT(Zdotc, cuDoubleComplex, true)
#undef WARPGRADE_DOT

cublasStatus_t cublasSrot(cublasHandle_t handle, int n, float* x, int incx, float* y, int incy,
                          const float* c, const float* s) {
  return rotate(handle, n, x, incx, y, incy, c, s);
}
cublasStatus_t cublasDrot(cublasHandle_t handle, int n, double* x, int incx, double* y, int incy,
                          const double* c, const double* s) {
  return rotate(handle, n, x, incx, y, incy, c, s);
}

}  // extern "C"
