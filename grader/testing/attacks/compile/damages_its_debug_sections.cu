// SPDX-License-Identifier: MIT
// attacks: compressed sections that are none, at which the tools behind the compiler fail
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory
asm(".pushsection .debug_str,\"0x800\",@progbits\n.quad 1, 0x4000000000000000, 1\n.ascii \"none\"\n.popsection");
#include "controls/honest.cu"
