// SPDX-License-Identifier: MIT
// attacks: a #line directive names a file of the host, beside whose lines a page might show findings
// control: reads_uninitialised
// earns: at most its control
// must stay: secret, reports

#line 1 "@SECRET_FILE@"
#include "controls/reads_uninitialised.cu"
