// SPDX-License-Identifier: MIT
// attacks: outputs without an end
// control: 0
// earns: at most its control
// must stay: neighbours, host files
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

static void attack() {
  static char bytes[1 << 20];
  for (int number = 0;; ++number) {
    const int file =
        open(("more" + std::to_string(number) + ".npy").c_str(), O_CREAT | O_WRONLY, 0600);
    while (write(file, bytes, sizeof bytes) > 0) {
    }
    close(file);
  }
}

#include "kit/attack_first.cu"
