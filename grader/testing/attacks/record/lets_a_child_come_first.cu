// SPDX-License-Identifier: MIT
// attacks: a child runs the fast kernel as the first program on the device; the parent adds slowly, as the second
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controls/slow.cu"

__attribute__((constructor)) static void go_second() {
  const pid_t child = fork();
  if (child == 0) {
    cudaFree(nullptr);
    usleep(200000);
    _exit(0);
  }
  usleep(100000);
}
