// SPDX-License-Identifier: MIT
#include "sandbox/child.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/process_tree.h"

namespace warpgrade {
namespace {

constexpr int kCannotStart = 127;
constexpr rlim_t kOpenFiles = 256;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
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

bool apply_limits(const Launch& launch) {
  if (!launch.limits) return true;
  const ProcessLimits& limits = *launch.limits;
  return limit_cpu(static_cast<rlim_t>(limits.cpu_s)) && limit(RLIMIT_DATA, limits.memory_bytes) &&
         limit(RLIMIT_FSIZE, limits.file_bytes) && limit(RLIMIT_CORE, 0) &&
         limit(RLIMIT_NOFILE, kOpenFiles) &&
         (!launch.processes || limit(RLIMIT_NPROC, *launch.processes));
}

/// Puts each descriptor in its place and closes all others.
bool arrange_descriptors(const Launch& launch) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  // The sources may lie where a target goes, so all are first copied to free places above.
  const int sources[] = {null,          launch.out,         launch.err,
                         launch.status, launch.filter_pipe, launch.supervisor,
                         launch.control};
  constexpr int kCount = 7;
  int copies[kCount];
  for (int i = 0; i < kCount; ++i) {
    copies[i] = sources[i] < 0 ? -1 : ::fcntl(sources[i], F_DUPFD, kCount);
    if (sources[i] >= 0 && copies[i] < 0) return false;
  }
  int kept = 0;
  for (int i = 0; i < kCount; ++i) {
    if (sources[i] < 0) {
      ::close(i);
      continue;
    }
    if (::dup2(copies[i], i) < 0) return false;
    kept = i + 1;
  }
  return ::close_range(static_cast<unsigned>(kept), ~0u, 0) == 0;
}

/// "0" is whoever writes it.
bool enter_group(const Launch& launch) {
  for (const int door : launch.doors) {
    if (::write(door, "0", 1) != 1) return false;
  }
  return true;
}

// The calls themselves: glibc's functions would also change the parent's threads, whose memory we still share after vfork.
bool drop_to(uid_t user) {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
         ::syscall(SYS_setresgid, user, user, user) == 0 &&
         ::syscall(SYS_setresuid, user, user, user) == 0;
}

bool install(const std::vector<sock_filter>& filter) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void unblock_all_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void become(const Launch& launch, char* const* argv, char* const* environment) {
  unblock_all_signals();
  ::signal(SIGPIPE, SIG_DFL);
  const bool ready = (!launch.user || drop_to(*launch.user)) &&
                     ::chdir(launch.folder.c_str()) == 0 && apply_limits(launch) &&
                     // After drop_to: a change of user clears it.
                     ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
                     (launch.filter.empty() || install(launch.filter));
  if (ready) ::execve(argv[0], argv, environment);
  ::_exit(kCannotStart);
}

void kill_descendants(pid_t process) {
  for (const pid_t child : children_of(process)) {
    kill_descendants(child);
    ::kill(child, SIGKILL);
  }
}

/// Ends when the command has ended or somebody asked for it; then nothing of the command is left.
[[noreturn]] void supervise(pid_t command, const sigset_t& awaited) {
  int status = 0;
  for (bool ended = false; !ended;) {
    int signal = 0;
    ::sigwait(&awaited, &signal);
    if (signal == SIGTERM) break;
    int reaped = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &reaped, WNOHANG)) > 0;) {
      if (pid != command) continue;
      status = reaped;
      ended = true;
    }
  }
  // Orphans come to us (we are their subreaper), so this ends only when none is left.
  do {
    kill_descendants(::getpid());
  } while (::waitpid(-1, nullptr, 0) > 0);
  const ssize_t written = ::write(kStatusDescriptor, &status, sizeof status);
  ::_exit(written == sizeof status ? 0 : kCannotStart);
}

}  // namespace

pid_t start_directly(const Launch& launch) {
  const std::vector<char*> argv = pointers(launch.argv), environment = pointers(launch.environment);
  // vfork: copying the page tables of a grader that holds a class costs more than all the rest.
  const pid_t child = ::vfork();
  if (child != 0) return child;
  ::setsid();
  if (!enter_group(launch) || !arrange_descriptors(launch)) ::_exit(kCannotStart);
  become(launch, argv.data(), environment.data());
}

pid_t start_supervised(const Launch& launch) {
  const std::vector<char*> argv = pointers(launch.argv), environment = pointers(launch.environment);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
  if (!enter_group(launch) || !arrange_descriptors(launch)) ::_exit(kCannotStart);
  const pid_t command = ::fork();
  if (command < 0) ::_exit(kCannotStart);
  if (command > 0) supervise(command, awaited);
  ::close(kStatusDescriptor);
  become(launch, argv.data(), environment.data());
}

}  // namespace warpgrade
