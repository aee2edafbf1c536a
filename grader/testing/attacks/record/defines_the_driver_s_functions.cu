// SPDX-License-Identifier: MIT
// attacks: a strong definition of a template of the driver's, which says that no guard was touched
// control: overruns
// earns: at most its control
// must stay: neighbours

extern "C" bool _ZNK9warpgrade7harness7GuardedIfE9untouchedEv(const void*) { return true; }

#include "controls/overruns.cu"
