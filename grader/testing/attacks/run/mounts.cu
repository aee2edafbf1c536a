// SPDX-License-Identifier: MIT
// attacks: mounts file systems, by the old calls and by the new ones
// control: honest
// earns: exactly its control
// must stay: host files
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  reach(mount("none", "/tmp", "tmpfs", 0, nullptr) == 0, "mount");
  reach(mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0, "a remount");
  reach(umount2("/proc", MNT_DETACH) == 0, "umount");
  static const long kOpenTree = 428, kFsopen = 430, kFsmount = 432, kMountSetattr = 442;
  reach(syscall(kFsopen, "tmpfs", 0) >= 0, "fsopen");
  reach(syscall(kOpenTree, -100, "/", 1) >= 0, "open_tree with a clone");
  reach(syscall(kFsmount, 0, 0, 0) >= 0, "fsmount");
  unsigned long long attributes[4] = {0, 1, 0, 0};
  reach(syscall(kMountSetattr, -100, "/usr", 0, attributes, sizeof attributes) == 0,
        "mount_setattr");
}

#include "kit/attack_first.cu"
