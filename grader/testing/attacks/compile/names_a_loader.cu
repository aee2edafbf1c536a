// SPDX-License-Identifier: MIT
// attacks: a .interp section of its own, so that another program loads this one
// control: honest
// earns: at most its control
// must stay: neighbours

__attribute__((section(".interp"), used)) static const char loader[] = "/bin/false";
#include "controls/honest.cu"
