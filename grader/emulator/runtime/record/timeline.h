// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/runtime/stream/streams.h"

namespace warpgrade::emulator {

/// What the streams of the emulated devices did, in modelled time: for chrome://tracing and Perfetto.
class Timeline {
 public:
  /// Notes nothing where `path` is empty.
  explicit Timeline(std::string path) : path_(std::move(path)) {}

  bool is_wanted() const { return !path_.empty(); }
  /// Work of `ms` that has just been appended to the stream, after Streams::advance().
  void add_copy(const CUstream_st& stream, double ms, const char* call, const char* direction,
                uint64_t bytes);
  /// From the kernel's start to its end, without what launching it took before.
  void add_launch(const CUstream_st& stream, const std::string& kernel, const Dim3& grid,
                  const Dim3& block, const TimeEstimate& time);

  /// In the Trace Event Format. `devices` are the names of the devices, device 0 first.
  std::string text(const std::vector<std::string>& devices) const;
  /// Writes that text to the path, or says on stderr why it cannot.
  void write(const std::vector<std::string>& devices) const;

 private:
  struct Span {
    std::string name;
    const char* kind = "";
    int device = 0;
    uint64_t stream = 0;
    double begin_ms = 0, ms = 0;
    std::vector<std::pair<const char*, std::string>> facts;
  };
  void add(Span span);

  const std::string path_;
  std::vector<Span> spans_;
  uint64_t left_out_ = 0;
};

}  // namespace warpgrade::emulator
