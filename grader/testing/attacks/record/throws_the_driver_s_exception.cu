// SPDX-License-Identifier: MIT
// attacks: throws the type by which the driver ends a part that is left out, and strings and errors of its own
// control: wrong
// earns: at most its control
// must stay: neighbours
namespace warpgrade::harness {
struct LeftOut {};
}  // namespace warpgrade::harness
#define AFTER_THE_KERNEL(c, a, b, n) throw warpgrade::harness::LeftOut()
#define BEFORE_THE_KERNEL(c, a, b, n)
#include "controls/wrong.cu"
