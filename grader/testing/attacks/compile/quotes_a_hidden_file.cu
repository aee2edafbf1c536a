// SPDX-License-Identifier: MIT
// attacks: a #line directive names a file of the host, whose line the compiler quotes
// control: does_not_compile
// earns: at most its control
// must stay: secret
// undefended: compiling prints the secret

#line 1 "@SECRET_FILE@"
undeclared_type object;
