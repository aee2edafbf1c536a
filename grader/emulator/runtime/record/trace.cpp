// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emulator/runtime/host.h"

namespace warpgrade::emulator {
namespace {

/// The status of a program that calls on and on.
constexpr int kTooManyCallsExit = 98;

}  // namespace

Trace::Trace(const std::string& path, size_t limit_bytes) : limit_bytes_(limit_bytes) {
  if (path.empty()) return;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fmt::print(stderr, "warpgrade: cannot write {}: {}\n", path, std::strerror(errno));
}

Trace::~Trace() {
  if (file_ >= 0) ::close(file_);
}

bool Trace::enabled() const { return file_ >= 0; }

void Trace::end() {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void Trace::write(const char* type, const Json& fields) {
  if (!enabled()) return;
  const std::lock_guard lock(mutex_);
  Json record = {{"type", type}, {"seq", next_seq_++}};
  record.update(fields);
  std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  line += '\n';
  written_bytes_ += line.size();
  if (limit_bytes_ != 0 && written_bytes_ > limit_bytes_) end_program(kTooManyCallsExit);
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<size_t>(written);
  }
  if (done == line.size()) return;
  // A full disk: half a line shall stay the last one.
  ::close(file_);
  file_ = -1;
}

}  // namespace warpgrade::emulator
