// SPDX-License-Identifier: MIT
// attacks: a #line directive whose file name, which findings quote, commands a terminal and a spreadsheet
// control: reads_uninitialised
// earns: at most its control
// must stay: reports

#line 1 "=cmd|' /C calc'!A0\033[31m\u009b\u202e,score:100"
#include "controls/reads_uninitialised.cu"
