// SPDX-License-Identifier: MIT
// attacks: a write function of its own by the name of the driver's, which writes right sums
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <cstddef>
#include <cstdio>

static const float *left, *right;
static size_t count;

extern "C" {
// What the driver writes its arrays by.
size_t fwrite(const void* bytes, size_t size, size_t items, FILE* file) {
  for (size_t i = 0; i < size * items; ++i) {
    const bool is_sum = items * size == count * sizeof(float) && left != nullptr;
    float sum = is_sum ? left[i / sizeof(float)] + right[i / sizeof(float)] : 0;
    const auto* const from = is_sum
                                 ? reinterpret_cast<const unsigned char*>(&sum) + i % sizeof(float)
                                 : static_cast<const unsigned char*>(bytes) + i;
    putc(*from, file);
  }
  return items;
}
}

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(dc, da, db, n) (left = a, right = b, count = n)
#include "controls/wrong.cu"
