// SPDX-License-Identifier: MIT
#include "pipeline/engine.h"

namespace warpgrade {
namespace {

/// The nearest folder from `folder` upwards that holds `path`; empty where none does.
fs::path holder_of(const fs::path& path, fs::path folder) {
  std::error_code ignored;
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / path, ignored)) return folder;
  }
  return {};
}

Engine installed_engine(const fs::path& prefix) {
  const fs::path parts = prefix / "lib/warpgrade";
  return {.build = {},
          .device_libraries = {parts / "libcudart.so.13", parts / "libcudart.so.12",
                               parts / "libcudart.so.11.0"},
          .device_program = parts / "warpgrade-device",
          .supervisor = parts / "room-supervisor",
          .probe = parts / "gpu-probe",
          .tracer = parts / "libwarpgrade-trace.so",
          .packer = parts / "warpgrade-zip",
          .unpacker = parts / "warpgrade-unpack",
          .assignments = parts / "assignments",
          .oracle_library = parts / "libwarpgrade-oracle.a",
          .sources = prefix / "share/warpgrade",
          .portable = prefix};
}

Engine built_engine(const fs::path& build) {
  return {.build = build,
          .device_libraries = {build / "grader/cudart/libcudart.so.13",
                               build / "grader/cudart/toolkit12/libcudart.so.12",
                               build / "grader/cudart/toolkit11/libcudart.so.11.0"},
          .device_program = build / "grader/emulator/device/warpgrade-device",
          .supervisor = build / "grader/sandbox/room-supervisor",
          .probe = build / "grader/run/gpu/gpu-probe",
          .tracer = build / "grader/observe/injection/libwarpgrade-trace.so",
          .packer = build / "grader/course/warpgrade-zip",
          .unpacker = build / "grader/intake/warpgrade-unpack",
          .assignments = build / "assignments",
          .oracle_library = build / "grader/check/libwarpgrade-oracle.a",
          .sources = holder_of("grader/harness", build.parent_path()),
          .portable = build / "grader/package/engine"};
}

}  // namespace

fs::path Engine::device_library(std::string_view name) const {
  for (const fs::path& library : device_libraries) {
    if (library.filename() == name) return library;
  }
  return {};
}

Engine find_engine(const fs::path& program) {
  std::error_code ignored;
  const fs::path folder = program.parent_path(), prefix = folder.parent_path();
  if (fs::exists(prefix / "lib/warpgrade/warpgrade-device", ignored))
    return installed_engine(prefix);
  const fs::path build = holder_of("build.ninja", folder);
  return built_engine(build.empty() ? folder : build);
}

}  // namespace warpgrade
