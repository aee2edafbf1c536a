// SPDX-License-Identifier: MIT
// attacks: a program of so many terabytes that no machine loads it
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory
asm(".pushsection .lbss,\"aw\",@nobits\n.globl huge\nhuge: .skip 0x200000000000\n.popsection");
#include "controls/honest.cu"
