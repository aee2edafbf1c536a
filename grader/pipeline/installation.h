// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/files.h"
#include "build/toolchain.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {

/// Where things of this installation lie.
struct Paths {
  fs::path course;          ///< holds assignments/, skeletons/, reference/, rubrics/ and grader/
  fs::path device_library;  ///< our libcudart.so.13
  fs::path oracles;         ///< folder of the oracle-<slug> programs and driver-<slug>.o objects
  fs::path build_cache;     ///< may be empty: nothing is kept

  fs::path rubric(const std::string& slug) const { return course / "rubrics" / (slug + ".yaml"); }
  fs::path assignment(const std::string& slug) const { return course / "assignments" / slug; }
  fs::path skeleton(const std::string& slug) const { return course / "skeletons" / slug; }
  fs::path reference(const std::string& slug) const { return course / "reference" / slug; }
  fs::path oracle(const std::string& slug) const { return oracles / ("oracle-" + slug); }
  fs::path driver(const std::string& slug) const { return oracles / ("driver-" + slug + ".o"); }
};

/// What grading needs of this machine, found once.
struct Installation {
  Paths paths;
  Toolchain toolchain;
  LocalSandbox sandbox{SandboxBackend::kBubblewrap};  ///< for student code
  LocalSandbox trusted{SandboxBackend::kNone};        ///< for our own programs
};

}  // namespace warpgrade
