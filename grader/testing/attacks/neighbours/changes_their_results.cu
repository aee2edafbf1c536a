// SPDX-License-Identifier: MIT
// attacks: writes to results and answers of others, by the paths that a grader is likely to have
// control: honest
// earns: exactly its control
// must stay: host files, neighbours
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "kit/attack.h"

static void attack() {
  for (const char* student :
       {"aaa-neighbour", "mmm-neighbour", "zzz-neighbour", "control-honest"}) {
    for (const std::string& path : {std::string("@RESULTS@/results/") + student + ".json",
                                    std::string("@RESULTS@/students/") + student + ".txt",
                                    std::string("@CLASS@/") + student + "/vecadd.cu"}) {
      const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CREAT, 0666);
      reach(file >= 0, path.c_str());
    }
  }
  reach(open("@RESULTS@/seed", O_RDONLY) >= 0, "the seed");
  reach(unlink("@RESULTS@/grades.csv") == 0, "the grades");
}

#include "kit/attack_first.cu"
