// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "base/files.h"

namespace warpgrade {

/// The grader's own files. In a build folder they lie where Meson puts them; where they were installed, in
/// `bin/`, `lib/warpgrade/` and `share/warpgrade/` of one prefix, which may be moved.
struct Engine {
  fs::path build = {};  ///< the build folder; empty where the engine is installed
  std::vector<fs::path> device_libraries = {};  ///< our libcudart, one for each toolkit
  fs::path device_program = {};                 ///< warpgrade-device
  fs::path supervisor = {};                     ///< room-supervisor
  fs::path probe = {};                          ///< gpu-probe
  fs::path tracer = {};                         ///< libwarpgrade-trace.so
  fs::path packer = {};                         ///< warpgrade-zip
  fs::path unpacker = {};                       ///< warpgrade-unpack
  fs::path assignments = {};  ///< folder of the oracle-<slug> programs and driver-<slug>.o objects
  fs::path oracle_library =
      {};  ///< what an oracle.cpp is linked with: its main() and all that it calls
  fs::path sources =
      {};  ///< holds grader/: headers that drivers include, templates; docs/, LICENSE
  fs::path portable = {};  ///< an installed engine with the libraries that it loads; may be missing

  /// Our library of that name, which programs of one toolkit load; empty where there is none.
  fs::path device_library(std::string_view name) const;
};

/// By the place of the program `warpgrade`, which is its own path without links.
Engine find_engine(const fs::path& program);

}  // namespace warpgrade
