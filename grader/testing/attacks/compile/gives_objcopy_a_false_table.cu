// SPDX-License-Identifier: MIT
// attacks: a section that is named like objcopy's table of symbols, so that objcopy fails and names no mistake
// control: does_not_compile
// earns: exactly its control
// must stay: neighbours
#include "controls/honest.cu"

asm(".section .symtab,\"\",@progbits\n.long 1\n.text");
