// SPDX-License-Identifier: MIT
// cuBLAS on the data of the products and of the dot product. CUBLAS_PEDANTIC_MATH rules out tensor
// cores; the names of the kernels, which the result holds, show what ran.
#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "testing/gpu/speed/products.h"

using namespace warpgrade::speed;

namespace {

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cublas: %s\n", cublasGetStatusString(status));
  std::exit(1);
}

std::shared_ptr<cublasContext> make_handle(cublasMath_t mode) {
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle));
  check(cublasSetMathMode(handle, mode));
  return {handle, cublasDestroy};
}

void offer_product(const Setting& setting, const char* name, cublasMath_t mode,
                   std::vector<Task>& tasks) {
  const Product product = make_product(setting, true);
  const auto handle = make_handle(mode);
  // cuBLAS counts by columns: the transposed product is B' A'.
  tasks.push_back(product_task(name, product, setting.memory, [=] {
    const float one = 1.0f, zero = 0.0f;
    const int side = product.side;
    check(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, product.b,
                      side, product.a, side, &zero, product.c, side));
  }));
}

void offer_dot(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const size_t count = setting.small() ? 5003 : size_t{1} << 28, bytes = count * sizeof(float);
  auto* a = static_cast<float*>(memory.device(0, bytes));
  auto* b = static_cast<float*>(memory.device(1, bytes));
  auto* result = static_cast<float*>(memory.device(3, sizeof(float)));
  memory.fill(a, count, 1);
  memory.fill(b, count, 2);
  const auto handle = make_handle(CUBLAS_PEDANTIC_MATH);
  check(cublasSetPointerMode(handle.get(), CUBLAS_POINTER_MODE_DEVICE));
  tasks.push_back(
      {"cublasSdot", 2.0 * static_cast<double>(bytes), 0.0,
       [=] { check(cublasSdot(handle.get(), static_cast<int>(count), a, 1, b, 1, result)); },
       [=, &memory] { memory.poison(result, sizeof(float)); },
       [=, &memory] {
         const Memory::Pairs pairs = memory.pairs(count, 1, 2);
         return std::fabs(memory.read(result, 0) - pairs.products) <=
                sum_tolerance(count) * pairs.sizes;
       }});
}

}  // namespace

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  if (setting.group.starts_with("matmul")) {
    offer_product(setting, "cublasSgemm, pedantic", CUBLAS_PEDANTIC_MATH, tasks);
    offer_product(setting, "cublasSgemm, default", CUBLAS_DEFAULT_MATH, tasks);
  }
  if (setting.group == "dot") offer_dot(setting, tasks);
}
