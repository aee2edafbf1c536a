// SPDX-License-Identifier: MIT
// attacks: reads its inputs and adds slowly in a constructor, and copies the sums in the graded range
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/works_before_main.cu"
