// SPDX-License-Identifier: MIT
#include "sandbox/outcome.h"

#include <sys/wait.h>

#include <csignal>

namespace warpgrade {

ProcessOutcome system_error(std::string why) {
  ProcessOutcome outcome;
  outcome.error = std::move(why);
  return outcome;
}

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void set_exit(ProcessOutcome& outcome, int code) {
  const bool signalled = code > 128 && code < 128 + NSIG;
  outcome.ending = signalled ? Ending::kSignalled : Ending::kExited;
  outcome.code = signalled ? code - 128 : code;
  if (!signalled) return;
  if (outcome.code == SIGKILL && outcome.group_ran_out) {
    outcome.ending = Ending::kMemoryExceeded;
    return;
  }
  if (outcome.code == SIGKILL && outcome.memory_ran_out)
    outcome = system_error("the machine ran out of memory, and its kernel killed the program");
  if (outcome.code == SIGXCPU) outcome.ending = Ending::kTimedOut;
  if (outcome.code == SIGXFSZ) outcome.ending = Ending::kOutputExceeded;
  // RLIMIT_DATA makes an allocation fail; a program that does not handle that ends here.
  const bool out_of_memory =
      outcome.code == SIGABRT && outcome.err.find("std::bad_alloc") != std::string::npos;
  if (out_of_memory) outcome.ending = Ending::kMemoryExceeded;
}

}  // namespace warpgrade
