// SPDX-License-Identifier: MIT
// attacks: memcpy(), memmove() and memset() of its own, which put right sums into what the device copies
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <cstddef>

static float* result;
static const float *left, *right;
static size_t count;

static void* copy(void* to, const void* from, size_t bytes) {
  auto* const out = static_cast<volatile unsigned char*>(to);
  const auto* const in = static_cast<const volatile unsigned char*>(from);
  if (out <= in)
    for (size_t i = 0; i < bytes; ++i) out[i] = in[i];
  else
    for (size_t i = bytes; i-- > 0;) out[i] = in[i];
  if (to == result)
    for (size_t i = 0; i < count; ++i) result[i] = left[i] + right[i];
  return to;
}

extern "C" {
void* memmove(void* to, const void* from, size_t bytes) noexcept { return copy(to, from, bytes); }
void* memcpy(void* to, const void* from, size_t bytes) noexcept { return copy(to, from, bytes); }
}

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(dc, da, db, n) (result = c, left = a, right = b, count = n)
#include "controls/wrong.cu"
