// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "observe/injection/handles.h"
#include "observe/injection/recorder.h"

namespace warpgrade::injection {

/// One end of a copy. An array is device memory that has no address.
struct CopySide {
  uint64_t address = 0;
  size_t pitch = 0, slice_pitch = 0;
  bool is_array = false;
  bool is_symbol = false;  ///< A __device__ or __constant__ variable, known by its name only.
};

/// What a call copies: `depth` slices of `height` rows of `width` bytes.
struct Copy {
  CopySide to, from;
  size_t width = 0, height = 1, depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

/// A call as a trace tells it: under the runtime's name, with the arguments that the emulated device
/// records. "direction" and the hashes of a copy are not among them: they take a look at the memory.
struct DecodedCall {
  std::string name;
  Json args = Json::object();
  std::optional<Copy> copy;
};

/// While a call is decoded.
struct CallToDecode {
  const void* params;  ///< As CUPTI hands them out.
  bool succeeded;      ///< What a failed call was to give is not looked at.
  Handles& handles;
  DecodedCall& out;

  template <class Params>
  const Params& as() const {
    return *static_cast<const Params*>(params);
  }
  void note(const char* key, uint64_t value) { out.args[key] = value; }
  void note_int(const char* key, int value) { out.args[key] = value; }
  void note_pointer(const char* key, const void* value) {
    out.args[key] = reinterpret_cast<uint64_t>(value);
  }
  void note_stream(const void* handle) { out.args["stream"] = handles.stream(handle); }
  void note_event(const char* key, const void* handle) { out.args[key] = handles.event(handle); }
};

/// "cudaMemcpyAsync" of "cudaMemcpyAsync_ptsz_v7000", "cuMemAlloc" of "cuMemAlloc_v2".
std::string plain_name(std::string_view name);

/// The plain name under which a call of the Runtime API is recorded: what nvcc's code launches kernels
/// by counts as cudaLaunchKernel, whose parameters it has. Empty for its other helpers.
std::string recorded_name(std::string_view name);

/// A call of the Runtime API that has ended. `name` is a plain one.
DecodedCall decode_runtime_call(const std::string& name, const void* params, bool succeeded,
                                Handles& handles);

/// A driver call, under the runtime's name where that has an equivalent, else under its own, with no
/// arguments. Nothing for one that only asks or prepares, as the runtime makes many.
std::optional<DecodedCall> decode_driver_call(const std::string& name, const void* params,
                                              bool succeeded, Handles& handles);

}  // namespace warpgrade::injection
