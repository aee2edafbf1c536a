// SPDX-License-Identifier: MIT
// attacks: writes nonsense to every socket and pipe that it holds, as if the client had
// control: adds_on_the_host
// earns: at most its control
// must stay: neighbours, processes, memory
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

__attribute__((destructor)) static void speak() {
  static char bytes[1 << 16];
  for (const int pattern : {0x00, 0x01, 0x41, 0x7f, 0xff}) {
    std::memset(bytes, pattern, sizeof bytes);
    for (int file = 3; file < 64; ++file)
      for (const size_t size : {size_t{1}, size_t{8}, size_t{64}, sizeof bytes})
        if (send(file, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) break;
  }
}

#include "controls/adds_on_the_host.cu"
