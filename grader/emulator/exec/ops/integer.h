// SPDX-License-Identifier: MIT
#pragma once

// The loops over lanes of integer operations, by type.

#include <type_traits>

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class Op, class T>
void unary(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<decltype(Op{}(T{}))>(warp, i.d, [=](int lane) { return Op{}(a[lane]); });
}
template <class Op, class T>
void binary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane]); });
}
template <class Op, class T>
void ternary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b), *c = warp.reg<T>(i.c);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane], c[lane]); });
}
template <class Op>
struct Unary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = unary<Op, T>;
  };
};
template <class Op>
struct Binary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = binary<Op, T>;
  };
};
template <class Op>
struct Ternary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = ternary<Op, T>;
  };
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
