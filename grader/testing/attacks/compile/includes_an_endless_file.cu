// SPDX-License-Identifier: MIT
// attacks: the compiler reads a file without an end
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory
#include "/dev/zero"
