// SPDX-License-Identifier: MIT
// attacks: a file that includes itself twice floods the compiler's output
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory, reports
#include __FILE__
#include __FILE__
