// SPDX-License-Identifier: MIT
// attacks: sends again, to the device, each kind of message in another order: calls, launches and the end, by a second thread
// control: honest
// earns: at most its control
// must stay: neighbours, processes
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "kit/attack.h"

// While the client waits for a reply, another thread takes it, or asks something between.
static void attack() {
  static std::thread* const intruder = new std::thread([] {
    std::minstd_rand random(7);
    char bytes[512];
    for (int round = 0; round < 2000; ++round) {
      for (int file = 3; file < 16; ++file) {
        const ssize_t got = recv(file, bytes, sizeof bytes, MSG_DONTWAIT);
        for (ssize_t i = 0; i < got; ++i)
          bytes[i] ^= static_cast<char>(random() % 7 == 0 ? random() : 0);
        if (got > 0) send(file, bytes, static_cast<size_t>(got), MSG_DONTWAIT | MSG_NOSIGNAL);
      }
      usleep(100);
    }
  });
  (void)intruder;
}

#include "kit/attack_first.cu"
