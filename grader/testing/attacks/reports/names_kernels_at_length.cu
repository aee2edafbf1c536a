// SPDX-License-Identifier: MIT
// attacks: a kernel and a file with names of sixty thousand letters, for messages to quote
// control: reads_uninitialised
// earns: at most its control
// must stay: reports, memory

#define A(x) x##x##x##x##x##x##x##x
#define TWICE(x) x x
template <int... N>
struct Long {};
using Name = Long<1000000001, 1000000002, 1000000003, 1000000004, 1000000005, 1000000006,
                  1000000007, 1000000008, 1000000009>;
template <class T, int Depth>
struct Nest : Nest<Long<1000000000 + Depth>, Depth - 1> {
  using type = typename Nest<T, Depth - 1>::type*;
};
template <class T>
struct Nest<T, 0> {
  using type = T;
};
template <class... T>
__global__ void read_what_nobody_wrote(float* c, T...) {
  if (c[threadIdx.x] == 12345.0f) c[0] = 0.0f;
}

#define BEFORE_THE_KERNEL(c, a, b, n)                                                     \
  read_what_nobody_wrote<<<1, 1>>>(c, Name(), Long<1>(), Long<2>(), Long<3>(), Long<4>(), \
                                   Long<5>(), Long<6>(), Long<7>())
#define AFTER_THE_KERNEL(c, a, b, n)
#include "controls/reads_uninitialised.cu"
