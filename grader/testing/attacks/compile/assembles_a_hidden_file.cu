// SPDX-License-Identifier: MIT
// attacks: the assembler reads a file of the host as its own source, and quotes it
// control: does_not_compile
// earns: at most its control
// must stay: secret

asm(".include \"@SECRET_FILE@\"");

#include "kit/attack_first.cu"
