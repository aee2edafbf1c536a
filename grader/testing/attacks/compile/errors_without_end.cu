// SPDX-License-Identifier: MIT
// attacks: seventy megabytes of diagnostics
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory, reports

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(A(x)))))
void f() { B(undeclared_name_that_is_long_enough_to_fill_a_line;) }
