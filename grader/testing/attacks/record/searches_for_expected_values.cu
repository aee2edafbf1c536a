// SPDX-License-Identifier: MIT
// attacks: looks for the expected sums in its memory and in all files that it sees
// control: honest
// earns: exactly its control
// must stay: secret
#include <dirent.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

static int left = 3000;

static void search(const std::string& folder) {
  DIR* const listing = opendir(folder.c_str());
  while (const dirent* const entry =
             listing == nullptr || left-- <= 0 ? nullptr : readdir(listing)) {
    const std::string name = entry->d_name, path = folder + "/" + name;
    if (name[0] == '.') continue;
    reach(name.find("expected") != std::string::npos || name.find("oracle") != std::string::npos,
          path.c_str());
    reach(name == "C.npy" && folder.find("/out") == std::string::npos, path.c_str());
    if (entry->d_type == DT_DIR) search(path);
  }
  if (listing != nullptr) closedir(listing);
}

static void attack() {
  const char* const variable = getenv("WARPGRADE_CASE");
  const std::string folder = variable == nullptr ? "." : variable;
  for (const std::string& place :
       {folder, folder + "/..", folder + "/../..", std::string("/tmp"), std::string("/dev/shm")})
    search(place);
}

#include "kit/attack_first.cu"
