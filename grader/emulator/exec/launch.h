// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sentence.h"
#include "emulator/checkers/checkers.h"
#include "emulator/exec/texture.h"
#include "emulator/memory/device_heap.h"
#include "emulator/memory/device_memory.h"
#include "emulator/model/device_table.h"
#include "emulator/model/time_estimate.h"

namespace warpgrade::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// Where a parameter lies in the kernel's parameter block, in bytes.
struct KernelParameter {
  size_t offset = 0, size = 0, alignment = 1;
};

struct KernelInfo {
  std::string mangled;
  std::vector<KernelParameter> parameters;
  size_t parameter_bytes = 0;
  size_t static_shared_bytes = 0;
  size_t local_bytes = 0;    ///< Per thread.
  uint32_t max_threads = 0;  ///< From __launch_bounds__ (.maxntid); 0 where the kernel has none.
  Dim3 cluster;              ///< From __cluster_dims__ (.reqnctapercluster), in blocks.
};

/// One PTX image decoded for one device.
class LoadedModule;

/// Decodes `ptx` for device number `device` of compute capability `sm` (86 for 8.6) and places its
/// .global and .const variables in memory. The Error names the PTX line that was not understood.
Result<std::shared_ptr<LoadedModule>> load_module(std::string_view ptx, int device, int sm,
                                                  DeviceMemory& memory);

/// A __managed__ variable, which has its place before any module is loaded: host and devices share
/// it. The first module that is loaded writes its initial value.
struct ManagedVariable {
  uint64_t address = 0;
  bool initialised = false;
};
using ManagedVariables = std::map<std::string, ManagedVariable, std::less<>>;

/// The same for several modules that name each other's functions and variables (nvcc -rdc=true).
Result<std::shared_ptr<LoadedModule>> load_modules(const std::vector<std::string_view>& ptx,
                                                   int device, int sm, DeviceMemory& memory,
                                                   ManagedVariables& managed);

/// Whether its kernels may call malloc or free.
bool uses_heap(const LoadedModule& module);

/// Null where the module has no such kernel. Lives as long as the module.
const KernelInfo* find_kernel(const LoadedModule& module, std::string_view mangled);

struct Symbol {
  uint64_t address = 0;
  size_t size = 0;
};
std::optional<Symbol> find_symbol(const LoadedModule& module, std::string_view name);

/// The two accesses of a race in words, for a picture of it. The finding's own place is that of the first.
struct RaceAccesses {
  std::string object;                 ///< "tile[4]"
  std::string first_act, second_act;  ///< "writes", "reads"
  std::string second;                 ///< Who: "thread (15,0,0) of the same warp".
  std::string second_file;            ///< Empty where unknown.
  int second_line = 0;
  std::string missing;  ///< "with no __syncthreads() between"
};

/// Something a program did wrong, merged over the threads that did it at the same place.
struct Finding {
  std::string checker;  ///< "memory", "padding", "unsupported"...
  Sentence message;     ///< Without full stop. Its id begins with the checker.
  std::string kernel;   ///< Mangled in a LaunchResult, empty where no kernel is to blame.
  std::string file;
  int line = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};  ///< The first thread that did it.
  uint64_t count = 1;
  std::optional<RaceAccesses> race = {};  ///< Set for a race within a kernel.
  int other_line = 0;  ///< The other access's of a race, where it is in the same file and known.
};

struct TouchedAllocation {
  uint64_t ptr = 0;  ///< Allocation::begin.
  bool read = false, written = false;
  bool padding_read = false, padding_written = false;
  uint64_t atomic_updates = 0;  ///< Atomics of threads that changed what was there.
  uint64_t writers = 0;         ///< Threads that wrote there; with the init or race checker only.
};

/// Values of a graph's conditional handles, which its kernels set.
using Conditions = std::map<uint64_t, std::atomic<uint32_t>>;

struct LaunchRequest {
  const LoadedModule* module = nullptr;
  std::string_view kernel;  ///< Mangled.
  Dim3 grid, block;
  Dim3 cluster;  ///< In blocks; the grid is a multiple of it.
  size_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  int device = 0;
  int sm = 0;
  std::vector<int> peers;       ///< Other devices whose memory the kernel may access.
  uint64_t grid_workspace = 0;  ///< Set for a cooperative launch; else 0.
  DeviceHeap* heap = nullptr;   ///< Where uses_heap() holds.
  const TextureTable* textures = nullptr;
  /// What cudaGetErrorString or, asked for it, cudaGetErrorName returns.
  const char* (*text_of_error)(int error, bool name) = nullptr;
  Conditions* conditions = nullptr;  ///< Null outside of graphs that have conditional nodes.
};

struct LaunchOptions {
  Checkers check{.memory = true};
  bool deterministic = false;  ///< Blocks run one after another on one thread.
  uint64_t order =
      0;  ///< The seed of the order of blocks, warps and lanes (exec/order.h); 0: natural.
  uint64_t sample_key = 0;         ///< Decides which blocks the time model looks at.
  unsigned threads = 0;            ///< Worker threads; 0 = one per core.
  uint64_t instruction_limit = 0;  ///< Warp instructions of the launch, about; 0 = none.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  double time_limit_s = 0;      ///< What the deadline came from, for its message.
  size_t max_shared_bytes = 0;  ///< Static and dynamic, per block.
  bool forgets_shared = false;  ///< Shared memory takes no stores, and is cleared at each barrier.
  bool hides_shared = false;    ///< Weak loads of shared memory give zeros; barriers in it work.
  bool drops_atomics = false;   ///< Atomics change nothing.
  bool drops_reductions = false;  ///< Atomics act only where the kernel reads their result.
  uint32_t sm_count = 0;
  bool count_lines = false;          ///< Fill LaunchResult::lines.
  bool note_accesses = false;        ///< Fill LaunchResult::accesses; with the race checker only.
  bool note_host_accesses = false;   ///< The same, without a device's own memory.
  bool note_early_accesses = false;  ///< Fill LaunchResult::early; with the race checker only.
  OriginId writer = Origins::kNothing;  ///< What its stores leave in Shadow::origins.
  const DeviceModel* device = nullptr;  ///< Whose time is modelled; null: none.
  int resident_blocks = 1;              ///< On one of its multiprocessors.
  int spill_store_bytes = 0,
      spill_load_bytes = 0;  ///< What ptxas spills, instruction by instruction.
  /// Takes what kernels print, from any worker thread.
  std::function<void(std::string_view)> print = [](std::string_view) {};
  /// Takes what a thread says that fails an assertion.
  std::function<void(std::string_view)> complain = [](std::string_view) {};
};

/// What a launch did on one line of the source.
struct LineMetrics {
  std::string file;  ///< Its base name; empty where unknown.
  int line = 0;
  std::map<std::string, double> metrics;  ///< As a launch's, but without those that are zero.
  double ms = 0;  ///< Its share of the launch's modelled time; 0 where no device is given.
};

enum class LaunchStatus {
  ok,
  illegal_address,
  misaligned_address,
  trap,
  assert_failed,
  instruction_limit,
  time_limit,
  unsupported,
  deadlock,
};

struct LaunchWork;
class AccessMap;

struct LaunchResult {
  LaunchStatus status = LaunchStatus::ok;
  std::vector<Finding> findings;
  std::vector<TouchedAllocation> touched;
  std::map<std::string, double> metrics;   ///< Under ncu's names.
  std::vector<LineMetrics> lines;          ///< In the order of files and lines.
  TimeEstimate time;                       ///< Modelled; empty where no device is given.
  std::shared_ptr<const LaunchWork> work;  ///< What the time was worked out from.
  std::shared_ptr<AccessMap> accesses;     ///< To global memory, where they are noted.
  bool launches_dependents = false;  ///< A thread has executed griddepcontrol.launch_dependents.
  std::shared_ptr<AccessMap> early;  ///< Those of blocks that no griddepcontrol.wait has held up.
  uint64_t generation = 0;  ///< The generation of its cells (DeviceMemory::next_generation).
  bool has_fences = false;  ///< Another kernel may wait for what it writes.
  bool may_race = false;    ///< The race checker passed a limit, and did not follow it to its end.
};

/// Runs the kernel to its end. The caller has checked the launch configuration against the device.
LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory);

}  // namespace warpgrade::emulator
