// SPDX-License-Identifier: MIT
// attacks: an initialised array of three gigabytes
// control: does_not_compile
// earns: at most its control
// must stay: neighbours, memory

int array[3 << 28] = {1};
