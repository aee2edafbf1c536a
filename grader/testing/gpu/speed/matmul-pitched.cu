// SPDX-License-Identifier: MIT
#include <matmul-pitched.h>

#include "testing/gpu/speed/products.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  Memory& memory = setting.memory;
  const Product product = make_product(setting, false);
  const auto matrix = [&](float* elements) {
    return wrap_dense(elements, product.side, product.side);
  };
  const cudaPitchedPtr a = matrix(product.a), b = matrix(product.b), c = matrix(product.c);
  const auto offer = [&](const char* name, auto multiply) {
    tasks.push_back({name, 0.0, product.flop(), [=] { multiply(c, a, b, 16); },
                     [=, &memory] { memory.poison(product.c, product.count() * sizeof(float)); },
                     [=] {
                       return holds_in_places(product.count(), [=](size_t i) {
                         return is_element(product, i, product.c[i]);
                       });
                     }});
  };
  offer("dense", multiply_dense);
  offer("padded", multiply_padded);
}
