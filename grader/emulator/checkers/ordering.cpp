// SPDX-License-Identifier: MIT
#include <initializer_list>

#include "emulator/checkers/watch.h"

namespace warpgrade::emulator {
namespace {

bool has_any(const ptx::Instruction& from, std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers) {
    if (from.has(modifier)) return true;
  }
  return false;
}

unsigned acquires_of(const ptx::Instruction& from) {
  return kAcquires | (has_any(from, {"acquire", "acq_rel"}) ? 0u : kRelaxed);
}

unsigned releases_of(const ptx::Instruction& from) {
  return has_any(from, {"release", "acq_rel"}) ? kReleases : 0u;
}

unsigned of_atomic(const ptx::Instruction& from) {
  return kStrong | kAtomic | releases_of(from) | (from.opcode == "atom" ? acquires_of(from) : 0u) |
         (from.has("exch") ? kReadsNothing : 0u) |
         (from.has("exch") || from.has("cas") ? kSwaps : 0u);
}

/// The phases of an mbarrier are followed one by one: watch_phase().
unsigned of_mbarrier(const ptx::Instruction& from) {
  return kStrong | kAtomic | kInBlock | (has_any(from, {"init", "inval"}) ? kReadsNothing : 0u);
}

unsigned of_copy(const ptx::Instruction& from) {
  if (from.has("mbarrier")) return kStrong | kAtomic | kInBlock | kCopies;
  // PTX ISA, cp.reduce.async.bulk: each reduction is .relaxed.gpu.
  if (from.has("bulk") && from.has("reduce")) return kStrong | kAtomic;
  if (from.has("bulk")) return kStrong | kAtomic | kInBlock | kReadsNothing;
  return kCopies;
}

}  // namespace

uint16_t ordering_of(const ptx::Instruction& from) {
  const unsigned scope = from.has("cta") ? kInBlock : 0u;
  unsigned ordering = 0;
  if (from.opcode == "st" && from.has("async")) {
    ordering = kStrong | kAtomic | kInBlock | kReadsNothing;
  } else if (from.opcode == "ld" || from.opcode == "st") {
    // .cg and .cv ask for what other threads have written.
    if (has_any(from, {"volatile", "relaxed", "acquire", "release", "mmio", "cg", "cv", "wt"}))
      ordering = kStrong | scope | releases_of(from) | acquires_of(from);
  } else if (from.opcode == "atom" || from.opcode == "red") {
    ordering = of_atomic(from) | scope;
  } else if (from.opcode == "membar" || from.opcode == "fence") {
    ordering = scope | kReleases;
  } else if (from.opcode == "mbarrier") {
    ordering = of_mbarrier(from);
  } else if (from.opcode == "cp") {
    ordering = of_copy(from);
  } else if (from.opcode == "wmma" || from.opcode == "ldmatrix" || from.opcode == "stmatrix") {
    ordering = kByWholeWarp;
  }
  return static_cast<uint16_t>(ordering);
}

}  // namespace warpgrade::emulator
