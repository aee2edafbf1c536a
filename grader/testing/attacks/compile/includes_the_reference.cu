// SPDX-License-Identifier: MIT
// attacks: the compiler includes the model answer
// control: does_not_compile
// earns: at most its control
// must stay: secret
#include "@COURSE@/reference/vecadd/vecadd.cu"
