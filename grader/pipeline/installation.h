// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "build/toolchain.h"
#include "pipeline/engine.h"
#include "pipeline/instruments.h"
#include "run/gpu/gpu_runner.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {

/// Where engine, course and cache lie.
struct Paths {
  fs::path course;  ///< holds assignments/, skeletons/, reference/ and rubrics/
  Engine engine;
  fs::path build_cache;  ///< may be empty: nothing is kept

  fs::path rubric(const std::string& slug) const { return course / "rubrics" / (slug + ".yaml"); }
  fs::path assignment(const std::string& slug) const { return course / "assignments" / slug; }
  fs::path skeleton(const std::string& slug) const { return course / "skeletons" / slug; }
  fs::path reference(const std::string& slug) const { return course / "reference" / slug; }
  fs::path driver(const std::string& slug) const {
    return engine.assignments / ("driver-" + slug + ".o");
  }
};

/// The machine's GPUs and what programs need to run on them.
struct GpuInstallation {
  GpuMachine machine;
  GpuTools tools;
  Instruments instruments;
  bool is_timed = true;  ///< else speed is modelled as where there is no GPU
};

/// Where speed is judged. kAuto: on a GPU where one will do, by the time model otherwise. kGpu: on a
/// GPU or not at all.
enum class DeviceChoice { kAuto, kEmulated, kGpu };

/// What grading needs of this machine, found once.
struct Installation {
  Paths paths;
  Toolchain toolchain;
  LocalSandbox sandbox{SandboxBackend::kBubblewrap};  ///< for student code
  bool is_unsafe = false;                       ///< No sandbox confines it: --unsafe-no-sandbox.
  LocalSandbox trusted{SandboxBackend::kNone};  ///< for our own programs
  DeviceChoice device = DeviceChoice::kAuto;
  std::optional<GpuInstallation> gpu = {};  ///< none where none is wanted, or none can be used
  std::string why_no_gpu = {};
};

}  // namespace warpgrade
