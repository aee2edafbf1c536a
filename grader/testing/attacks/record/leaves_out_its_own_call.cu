// SPDX-License-Identifier: MIT
// attacks: tells the driver, by the grader's own variable, that a range is left out
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <cstdlib>

__attribute__((constructor)) static void leave_out() {
  setenv("WARPGRADE_LEAVE_OUT", "next,add", 1);
}

#include "controls/wrong.cu"
