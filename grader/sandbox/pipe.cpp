// SPDX-License-Identifier: MIT
#include "sandbox/pipe.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "sandbox/system_call_filter.h"

namespace warpgrade {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<Pipe> make_filter_pipe(bool loopback) {
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe;
  const std::vector<sock_filter> filter = system_call_filter(loopback);
  const size_t bytes = filter.size() * sizeof(sock_filter);
  if (::write(pipe->write.get(), filter.data(), bytes) != static_cast<ssize_t>(bytes))
    return Error{"cannot pass the system call filter"};
  pipe->write.reset();
  return pipe;
}

std::string read_rest(int fd) {
  std::string text(4096, '\0');
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  const ssize_t got = ::read(fd, text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

}  // namespace warpgrade
