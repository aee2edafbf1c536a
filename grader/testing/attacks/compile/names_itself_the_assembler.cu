// SPDX-License-Identifier: MIT
// attacks: a mistake in a file that calls itself the assembler, which a full disk seems to have stopped
// control: does_not_compile
// earns: exactly its control
// must stay: neighbours
#line 5 "as: x"
#error No space left on device
