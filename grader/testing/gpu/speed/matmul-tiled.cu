// SPDX-License-Identifier: MIT
#include <matmul-tiled.h>

#include "testing/gpu/speed/products.h"

using namespace warpgrade::speed;

void offer_tasks(const Setting& setting, std::vector<Task>& tasks) {
  const Product product = make_product(setting, true);
  const auto matrix = [&](float* elements) {
    return Matrix{product.side, product.side, product.side, elements};
  };
  const Matrix a = matrix(product.a), b = matrix(product.b), c = matrix(product.c);
  for (const int tile : {32, 16}) {
    tasks.push_back(product_task("device " + std::to_string(tile), product, setting.memory,
                                 [=] { MatMulOnDevice(a, b, c, tile); }));
  }
}
