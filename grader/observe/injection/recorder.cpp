// SPDX-License-Identifier: MIT
#include "observe/injection/recorder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace warpgrade::injection {

Recorder::Recorder(const std::string& path) : owner_(::getpid()) {
  if (path.empty()) return;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  struct stat status = {};
  const bool untouched = ::fstat(file, &status) == 0 && status.st_size == 0;
  // Another program that this one starts, or was started by, may have opened it and not written yet.
  const bool taken = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (untouched && !taken) {
    file_ = file;
  } else {
    ::close(file);
  }
}

Recorder::~Recorder() {
  if (file_ >= 0) ::close(file_);
}

void Recorder::ask_for_devices(std::function<Json()> devices) {
  const std::lock_guard lock(mutex_);
  devices_ = std::move(devices);
}

void Recorder::begin() {
  if (!writes_here()) return;
  const std::lock_guard lock(mutex_);
  begin_locked();
}

void Recorder::write(const char* type, const Json& fields) {
  if (!writes_here()) return;
  const std::lock_guard lock(mutex_);
  begin_locked();
  write_line(type, fields);
}

bool Recorder::writes_here() const { return enabled() && ::getpid() == owner_; }

void Recorder::begin_locked() {
  if (next_seq_ != 0) return;
  const Json devices = devices_ ? devices_() : Json::array();
  write_line("session", {{"version", 1}, {"source", "gpu"}, {"devices", devices}});
}

void Recorder::fail(const std::string& message) {
  if (failed_.exchange(true)) return;
  write("error", {{"message", message}});
}

void Recorder::write_line(const char* type, const Json& fields) {
  Json record = {{"type", type}, {"seq", next_seq_++}};
  record.update(fields);
  std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  line += '\n';
  while (::write(file_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace warpgrade::injection
