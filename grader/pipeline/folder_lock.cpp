// SPDX-License-Identifier: MIT
#include "pipeline/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace warpgrade {

FolderLock::FolderLock(const fs::path& folder) {
  // A file of its own: NFS locks only what is open for writing, and a file that is replaced keeps nobody waiting.
  file_ = Descriptor(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  while (file_ && ::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace warpgrade
