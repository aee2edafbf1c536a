// SPDX-License-Identifier: MIT
// attacks: templates that are instantiated without an end
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory

template <int N, int M>
struct Bomb {
  static constexpr long value = Bomb<N + 1, M>::value + Bomb<N, M + 1>::value;
};
const long bomb = Bomb<0, 0>::value;
