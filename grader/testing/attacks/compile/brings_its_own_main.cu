// SPDX-License-Identifier: MIT
// attacks: the answer has a main() of its own, which says that all is well
// control: does_not_compile
// earns: at most its control
// must stay: neighbours
#include <cstdio>
#include <cstdlib>

int main() {
  std::printf("score: 100\n");
  std::_Exit(0);
}
