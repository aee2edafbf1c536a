// SPDX-License-Identifier: MIT
// attacks: adds slowly in a constructor, by a kernel with the name of one that the driver runs outside the graded calls
// control: slow
// earns: at most its control
// must stay: neighbours
#define EARLY_KERNEL do_nothing
#include "kit/works_before_main.cu"
