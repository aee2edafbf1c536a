// SPDX-License-Identifier: MIT
// attacks: a function in .preinit_array, which runs before all constructors of the libraries
// control: 0
// earns: at most its control
// must stay: neighbours
#include "controls/honest.cu"

static void run_first() {}

__attribute__((section(".preinit_array"), used)) static void (*const first)() = run_first;
