// SPDX-License-Identifier: MIT
// attacks: symbols with versions, aliases and weak bindings by which the driver's own might be met
// control: honest
// earns: at most its control
// must stay: neighbours
#include <cstdio>
extern "C" size_t my_write(const void*, size_t size, size_t count, FILE*) { return size * count; }
extern "C" int my_strcmp(const char*, const char*) { return 0; }
asm(".symver my_write, fwrite@GLIBC_2.2.5");
asm(".symver my_strcmp, strcmp@@GLIBC_2.2.5");
asm(".weak memcmp\n.set memcmp, my_strcmp");
asm(".globl fopen\n.set fopen, my_write");
asm(".hidden main\n.weak main\n.set main, my_strcmp");
#include "controls/honest.cu"
