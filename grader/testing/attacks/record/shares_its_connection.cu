// SPDX-License-Identifier: MIT
// attacks: a child uses the connection of its parent, in the midst of what the parent asks
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

#define BEFORE_THE_KERNEL(c, a, b, n)                                          \
  if ((child = fork()) == 0) {                                                 \
    for (int i = 0; i < 50; ++i) cudaMemset(c, 0, 4), cudaDeviceSynchronize(); \
    _exit(0);                                                                  \
  }
#define AFTER_THE_KERNEL(c, a, b, n) usleep(1000)
#include "controls/slow.cu"
