// SPDX-License-Identifier: MIT
#include "sandbox/system_call_filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace warpgrade {
namespace {

constexpr uint32_t kRefused[] = {
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_bpf,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_unshare,
    SYS_setns,
    SYS_userfaultfd,
    SYS_perf_event_open,
    SYS_open_by_handle_at,
    SYS_pivot_root,
    SYS_chroot,
    // The newer way to mount.
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    // Descriptors of other processes.
    SYS_pidfd_getfd,
    // Memory that neither its process's size nor a control group shows.
    SYS_memfd_secret,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    // A filter of the program's own, under which the libraries that observe it would see what it likes.
    SYS_seccomp,
    // These outlive the process that made them.
    SYS_shmget,
    SYS_semget,
    SYS_msgget,
    SYS_mq_open,
};
// With ENOSYS, as from a kernel that is older: glibc then takes clone, whose flags a filter can see.
constexpr uint32_t kAbsent[] = {SYS_clone3};
// Each makes a namespace; in a user namespace of its own a program may mount file systems without a limit.
constexpr uint32_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr uint32_t kFirstX32Call = 0x40000000;

constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kDeny = SECCOMP_RET_ERRNO | ENOSYS;

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}
sock_filter end(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }
sock_filter skip_unless(uint16_t test, uint32_t value, uint8_t count) {
  return BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, 0, count);
}

}  // namespace

std::vector<sock_filter> system_call_filter(bool loopback) {
  std::vector<sock_filter> program = {
      load(offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      end(SECCOMP_RET_KILL_PROCESS),
      load(offsetof(seccomp_data, nr)),
      skip_unless(BPF_JGE, kFirstX32Call, 1),
      end(kRefuse),
  };
  for (const uint32_t call : kRefused) {
    program.push_back(skip_unless(BPF_JEQ, call, 1));
    program.push_back(end(kRefuse));
  }
  for (const uint32_t call : kAbsent) {
    program.push_back(skip_unless(BPF_JEQ, call, 1));
    program.push_back(end(kDeny));
  }
  const std::vector<sock_filter> by_clone = {
      skip_unless(BPF_JEQ, SYS_clone, 4),
      load(offsetof(seccomp_data, args)),
      skip_unless(BPF_JSET, kNamespaces, 1),
      end(kRefuse),
      end(kAllow),
  };
  program.insert(program.end(), by_clone.begin(), by_clone.end());
  // A program sets limits of its own process only: the supervisor of its room runs as the same user.
  const std::vector<sock_filter> by_prlimit = {
      skip_unless(BPF_JEQ, SYS_prlimit64, 4),
      load(offsetof(seccomp_data, args)),
      skip_unless(BPF_JEQ, 0, 1),
      end(kAllow),
      end(kRefuse),
  };
  program.insert(program.end(), by_prlimit.begin(), by_prlimit.end());
  // The other way to make a filter.
  const std::vector<sock_filter> by_prctl = {
      skip_unless(BPF_JEQ, SYS_prctl, 4),
      load(offsetof(seccomp_data, args)),
      skip_unless(BPF_JEQ, PR_SET_SECCOMP, 1),
      end(kRefuse),
      end(kAllow),
  };
  program.insert(program.end(), by_prctl.begin(), by_prctl.end());
  std::vector<uint32_t> families = {AF_UNIX};
  if (loopback) families.insert(families.end(), {AF_INET, AF_INET6});
  program.push_back(
      skip_unless(BPF_JEQ, SYS_socket, static_cast<uint8_t>(2 * families.size() + 2)));
  program.push_back(load(offsetof(seccomp_data, args)));
  for (const uint32_t family : families) {
    program.push_back(skip_unless(BPF_JEQ, family, 1));
    program.push_back(end(kAllow));
  }
  program.push_back(end(kRefuse));
  program.push_back(end(kAllow));
  return program;
}

}  // namespace warpgrade
