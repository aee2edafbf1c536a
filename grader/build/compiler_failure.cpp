// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// What a compiler prints is partly the student's: a message of #error or static_assert, the name of a
// file by #line. So what it prints about the machine is doubtful. The builder then compiles a file of
// its own, and where that succeeds the source is to blame. What was seen from outside is certain: a
// full disk, a kernel that killed processes for lack of memory.
//
// The limits on memory, processor time and file sizes hold for each process of a compiler. The
// kernel makes an allocation fail, or sends SIGXCPU or SIGXFSZ; it sends SIGKILL only where the
// whole machine has no memory left.
#include "build/compiler_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <regex>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kLongestQuote = 200;
constexpr const char* kWroteTooMuch =
    "the compiler had too much to say about it, or wrote files that are too large";

FailureCause students(std::string sentence) { return {false, std::move(sentence)}; }
FailureCause machines(std::string sentence) { return {true, std::move(sentence)}; }
FailureCause machines_perhaps(std::string sentence) { return {true, std::move(sentence), true}; }

bool says(const FailedCall& call, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view each) {
    return call.output.find(each) != std::string::npos;
  });
}

/// A pass that ended by one of these signals, as nvcc and gcc put it.
bool pass_ended_by(const FailedCall& call, int number, std::string_view name) {
  return says(call, {fmt::format("died due to signal {} ", number),
                     fmt::format("{} signal terminated program", name)});
}

/// Where the kernel commits no more memory than there is, an allocation fails for others' needs too.
bool allocations_fail_for_others() {
  int policy = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> policy;
  return policy == 2;
}

bool lacked_memory(const FailedCall& call) {
  const bool used_much = call.outcome.max_rss_bytes >= call.memory_bytes / 2;
  const bool was_refused = says(call, {"out of memory", "bad_alloc", "memory exhausted"});
  const bool crashed = call.outcome.ending == Ending::kSignalled || says(call, {"died due to"});
  return (was_refused && !allocations_fail_for_others()) || (used_much && (was_refused || crashed));
}

std::string last_line(const FailedCall& call) {
  const std::string line = printable(split(trim(call.output), '\n').back());
  return line.empty() ? "" : ": " + line.substr(0, kLongestQuote);
}

const Diagnostic* mistake_in_source(const FailedCall& call) {
  const auto found =
      std::find_if(call.diagnostics.begin(), call.diagnostics.end(), [](const Diagnostic& each) {
        return each.severity == Severity::kError && each.is_of_source();
      });
  return found == call.diagnostics.end() ? nullptr : &*found;
}

/// A mistake that the front end counts but gives no line of, such as a brace that is never closed: "At
/// end of source: error: ...". Empty where it counted none.
std::string mistake_without_place(const FailedCall& call) {
  if (!says(call, {"detected in the compilation of"})) return "";
  for (const std::string& line : split(call.output, '\n')) {
    if (line.find("error: ") != std::string::npos) return printable(line.substr(0, kLongestQuote));
  }
  return "";
}

}  // namespace

FailureCause cause_of(const FailedCall& call) {
  switch (call.outcome.ending) {
    case Ending::kTimedOut:
      return students(fmt::format("compiling it was stopped after {} s", call.compile_s));
    case Ending::kMemoryExceeded:
      return students("compiling it took more memory than allowed");
    case Ending::kOutputExceeded:
      return students(kWroteTooMuch);
    default:
      break;
  }
  const bool was_killed =
      pass_ended_by(call, SIGKILL, "Killed") ||
      (call.outcome.ending == Ending::kSignalled && call.outcome.code == SIGKILL);
  const std::string disk = "the disk was full or failed while the compiler ran" + last_line(call);
  if (call.disk_is_full || call.outcome.disk_was_full) return machines(disk);
  if (machine_error_in(call.output)) return machines_perhaps(disk);
  const std::string killed = "something killed the compiler, as a lack of memory does";
  if (was_killed) return call.memory_ran_out ? machines(killed) : machines_perhaps(killed);
  if (const Diagnostic* const mistake = mistake_in_source(call))
    return students(to_string(*mistake));
  if (const std::string mistake = mistake_without_place(call); !mistake.empty())
    return students(mistake);
  if (pass_ended_by(call, SIGXCPU, "CPU time limit exceeded"))
    return students(fmt::format("compiling it was stopped after {} s", call.compile_s));
  if (pass_ended_by(call, SIGXFSZ, "File size limit exceeded")) return students(kWroteTooMuch);
  if (lacked_memory(call)) return students("compiling it took more memory than allowed");
  return machines_perhaps(
      fmt::format("the compiler failed and named no mistake in the source ({} {}){}",
                  call.outcome.ending == Ending::kSignalled ? "signal" : "status",
                  call.outcome.code, last_line(call)));
}

}  // namespace warpgrade
