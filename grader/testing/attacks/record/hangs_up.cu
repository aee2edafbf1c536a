// SPDX-License-Identifier: MIT
// attacks: closes every descriptor after its kernel, so that the device hears nothing more
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <unistd.h>

#include "controls/slow.cu"

__attribute__((destructor)) static void hang_up() {
  for (int file = 3; file < 256; ++file) close(file);
}
