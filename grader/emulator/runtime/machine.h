// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/exec/worker_pool.h"
#include "emulator/memory/device_memory.h"
#include "emulator/runtime/at_exit.h"
#include "emulator/runtime/memory/pools.h"
#include "emulator/runtime/memory/textures.h"
#include "emulator/runtime/program/program.h"
#include "emulator/runtime/program/ptxas.h"
#include "emulator/runtime/record/advice.h"
#include "emulator/runtime/record/line_record.h"
#include "emulator/runtime/record/metrics.h"
#include "emulator/runtime/record/teller.h"
#include "emulator/runtime/record/timeline.h"
#include "emulator/runtime/record/trace.h"
#include "emulator/runtime/settings.h"
#include "emulator/runtime/stream/sample_keys.h"
#include "emulator/runtime/stream/stream_races.h"
#include "emulator/runtime/stream/streams.h"
#include "emulator/runtime/stream/waiting_kernels.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// When a call hands out the error of a kernel that failed before it. A kernel runs when it is
/// launched, but its error shows as on a device: at the next call that waits for the device, and
/// from then on at every call that needs it.
enum class EarlierFault {
  ignored,   ///< The call does not need the device.
  if_known,  ///< The call needs the device but does not wait for it.
  found,     ///< The call waits for the device.
};

class Graphs;

/// What a program advised about an allocation: devices, cudaCpuDeviceId or cudaInvalidDeviceId.
struct MemoryHints {
  bool read_mostly = false;
  int preferred = cudaInvalidDeviceId, prefetched = cudaInvalidDeviceId;
  std::set<int> accessed_by;
};

/// One device and what the program has set on it.
struct Device {
  DeviceModel model;
  int number = 0;  ///< In the machine, which the program may see a part of.
  cudaError_t fault = cudaSuccess;
  bool fault_known = false;
  unsigned flags = 0;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::map<cudaLimit, size_t> limits;
  std::set<int> peers;
  std::unique_ptr<DeviceHeap> heap;  ///< Made for the first kernel that may call malloc.
  uint64_t grid_workspace = 0;       ///< Cooperative launches use it; 0 before the first.
  bool has_printed = false;          ///< A kernel of it; the machine's print_mutex guards this.

  /// The fault, where a call of that kind hands it out, or cudaSuccess.
  cudaError_t fault_for(EarlierFault when);
  /// As the program set it, or a device's own.
  size_t limit(cudaLimit which) const;
};

/// The emulated machine behind the API of one process.
struct Machine {
  explicit Machine(const Settings& from);
  ~Machine();

  /// Says it on stderr (unless quiet) and in the trace. Equal findings of API calls are said once;
  /// those of later launches are only counted on stderr. `range`: that it belongs to, or the calling thread's.
  void report(const Finding& finding, const std::optional<std::string>& range = {});
  /// The program ends in order: writes what is due. The exit code that findings ask for, or 0. Hold the lock.
  int close();
  void write_metrics();
  std::vector<std::string> device_names() const;
  /// Keeps what a kernel of the device prints, from any thread.
  void printed(int device, std::string_view text);
  /// and what a kernel says that fails an assertion.
  void complained(std::string_view text);
  /// Notes how many bytes tell the host, when work under way has ended, something that a kernel decided. From any thread.
  void shows(size_t bytes) { shown_later += bytes; }
  /// A kernel has ended. As on a device, most of what it printed waits for a call that shows it.
  void end_of_printing(bool has_failed);
  /// Shows on the program's stdout what kernels have printed.
  void print();
  /// The same on stderr, where the program is no longer there to show it.
  void print_what_is_left();
  /// What malloc in kernels has given and free has not got back, on all devices.
  DeviceHeap::Taken taken_in_kernels() const;
  /// As cudaDeviceReset: memory, modules, streams and events of a device are gone.
  void reset(int device);

  Settings settings;
  cudaError_t no_device = cudaSuccess;  ///< What calls return where the program sees none.
  SampleKeys sample_keys;               ///< One for each launch, on any device.
  std::timed_mutex mutex;               ///< Held by every API call.
  std::optional<std::chrono::steady_clock::time_point> deadline;  ///< By the time limit.
  Trace trace;
  DeviceMemory memory;
  std::vector<Device> devices;
  RegisteredProgram program;
  Ptxas ptxas;
  Streams streams;
  Textures textures;
  Pools pools;
  std::map<uint64_t, MemoryHints> hints;  ///< By the allocation's first address.
  const std::unique_ptr<Graphs> graphs_held;
  Graphs& graphs;
  std::vector<MetricsRow> rows;
  Profile profile;  ///< The advice at the end comes from it.
  Timeline timeline;
  std::set<std::string> said;  ///< Keys of sentences that must be said only once.
  Teller teller;
  bool used = false;   ///< A call has needed a device.
  bool found = false;  ///< Something was reported.
  bool lacks_code =
      false;  ///< A kernel could not run, so what the program says of its results says nothing.
  bool closing = false;  ///< The process ends.
  std::optional<UnseenError> unseen;
  std::map<uint64_t, HostPlace>
      made_at;            ///< Lines of the program by the memory that they allocate.
  uint64_t makers = 0;    ///< Counts the calls that were asked for their line.
  uint64_t launches = 0;  ///< Counts the kernels that ran.
  uint64_t calls = 0;     ///< Counts the calls of all threads.
  std::mutex print_mutex;
  std::string to_print, to_complain;
  /// Bytes of shows() since the last launch began. The next one puts them on record, where inputs are swapped: what
  /// the host learns when its last kernel has ended comes too late.
  std::atomic<size_t> shown_later{0};
  WorkerPool workers;
  StreamRaces stream_races;
  WaitingKernels waiting_kernels;
  LineRecords line_records;  ///< The trace's lines.
};

/// What the API keeps for each host thread.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  HostThread host_thread{};
};

/// The program's machine, made at the first use. The Runtime API has no handle to carry it, so it is the one
/// object that is global. Where nothing else names a device, the first code that the program registers
/// picks one that can run it: `least_capability` is 90 for 9.0.
Machine& machine(int least_capability = 0);
/// The same where it has been made, or null.
Machine* made_machine();

ThreadState& this_thread();

/// The program has asked what went wrong; no machine is made for it.
void note_error_seen();

}  // namespace warpgrade::emulator
