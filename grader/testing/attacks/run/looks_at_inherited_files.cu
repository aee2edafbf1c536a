// SPDX-License-Identifier: MIT
// attacks: descriptors, environment and terminal that the grader may have left open
// control: honest
// earns: exactly its control
// must stay: secret
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

extern char** environ;

static void attack() {
  struct stat own {};
  fstat(1, &own);
  for (int file = 3; file < 256; ++file) {
    struct stat found {};
    if (fstat(file, &found) != 0) continue;
    char target[512] = {};
    readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), target, sizeof target - 1);
    const std::string path = target;
    // The device's own shared memory and the kit's folders have no name on the host.
    const bool is_ours = path.find("memfd:") != std::string::npos || path.find("/proc/") == 0 ||
                         path.find("/dev/null") == 0 || path.find("trace") != std::string::npos;
    reach((S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) && !is_ours, target);
  }
  reach(open("/dev/tty", O_RDWR) >= 0, "the terminal");
  reach(ioctl(0, TIOCSTI, "x") == 0, "the terminal's input");
  for (char** each = environ; *each != nullptr; ++each)
    reach(std::string(*each).find("SEED=") == 0 || std::string(*each).find("HOME=/root") == 0,
          *each);
}

#include "kit/attack_first.cu"
