// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// Two files for each GPU, <uuid>.gate and <uuid>.lock, both locked by flock(2), which the kernel gives up with the
// process. Whoever wants the GPU first takes the gate, alone, then the lock, shared or alone, and then opens the gate
// again. One who waits for the lock alone keeps the gate closed meanwhile: those who hold the lock finish, and no
// others come in between.
#include "run/gpu/gpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace warpgrade {
namespace {

constexpr std::chrono::milliseconds kPollEvery{5};
constexpr mode_t kForAll = 01777;
constexpr mode_t kReadable = 0644;

/// Reading is enough to lock, so a file of another user will do. It is not opened by O_CREAT: in a folder like this the
/// kernel may refuse that to all but its owner.
Result<Descriptor> open_file(const fs::path& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  for (;;) {
    Descriptor file(::open(path.c_str(), kFlags));
    if (!file && errno == ENOENT)
      file = Descriptor(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kReadable));
    if (file) {
      // As its owner, whatever the umask was.
      if (::fchmod(file.get(), kReadable) != 0) errno = 0;
      return Result<Descriptor>(std::move(file));
    }
    if (errno != EEXIST)
      return Error{fmt::format("cannot open {}: {}", path.string(), std::strerror(errno))};
  }
}

Status make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (::mkdir(folder.c_str(), kForAll) == 0) {
    // mkdir heeds the umask.
    if (::chmod(folder.c_str(), kForAll) == 0) return {};
  } else if (errno == EEXIST) {
    return {};
  }
  return Error{fmt::format("cannot make {}: {}", folder.string(), std::strerror(errno))};
}

/// True where the lock was taken, false where another one holds it.
Result<bool> try_lock(const Descriptor& file, int how) {
  while (::flock(file.get(), how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return Error{fmt::format("cannot lock: {}", std::strerror(errno))};
  }
  return true;
}

}  // namespace

Status GpuLockRequest::open() {
  if (gate_) return {};
  if (Status made = make_folder(folder_); !made) return made;
  Result<Descriptor> gate = open_file(folder_ / (uuid_ + ".gate"));
  Result<Descriptor> lock = open_file(folder_ / (uuid_ + ".lock"));
  if (!gate || !lock) return (gate ? lock : gate).error();
  gate_ = std::move(*gate);
  lock_ = std::move(*lock);
  return {};
}

Result<GpuLock> GpuLockRequest::poll() {
  if (Status opened = open(); !opened) return opened.error();
  if (!has_gate_) {
    const Result<bool> through = try_lock(gate_, LOCK_EX);
    if (!through) return through.error();
    has_gate_ = *through;
    if (!has_gate_) return Result<GpuLock>(GpuLock());
  }
  const Result<bool> taken = try_lock(lock_, use_ == GpuUse::kShared ? LOCK_SH : LOCK_EX);
  if (!taken) return taken.error();
  if (!*taken) return Result<GpuLock>(GpuLock());
  gate_.reset();
  has_gate_ = false;
  return Result<GpuLock>(GpuLock(std::move(lock_)));
}

Result<GpuLock> take_gpu_lock(const fs::path& folder, const std::string& uuid, GpuUse use,
                              std::chrono::milliseconds patience, Clock& clock) {
  const std::chrono::milliseconds end = clock.now() + patience;
  GpuLockRequest request(folder, uuid, use);
  for (;;) {
    Result<GpuLock> lock = request.poll();
    if (!lock || *lock || clock.now() >= end) return lock;
    clock.sleep(kPollEvery);
  }
}

}  // namespace warpgrade
