// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// The first process of a room's namespaces. It starts one command at a time, each a fresh process
// under limits of its own, and lets nothing of it outlive it: kill(-1) reaches every other process
// of the namespace, and then /tmp and /dev/shm are emptied. Where any of that fails it ends, the
// kernel ends the namespace with it, and the grader opens another room.
//
// Commands run as the same user. As process 1 it receives no signal of theirs, and as it is not
// dumpable they can neither open its memory nor its descriptors.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sandbox/room_protocol.h"

namespace warpgrade {
namespace {

constexpr rlim_t kOpenFiles = 256;
constexpr mode_t kOpenFolder = 0755;

struct Request {
  RoomRequest head{};
  const char* folder = nullptr;
  std::vector<char*> arguments, variables;
  int out = -1, err = -1;
};

[[noreturn]] void give_up() { ::_exit(1); }

/// The next word of the message, or the end of everything where there is none.
char* take_word(char*& at, const char* end) {
  char* const word = at;
  void* const stop = std::memchr(at, '\0', static_cast<size_t>(end - at));
  if (stop == nullptr) give_up();
  at = static_cast<char*>(stop) + 1;
  return word;
}

void take_descriptors(msghdr& message, Request& request) {
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  int both[2];
  if (control == nullptr || control->cmsg_type != SCM_RIGHTS ||
      control->cmsg_len != CMSG_LEN(sizeof both))
    give_up();
  std::memcpy(both, CMSG_DATA(control), sizeof both);
  request.out = both[0];
  request.err = both[1];
}

/// `words` is what the request points into. Ends with the grader.
Request receive(std::vector<char>& words) {
  Request request;
  words.resize(kLargestRequestBytes);
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  iovec parts[] = {{&request.head, sizeof request.head}, {words.data(), words.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(kControlDescriptor, &message, MSG_CMSG_CLOEXEC);
  if (got < static_cast<ssize_t>(sizeof request.head) || (message.msg_flags & MSG_CTRUNC) != 0)
    give_up();
  take_descriptors(message, request);
  char* at = words.data();
  const char* const end = at + (static_cast<size_t>(got) - sizeof request.head);
  request.folder = take_word(at, end);
  for (uint32_t i = 0; i < request.head.arguments; ++i)
    request.arguments.push_back(take_word(at, end));
  for (uint32_t i = 0; i < request.head.variables; ++i)
    request.variables.push_back(take_word(at, end));
  request.arguments.push_back(nullptr);
  request.variables.push_back(nullptr);
  return request;
}

bool limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

/// SIGXCPU at the limit, which says why; SIGKILL, which others send too, a second later.
bool limit_cpu(rlim_t seconds) {
  const rlimit both{seconds, seconds + 1};
  return ::setrlimit(RLIMIT_CPU, &both) == 0;
}

bool apply_limits(const RoomRequest& limits) {
  return limit_cpu(limits.cpu_s) && limit(RLIMIT_DATA, limits.memory_bytes) &&
         limit(RLIMIT_FSIZE, limits.file_bytes) && limit(RLIMIT_CORE, 0) &&
         limit(RLIMIT_NOFILE, kOpenFiles) && limit(RLIMIT_NPROC, limits.processes);
}

/// In the child: becomes the command, or writes to `failure` why it cannot.
[[noreturn]] void become(const Request& request, int failure) {
  ::setsid();
  const bool ready = ::dup2(request.out, STDOUT_FILENO) >= 0 &&
                     ::dup2(request.err, STDERR_FILENO) >= 0 &&
                     ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0 &&
                     ::chdir(request.folder) == 0 && apply_limits(request.head);
  if (ready) ::execve(request.arguments[0], request.arguments.data(), request.variables.data());
  const int error = errno;
  const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(written == sizeof error ? 127 : 126);
}

RoomReply wait_for(pid_t command) {
  RoomReply reply{};
  for (pid_t pid = 0; pid != command;) {
    int status = 0;
    rusage usage{};
    pid = ::wait4(-1, &status, 0, &usage);
    if (pid < 0 && errno != EINTR) give_up();
    reply.wait_status = status;
    reply.max_rss_bytes = usage.ru_maxrss * 1024L;
  }
  ::kill(-1, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) ::kill(-1, SIGKILL);
  return reply;
}

RoomReply run(const Request& request) {
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0) give_up();
  const pid_t command = ::fork();
  if (command < 0) give_up();
  if (command == 0) become(request, failure[1]);
  for (const int fd : {failure[1], request.out, request.err}) ::close(fd);
  int error = 0;
  if (::read(failure[0], &error, sizeof error) != sizeof error) error = 0;
  ::close(failure[0]);
  RoomReply reply = wait_for(command);
  reply.error = error;
  return reply;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* const entries = ::fdopendir(::dup(folder));
  if (entries == nullptr) give_up();
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(entries);
  return names;
}

/// Removes all that lies on `device`: what is mounted below, the room's view, stays, and so do the
/// folders it is mounted in. True where nothing stayed.
bool empty(int parent, const char* name, dev_t device) {
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) give_up();
  bool all = true;
  for (const std::string& entry : names_in(folder)) {
    struct stat info {};
    if (::fstatat(folder, entry.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) give_up();
    if (info.st_dev != device) {
      all = false;
      continue;
    }
    const bool is_folder = S_ISDIR(info.st_mode);
    // A command may have closed its folders to itself, and so to us.
    if (is_folder && ::fchmodat(folder, entry.c_str(), kOpenFolder, 0) != 0) give_up();
    const bool removable = !is_folder || empty(folder, entry.c_str(), device);
    if (removable && ::unlinkat(folder, entry.c_str(), is_folder ? AT_REMOVEDIR : 0) != 0)
      give_up();
    all = all && removable;
  }
  ::close(folder);
  return all;
}

void empty(const char* folder) {
  struct stat info {};
  if (::stat(folder, &info) != 0) give_up();
  empty(AT_FDCWD, folder, info.st_dev);
}

[[noreturn]] void serve() {
  ::prctl(PR_SET_NAME, "room-supervisor");
  // First of all: no command may look into this process.
  if (::prctl(PR_SET_DUMPABLE, 0) != 0 || ::getpid() != 1) give_up();
  std::vector<char> words;
  for (;;) {
    for (const char* folder : {"/tmp", "/dev/shm"}) empty(folder);
    if (::send(kControlDescriptor, &kReady, sizeof kReady, MSG_NOSIGNAL) != sizeof kReady)
      give_up();
    const RoomReply reply = run(receive(words));
    if (::send(kControlDescriptor, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) give_up();
  }
}

}  // namespace
}  // namespace warpgrade

int main() { warpgrade::serve(); }
