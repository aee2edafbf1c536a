// SPDX-License-Identifier: MIT
// attacks: a constant expression that takes the compiler minutes
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory

constexpr long count(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += i % 7;
  return sum;
}
constexpr long kSum =
    count(1) + count(200000) * (count(240000) % 3) + count(259999) + count(249999) + count(230001);
template <long N>
struct Again {
  static constexpr long value = count(250000 + N) + Again<N - 1>::value;
};
template <>
struct Again<0> {
  static constexpr long value = 0;
};
const long bomb = kSum + Again<800>::value;
#error done
