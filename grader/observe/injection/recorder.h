// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace warpgrade::injection {

using Json = nlohmann::ordered_json;

/// Writes the trace of a process as JSON lines, each in one write(2), so that a killed process leaves
/// whole ones. Prints nothing, whatever happens: its output is the student's. Only the process that
/// opened an empty file first writes to it, so neither a child's nor a second program's lines get between.
class Recorder {
 public:
  explicit Recorder(const std::string& path);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  bool enabled() const { return file_ >= 0; }
  /// Enabled, and this is no fork of the process that opened the file. CUPTI does not work in one
  /// either: its threads are gone.
  bool writes_here() const;
  /// Says, for the first line, what devices there are. The first write() asks and puts that line
  /// before its own.
  void ask_for_devices(std::function<Json()> devices);
  /// Writes the first line, if nothing has.
  void begin();
  /// Writes {"type": type, "seq": n, ...fields}.
  void write(const char* type, const Json& fields);
  /// Says, once, why the program cannot be observed: nobody may take the trace for a whole one.
  void fail(const std::string& message);

 private:
  void begin_locked();
  void write_line(const char* type, const Json& fields);

  std::mutex mutex_;
  int file_ = -1;
  pid_t owner_ = 0;
  long next_seq_ = 0;
  std::atomic<bool> failed_{false};
  std::function<Json()> devices_;
};

}  // namespace warpgrade::injection
