// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudart/wire.h"
#include "emulator/memory/host_pages.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

using cudart::GuardedPages;
using cudart::Output;
using cudart::Touch;

/// Bytes of the program's memory, and where the device has or wants them.
struct HostPiece {
  uint64_t address = 0;
  uint8_t* here = nullptr;
  size_t bytes = 0;
};

/// A line of the program's source; 0 where it is unknown, as where the program was built without -g.
struct HostPlace {
  std::string file;  ///< without folders
  int line = 0;

  /// What the program says, which may be anything.
  static HostPlace from(std::string_view file, uint32_t line);
};

/// The program, as far as a call of it lets the device reach it: on the thread that made the call.
class Host {
 public:
  virtual ~Host() = default;

  /// Fetches pieces of the program's memory, and writes them; the writes are done when the call returns to it.
  virtual void read(const std::vector<HostPiece>& pieces) = 0;
  virtual void write(const std::vector<HostPiece>& pieces) = 0;
  /// Runs a function of the program's.
  virtual void call(cudaHostFn_t function, void* data) = 0;
  virtual void call(cudaStreamCallback_t function, cudaStream_t stream, cudaError_t status,
                    void* data) = 0;
  /// Writes to the program's stdout or stderr.
  virtual void print(Output where, std::string_view text) = 0;
  /// Writes a file as the program would. False where it cannot.
  virtual bool write_file(const std::string& path, std::string_view text) = 0;
  /// Whether the program has threads beside the one that calls.
  virtual bool has_other_threads() = 0;
  /// Pages that the program must leave alone until its next call.
  virtual void guard(std::vector<GuardedPages> pages) = 0;
  /// The first touch of guarded pages since the last call.
  virtual Touch take_touch() = 0;
  /// Where the program's source has the code at an address of it; 0: where it made the call that is under way.
  virtual HostPlace place(uint64_t address) = 0;
};

/// The host of the call that the calling thread serves.
Host& host();
/// False for threads of the device's own.
bool has_host();
/// Sets it for the calling thread.
void serve(Host* host);

/// Pages that the device shares with the program, over host().
std::unique_ptr<HostPages> shared_pages();

/// The exit code that says: not the program failed, but this machine or the grader.
constexpr int kSystemErrorExit = 99;

/// Ends the device with an exit code that the program ends with too.
[[noreturn]] void end_program(int code);

}  // namespace warpgrade::emulator
