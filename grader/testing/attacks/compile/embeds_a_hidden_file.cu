// SPDX-License-Identifier: MIT
// attacks: the assembler puts a file of the host into the program
// control: does_not_compile
// earns: at most its control
// must stay: secret
// undefended: compiling keeps the secret

asm(".section .rodata\n.incbin \"@SECRET_FILE@\"\n.text");

static void attack() {}

#include "kit/attack_first.cu"
