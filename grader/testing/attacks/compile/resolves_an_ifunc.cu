// SPDX-License-Identifier: MIT
// attacks: the resolver of an indirect function, which the loader calls before all constructors
// control: 0
// earns: at most its control
// must stay: neighbours
#include "controls/honest.cu"

extern "C" {
static void nothing() {}
static void (*resolve())() { return nothing; }
void indirect() __attribute__((ifunc("resolve")));
}

__attribute__((constructor)) static void call() { indirect(); }
