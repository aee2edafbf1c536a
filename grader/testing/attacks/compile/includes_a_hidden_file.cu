// SPDX-License-Identifier: MIT
// attacks: the compiler includes a file of the host, whose text the diagnostics quote
// control: does_not_compile
// earns: at most its control
// must stay: secret
// undefended: compiling prints the secret
#include "@SECRET_FILE@"
