// SPDX-License-Identifier: MIT
// attacks: macros that expand to ten thousand million tokens
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(A(x)))))
int array[] = {B(B(1, ))};
