// SPDX-License-Identifier: MIT
#pragma once

#include "testing/gpu/speed/task.h"

namespace warpgrade::speed {

/// Square matrices without gaps whose elements are value_at(1, ...) and value_at(2, ...), and a place
/// for their product.
struct Product {
  int side;
  float *a, *b, *c;

  size_t width() const { return static_cast<size_t>(side); }
  size_t count() const { return width() * width(); }
  double flop() const { return 2.0 * side * side * side; }
};

/// In device memory, or on the host.
inline Product make_product(const Setting& setting, bool on_device) {
  Memory& memory = setting.memory;
  Product product{setting.choose(96, 2048, 4096), nullptr, nullptr, nullptr};
  const size_t bytes = product.count() * sizeof(float);
  const auto matrix = [&](int which) {
    return static_cast<float*>(on_device ? memory.device(which, bytes) : memory.host(which, bytes));
  };
  product.a = matrix(0);
  product.b = matrix(1);
  product.c = matrix(2);
  memory.fill(product.a, product.count(), 1);
  memory.fill(product.b, product.count(), 2);
  return product;
}

/// Whether `value` can be the element in place `i` of the product.
inline bool is_element(const Product& product, size_t i, double value) {
  const size_t row = i / product.width(), column = i % product.width();
  double sum = 0.0, sizes = 0.0;
  for (size_t k = 0; k < product.width(); ++k) {
    const double term = static_cast<double>(value_at(1, row * product.width() + k)) *
                        value_at(2, k * product.width() + column);
    sum += term;
    sizes += std::fabs(term);
  }
  return std::fabs(value - sum) <= sum_tolerance(product.width()) * sizes;
}

/// A task whose call leaves the product in device memory.
inline Task product_task(const std::string& name, const Product& product, Memory& memory,
                         std::function<void()> call) {
  return {name,
          0.0,
          product.flop(),
          std::move(call),
          [=, &memory] { memory.poison(product.c, product.count() * sizeof(float)); },
          [=, &memory] {
            return holds_in_places(product.count(), [&](size_t i) {
              return is_element(product, i, memory.read(product.c, i));
            });
          }};
}

}  // namespace warpgrade::speed
