// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade::injection {

/// While one lives, what its thread asks of the driver is the library's own work and not recorded:
/// CUPTI reports calls made inside its callbacks like any others.
class OwnWork {
 public:
  OwnWork() { ++depth(); }
  ~OwnWork() { --depth(); }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  static bool is_going_on() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int depth = 0;
    return depth;
  }
};

}  // namespace warpgrade::injection
