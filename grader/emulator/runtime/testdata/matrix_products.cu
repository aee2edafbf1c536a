// SPDX-License-Identifier: MIT
// cuBLAS against sums written out here: types, transposes, steps, leading dimensions, batches, pointer modes, streams,
// halves of triangular matrices, what it refuses. The tests never write what a function may not read.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <vector>

#include "emulator/runtime/testdata/expect.h"

#define EXPECT_STATUS(call, wanted) expect_that((call) == (wanted), #call, __LINE__)
#define EXPECT_OK(call) EXPECT_STATUS(call, CUBLAS_STATUS_SUCCESS)

template <class T>
struct Memory {
  explicit Memory(size_t count) : count(count) { cudaMalloc(&at, count * sizeof(T)); }
  Memory(const std::vector<T>& values) : Memory(values.size()) {
    cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Memory() { cudaFree(at); }
  std::vector<T> values() const {
    std::vector<T> all(count);
    EXPECT_SUCCESS(cudaMemcpy(all.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }
  T* at = nullptr;
  size_t count;
};

template <class T>
static T number(int i) {
  return T(static_cast<float>(i * 7 % 13 - 6));
}
template <>
std::complex<float> number(int i) {
  return {number<float>(i), number<float>(i + 5)};
}

template <class T>
static std::vector<T> numbers(int count, int first = 0) {
  std::vector<T> all(count);
  for (int i = 0; i < count; ++i) all[i] = number<T>(first + i);
  return all;
}

template <class T>
static T conjugated(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>>)
    return std::conj(value);
  else
    return value;
}

/// op(A)(row, column), where A has the leading dimension `lead`.
template <class T>
static T element(const std::vector<T>& a, int lead, cublasOperation_t op, int row, int column) {
  if (op == CUBLAS_OP_N) return a[column * lead + row];
  const T value = a[row * lead + column];
  return op == CUBLAS_OP_C ? conjugated(value) : value;
}

static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, float alpha, const float* a, int lda, const float* b,
                           int ldb, float beta, float* c, int ldc) {
  return cublasSgemm(handle, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, double alpha, const double* a, int lda, const double* b,
                           int ldb, double beta, double* c, int ldc) {
  return cublasDgemm(handle, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, std::complex<float> alpha, const std::complex<float>* a,
                           int lda, const std::complex<float>* b, int ldb, std::complex<float> beta,
                           std::complex<float>* c, int ldc) {
  const auto as = [](const std::complex<float>* at) {
    return reinterpret_cast<const cuComplex*>(at);
  };
  return cublasCgemm(handle, ta, tb, m, n, k, as(&alpha), as(a), lda, as(b), ldb, as(&beta),
                     reinterpret_cast<cuComplex*>(c), ldc);
}

template <class T>
static void check_gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb) {
  constexpr int m = 5, n = 4, k = 3, lda = 7, ldb = 6, ldc = 9;
  const std::vector<T> a = numbers<T>(lda * 5), b = numbers<T>(ldb * 5, 3), c = numbers<T>(ldc * n);
  const Memory<T> da(a), db(b), dc(c);
  const T alpha = number<T>(2), beta = number<T>(4);
  EXPECT_OK(gemm(handle, ta, tb, m, n, k, alpha, da.at, lda, db.at, ldb, beta, dc.at, ldc));
  const std::vector<T> got = dc.values();
  bool same = true;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < ldc; ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum += element(a, lda, ta, i % m, l) * element(b, ldb, tb, l, j);
      const T wanted = i < m ? alpha * sum + beta * c[j * ldc + i] : c[j * ldc + i];
      same = same && got[j * ldc + i] == wanted;
    }
  }
  EXPECT(same);
}

static void check_products(cublasHandle_t handle) {
  for (const cublasOperation_t ta : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
    for (const cublasOperation_t tb : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      check_gemm<float>(handle, ta, tb);
      check_gemm<double>(handle, ta, tb);
      check_gemm<std::complex<float>>(handle, ta, tb);
    }
  }
}

/// A batch of 2x2 products, by steps and by addresses; C is written before it is read.
static void check_batches(cublasHandle_t handle) {
  constexpr int kCount = 3;
  const Memory<float> a(numbers<float>(4 * kCount)), b(numbers<float>(4 * kCount, 2)),
      c(4 * kCount), d(4 * kCount);
  const float one = 1, zero = 0;
  EXPECT_OK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, a.at, 2, 4,
                                      b.at, 2, 4, &zero, c.at, 2, 4, kCount));
  std::vector<const float*> left, right;
  std::vector<float*> to;
  for (int i = 0; i < kCount; ++i) {
    left.push_back(a.at + 4 * i);
    right.push_back(b.at + 4 * i);
    to.push_back(d.at + 4 * i);
  }
  const Memory<const float*> lefts(left), rights(right);
  const Memory<float*> results(to);
  EXPECT_OK(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, lefts.at, 2,
                               rights.at, 2, &zero, results.at, 2, kCount));
  EXPECT(c.values() == d.values());
  const std::vector<float> x = a.values(), y = b.values();
  EXPECT(c.values()[5] == x[5] * y[4] + x[7] * y[6]);
}

static void check_mixed(cublasHandle_t handle) {
  const Memory<__half> a(numbers<__half>(6)), b(numbers<__half>(6, 1));
  const Memory<float> c(4);
  const float two = 2, zero = 0;
  EXPECT_OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &two, a.at, CUDA_R_16F, 2, b.at,
                         CUDA_R_16F, 3, &zero, c.at, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT));
  const std::vector<float> x = numbers<float>(6), y = numbers<float>(6, 1);
  EXPECT(c.values()[3] == 2 * (x[1] * y[3] + x[3] * y[4] + x[5] * y[5]));

  const std::vector<int8_t> bytes = {127, -128, 3, 4};
  const Memory<int8_t> p(bytes), q(bytes);
  const Memory<int32_t> r(4);
  const int one = 1, none = 0;
  EXPECT_OK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, p.at, CUDA_R_8I, 2, q.at,
                         CUDA_R_8I, 2, &none, r.at, CUDA_R_32I, 2, CUBLAS_COMPUTE_32I,
                         CUBLAS_GEMM_DEFAULT));
  EXPECT(r.values()[0] == 127 * 127 - 128 * 3);
  EXPECT(r.values()[1] == -128 * 127 - 128 * 4);
}

static void check_vectors(cublasHandle_t handle) {
  const std::vector<float> values = numbers<float>(12);
  const Memory<float> x(values), y(numbers<float>(12, 4)), result(1);
  const std::vector<float> other = y.values();
  float host = 0;
  int at = 0;
  EXPECT_OK(cublasSdot(handle, 6, x.at, 2, y.at, -2, &host));
  float wanted = 0;
  for (int i = 0; i < 6; ++i) wanted += values[2 * i] * other[10 - 2 * i];
  EXPECT(host == wanted);
  EXPECT_OK(cublasSasum(handle, 12, x.at, 1, &host));
  wanted = 0;
  for (const float value : values) wanted += std::fabs(value);
  EXPECT(host == wanted);
  EXPECT_OK(cublasIsamax(handle, 12, x.at, 1, &at));
  EXPECT(std::fabs(values[at - 1]) == 6 && at == 1);
  EXPECT_OK(cublasIsamin(handle, 12, x.at, 1, &at));
  EXPECT(std::fabs(values[at - 1]) == 1);
  const float alpha = 3;
  EXPECT_OK(cublasSaxpy(handle, 4, &alpha, x.at, 3, y.at, 1));
  EXPECT(y.values()[2] == other[2] + 3 * values[6] && y.values()[4] == other[4]);
  EXPECT_OK(cublasSscal(handle, 3, &alpha, y.at, 4));
  EXPECT(y.values()[8] == 3 * other[8] && y.values()[9] == other[9]);

  EXPECT_OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  EXPECT_OK(cublasSnrm2(handle, 2, x.at, 1, result.at));
  EXPECT_OK(cublasSscal(handle, 1, result.at, x.at, 1));
  EXPECT_OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  const float length = std::hypot(values[0], values[1]);
  EXPECT(std::fabs(result.values()[0] - length) < 1e-5f);
  EXPECT(std::fabs(x.values()[0] - length * values[0]) < 1e-4f);
}

static void check_matrix_and_vector(cublasHandle_t handle) {
  const std::vector<double> a = numbers<double>(12), x = numbers<double>(4, 3);
  const Memory<double> da(a), dx(x), dy(3);
  const double one = 1, zero = 0;
  EXPECT_OK(cublasDgemv(handle, CUBLAS_OP_N, 3, 4, &one, da.at, 3, dx.at, -1, &zero, dy.at, 1));
  double wanted = 0;
  for (int j = 0; j < 4; ++j) wanted += a[3 * j + 1] * x[3 - j];
  EXPECT(dy.values()[1] == wanted);
  EXPECT_OK(cublasDger(handle, 3, 4, &one, dy.at, 1, dx.at, 1, da.at, 3));
  EXPECT(da.values()[3 * 2 + 1] == a[3 * 2 + 1] + wanted * x[2]);
}

/// Only the named half of a triangle is in memory.
static void check_triangles(cublasHandle_t handle) {
  const Memory<float> a(9), b(numbers<float>(6)), c(6);
  const std::vector<float> lower = {2, 1, 3, 4, 5, 8};
  int next = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = j; i < 3; ++i)
      EXPECT_SUCCESS(
          cudaMemcpy(a.at + 3 * j + i, &lower[next++], sizeof(float), cudaMemcpyHostToDevice));
  const std::vector<float> before = b.values();
  const float one = 1, zero = 0;
  EXPECT_OK(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                        CUBLAS_DIAG_NON_UNIT, 3, 2, &one, a.at, 3, b.at, 3));
  EXPECT(b.values()[0] == before[0] / 2);
  EXPECT_OK(cublasStrmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                        CUBLAS_DIAG_NON_UNIT, 3, 2, &one, a.at, 3, b.at, 3, c.at, 3));
  for (int i = 0; i < 6; ++i) EXPECT(std::fabs(c.values()[i] - before[i]) < 1e-4f);
  EXPECT_OK(cublasSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 3, 2, &one, a.at, 3, b.at,
                        3, &zero, c.at, 3));
  const std::vector<float> solved = b.values();
  EXPECT(std::fabs(c.values()[0] - (2 * solved[0] + solved[1] + 3 * solved[2])) < 1e-4f);
  EXPECT_OK(cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 3, 2, &one, b.at, 3, &zero,
                        a.at, 3));
  float corner = 0;
  EXPECT_SUCCESS(cudaMemcpy(&corner, a.at + 2, sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT(std::fabs(corner - (solved[2] * solved[0] + solved[5] * solved[3])) < 1e-4f);
}

static void check_transposes(cublasHandle_t handle) {
  const Memory<float> a(numbers<float>(6)), c(6), d(6);
  const float one = 1, zero = 0;
  EXPECT_OK(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, a.at, 2, &zero, nullptr, 3,
                        c.at, 3));
  EXPECT(c.values()[1] == a.values()[2] && c.values()[3] == a.values()[1]);
  EXPECT_OK(cublasSdgmm(handle, CUBLAS_SIDE_RIGHT, 3, 2, c.at, 3, a.at, 1, d.at, 3));
  EXPECT(d.values()[4] == c.values()[4] * a.values()[1]);
}

__global__ void doubled(float* x, int n) {
  for (int i = 0; i < n; ++i) x[i] *= 2;
}

/// A call takes its place in the handle's stream.
static void check_streams(cublasHandle_t handle) {
  cudaStream_t stream;
  EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  EXPECT_OK(cublasSetStream(handle, stream));
  const Memory<float> x(numbers<float>(4));
  doubled<<<1, 1, 0, stream>>>(x.at, 4);
  const float three = 3;
  EXPECT_OK(cublasSscal(handle, 4, &three, x.at, 1));
  doubled<<<1, 1, 0, stream>>>(x.at, 4);
  EXPECT_SUCCESS(cudaStreamSynchronize(stream));
  EXPECT(x.values()[0] == 12 * number<float>(0));

  cudaGraph_t graph;
  EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_STATUS(cublasSscal(handle, 4, &three, x.at, 1), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
  EXPECT_SUCCESS(cudaGraphDestroy(graph));
  EXPECT_OK(cublasSetStream(handle, nullptr));
  EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

static void check_copies() {
  const std::vector<float> values = numbers<float>(12);
  const Memory<float> device(numbers<float>(12, 1));
  EXPECT_OK(cublasSetMatrix(2, 3, sizeof(float), values.data(), 4, device.at, 3));
  EXPECT(device.values()[3] == values[4] && device.values()[2] == number<float>(3));
  std::vector<float> back(6);
  EXPECT_OK(cublasGetVector(3, sizeof(float), device.at, 3, back.data(), 2));
  EXPECT(back[2] == values[4] && back[1] == 0);
}

static void check_mistakes(cublasHandle_t handle) {
  const Memory<float> x(4);
  const float one = 1;
  EXPECT_STATUS(cublasSscal(nullptr, 1, &one, x.at, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_STATUS(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x.at, 1, x.at, 2, &one, x.at, 2),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_STATUS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 2, 2, &one, x.at, 2, x.at, 2,
                            &one, x.at, 2),
                CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_STATUS(cublasSgemv(handle, CUBLAS_OP_N, 2, 2, &one, x.at, 2, x.at, 0, &one, x.at, 1),
                CUBLAS_STATUS_INVALID_VALUE);
}

int main() {
  cublasHandle_t handle;
  EXPECT_OK(cublasCreate(&handle));
  check_products(handle);
  check_batches(handle);
  check_mixed(handle);
  check_vectors(handle);
  check_matrix_and_vector(handle);
  check_triangles(handle);
  check_transposes(handle);
  check_streams(handle);
  check_copies();
  check_mistakes(handle);
  EXPECT_OK(cublasDestroy(handle));
  return failures == 0 ? 0 : 1;
}
