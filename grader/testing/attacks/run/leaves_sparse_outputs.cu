// SPDX-License-Identifier: MIT
// attacks: outputs of a terabyte that take no disk, for the grader to read
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "kit/attack.h"

__attribute__((destructor)) static void leave() {
  for (int number = 0; number < 60; ++number) {
    const std::string name = number < 3 ? (number == 0   ? "C"
                                           : number == 1 ? "guards"
                                                         : "status")
                                        : "more" + std::to_string(number);
    for (const off_t bytes : {off_t{15} << 20, off_t{1} << 40})
      ftruncate(open((name + ".npy").c_str(), O_CREAT | O_WRONLY, 0600), bytes);
  }
}

static void attack() {}

#include "kit/attack_first.cu"
