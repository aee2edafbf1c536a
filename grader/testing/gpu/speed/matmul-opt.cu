// SPDX-License-Identifier: MIT
#include <matmul-opt.h>

#include "testing/gpu/speed/products.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  const Product product = make_product(setting, true);
  const auto matrix = [&](float* elements) {
    const size_t width = product.width();
    return make_cudaPitchedPtr(elements, width * sizeof(float), width, width);
  };
  const cudaPitchedPtr a = matrix(product.a), b = matrix(product.b), c = matrix(product.c);
  const auto offer = [&](const char* name, auto multiply) {
    tasks.push_back(product_task(name, product, setting.memory, [=] { multiply(c, a, b); }));
  };
  offer("own", multiply_own);
  offer("two", multiply_two);
  if (setting.all) offer("one", multiply_one);
}
