// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/seal.h"

namespace warpgrade::emulator {

using Json = nlohmann::ordered_json;

/// JSON lines about what a program did. Each record reaches the file in one write(2), so that a
/// killed process leaves whole lines. Does nothing where the path is empty or cannot be opened, and
/// in a child of the process that made it. Under a key each line stands behind its Seal's mark.
class Trace {
 public:
  explicit Trace(const std::string& path, const std::string& key = "");
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// False where records go nowhere, so that costly ones need not be made.
  bool enabled() const;

  /// Writes {"type": type, "seq": n, ...fields}.
  void write(const char* type, const Json& fields);

 private:
  std::mutex mutex_;
  int file_ = -1;
  int owner_ = 0;  ///< Process.
  std::optional<Seal> seal_;
  uint64_t next_seq_ = 0;
};

}  // namespace warpgrade::emulator
