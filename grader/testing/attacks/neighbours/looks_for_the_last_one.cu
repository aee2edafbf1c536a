// SPDX-License-Identifier: MIT
// attacks: leaves a mark in every place that it can write, and looks for marks that an earlier run left
// control: honest
// earns: exactly its control
// must stay: neighbours, host files
// handed in: twice
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  const char* const variable = getenv("WARPGRADE_CASE");
  const std::string folder = variable == nullptr ? "." : variable;
  for (const std::string& place :
       {std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm"), std::string("/dev"),
        std::string("/run"), std::string("/"), folder, folder + "/out", folder + "/log"}) {
    const std::string name = place + "/@MARK@";
    reach(access(name.c_str(), F_OK) == 0, name.c_str());
    close(open(name.c_str(), O_CREAT | O_WRONLY, 0666));
    char text[8];
    reach(getxattr(place.c_str(), "user.mark", text, sizeof text) > 0, "an attribute of a folder");
    setxattr(place.c_str(), "user.mark", "1", 1, 0);
  }
}

#include "kit/attack_first.cu"
