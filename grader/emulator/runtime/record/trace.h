// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warpgrade::emulator {

using Json = nlohmann::ordered_json;

/// JSON lines about what a program did. Each record reaches the file in one write(2), so that a
/// killed process leaves whole lines. Does nothing where the path is empty or cannot be opened.
class Trace {
 public:
  /// A record that gets longer than `limit_bytes` ends the program; 0: it may.
  explicit Trace(const std::string& path, size_t limit_bytes = 0);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// False where records go nowhere, so that costly ones need not be made.
  bool enabled() const;

  /// Writes {"type": type, "seq": n, ...fields}.
  void write(const char* type, const Json& fields);
  /// No record comes after this.
  void end();

 private:
  std::mutex mutex_;
  int file_ = -1;
  uint64_t next_seq_ = 0;
  const size_t limit_bytes_;
  size_t written_bytes_ = 0;
};

}  // namespace warpgrade::emulator
