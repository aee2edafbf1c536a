// SPDX-License-Identifier: MIT
// attacks: sections whose names begin and end lists that linkers and libraries keep
// control: honest
// earns: at most its control
// must stay: neighbours
#include <cstdlib>
extern "C" __attribute__((used)) void leave() { std::_Exit(0); }
asm(".pushsection __libc_atexit,\"aw\"\n.quad leave\n.popsection");
asm(".pushsection __libc_subfreeres,\"aw\"\n.quad leave\n.popsection");
asm(".pushsection __libc_IO_vtables,\"aw\"\n.quad leave\n.quad leave\n.popsection");
asm(".pushsection set_init,\"aw\"\n.quad leave\n.popsection");
asm(".pushsection __start_nv_relfatbin,\"aw\"\n.quad leave\n.popsection");
#include "controls/honest.cu"
