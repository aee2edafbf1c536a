// SPDX-License-Identifier: MIT
// attacks: tells the driver, by the grader's own variables, to run smaller cases, many of them and many times
// control: slow
// earns: at most its control
// must stay: neighbours
#include <cstdlib>

__attribute__((constructor)) static void choose(int count, char** words, char**) {
  setenv("WARPGRADE_REPETITIONS", ",,,", 1);
  setenv("WARPGRADE_CASES", "32\t32\n32\t32", count > 4);
  if (count > 2 && words[1][0] == '2') words[1][1] = '\0';
}

#include "controls/slow.cu"
