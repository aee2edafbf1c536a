// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/sentence.h"
#include "observe/line_counts.h"
#include "observe/work.h"

namespace warpgrade {

using Extent3 = std::array<long, 3>;

struct DeviceInfo {
  std::string name;
  int major = 0;
  int minor = 0;
};

/// What a call was given or gave back.
class Argument {
 public:
  Argument() = default;
  Argument(std::integral auto number) : value_(static_cast<uint64_t>(number)) {}
  Argument(double number) : value_(number) {}
  Argument(const char* word) : value_(std::string(word)) {}
  Argument(std::string word) : value_(std::move(word)) {}
  Argument(std::vector<std::string> words) : value_(std::move(words)) {}

  /// The value, or nullptr where it is of another type.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }

 private:
  std::variant<uint64_t, double, std::string, std::vector<std::string>> value_;
};

/// By name.
using Arguments = std::map<std::string, Argument, std::less<>>;

/// Copies of one direction, or fills, that a device did.
struct Transfers {
  std::string direction;  ///< "HtoD", "DtoH", "DtoD", "PtoP" (between devices), "HtoH", or "fill"
  uint64_t count = 0, bytes = 0;
  double ms = 0;  ///< the least that memory takes for them, by the model

  bool are_copies() const { return direction != "fill"; }
  /// Whether they do work that a kernel could do: what does not pass between the host and a device.
  bool are_internal() const { return direction != "HtoD" && direction != "DtoH"; }
};

/// One call of the CUDA Runtime API, or a copy or fill of a graph's or a kernel's. `seq` orders everything that a trace holds.
struct ApiCall {
  long seq = 0;
  std::string name;
  int result = 0;
  int device = 0;
  std::string range;  ///< innermost NVTX range of the calling thread; empty = none
  Arguments args;
  /// What was done for it, whatever its arguments say; nothing where a capture only keeps it. The emulated device alone
  /// tells it: a GPU tells what it did by range, in RangeTiming::work.
  std::vector<Transfers> transfers = {};
  /// Where the program makes what another call gives back; empty where the place is unknown.
  std::string file = {};
  int line = 0;

  /// Its name; that of the call which does the same, where a graph's node copies or fills.
  const std::string& alike() const;
  uint64_t copies() const;  ///< how many were done
  uint64_t bytes_moved(std::string_view direction) const;

  /// An integer argument; 0 where the call has none of that name.
  uint64_t number(const char* arg) const;
  /// A number; `otherwise` where the call has none of that name.
  double real(const char* arg, double otherwise) const;
  /// A word; empty where the call has none of that name.
  std::string text(const char* arg) const;
  /// Several; empty where the call has none of that name.
  std::vector<std::string> words(const char* arg) const;
};

/// An allocation that a kernel touched.
struct Touch {
  uint64_t ptr = 0;  ///< where the allocation begins
  bool read = false;
  bool written = false;
  bool padding_read = false;
  bool padding_written = false;
  uint64_t atomic_updates = 0;  ///< atomics of threads that changed what was there; none on a GPU
  uint64_t writers = 0;         ///< threads that wrote there; none on a GPU
};

struct KernelTime {
  double value = 0;
  std::string source;     ///< "measured" or "modelled"
  double dram_bytes = 0;  ///< that device memory moved, where the time is modelled
};

struct KernelLaunch {
  long seq = 0;
  int result = 0;
  std::string kernel;
  int device = 0;
  std::string range;
  uint64_t stream = 0;
  Extent3 grid{};
  Extent3 block{};
  long static_shared_bytes = 0;
  long dynamic_shared_bytes = 0;
  std::vector<std::string> params;  ///< the bytes of each parameter
  std::vector<Touch> memory;
  bool is_unseen = false;  ///< of a graph on a GPU, which tells neither `params` nor `memory`
  std::map<std::string, double> metrics;  ///< by ncu's names
  std::optional<KernelTime> time_ms;
  std::string mangled = {};            ///< empty where the device does not say
  std::vector<std::string> code = {};  ///< hashes of the containers that its device code is from
  bool is_drivers = false;             ///< the grader's driver defines the kernel
  std::vector<LineCounts> lines = {};  ///< of the first launches of each kernel; none on a GPU
  bool has_faulted = false;            ///< it ran, and `result` is the error that ended it

  /// Whether the device began it, rather than CUDA refused it.
  bool ran() const { return result == 0 || has_faulted; }
};

/// The two accesses of a race within a kernel; the finding's own place is that of the first.
struct RaceAccesses {
  std::string object;  ///< "tile[4]"
  std::string first_act;
  std::string second;  ///< who: "thread (15,0,0) of the same warp"
  std::string second_act;
  std::string second_file;  ///< empty where unknown
  int second_line = 0;
  std::string missing;  ///< "with no __syncthreads() between"

  bool operator==(const RaceAccesses&) const = default;
};

/// Something a checker saw, at most once per place.
struct Finding {
  long seq = 0;
  std::string checker;
  std::string message;
  std::string kernel;
  std::string file;  ///< empty where the place is unknown
  int line = 0;
  Extent3 block{};
  Extent3 thread{};
  long count = 1;
  std::string range = {};  ///< that was open; empty = none, or the device does not say
  bool at_exit = false;    ///< about what the process left behind
  std::optional<RaceAccesses> race = {};
  std::string id = {};  ///< of the sentence that `message` is; empty where the record has none
  std::map<std::string, std::string> arguments = {};  ///< of that sentence

  /// By which findings that say the same are known: the key of the sentence, or else its text.
  std::string key() const { return id.empty() ? message : Sentence{id, arguments, {}}.key(); }
  /// What the finding says, for a place of a sentence, which keeps the key.
  Filling filling(std::string place) const {
    Filling filling(std::move(place), message);
    filling.kept = key();
    return filling;
  }
};

/// The beginning or the end of a range of the grader's.
struct RangeMark {
  long seq = 0;
  std::string name;
  bool begins = true;
  long heap_blocks = 0;  ///< of malloc in kernels that nothing had freed then
};

/// Whether the finding may have ended its kernel, and with it the program; what the other checkers tell leaves a
/// run as it was.
bool may_end_a_run(const Finding& finding);

/// One NVTX range as the timed pass measured it. `kernel_ms` is the length of the union of its kernels,
/// fills and copies within the device; `copy_ms` that of copies between host and device; `busy_ms`
/// that of all. `outside_kernel_ms` is what ran between the range before it, or the program's start, and this one.
struct RangeTiming {
  long seq = 0;
  std::string range;
  int repetition = 0;
  double kernel_ms = 0, copy_ms = 0, busy_ms = 0;
  double event_ms = 0, wall_ms = 0;
  double outside_kernel_ms = 0;
  int64_t start_ns = 0, end_ns = 0;  ///< CLOCK_MONOTONIC
  std::optional<Work> work = {};     ///< what the devices ran; nothing where that is not recorded
};

/// What the same measurement says of a range with nothing in it.
struct EmptyRange {
  double event_ms = 0, wall_ms = 0;
};

/// What a driver noted of an output before it wrote the file.
struct OutputNote {
  long seq = 0;
  std::string name;
  std::optional<std::string> bytes_hex = {};  ///< of the elements; nothing where they are too many
};

/// What one process did on its devices, in order of `seq`.
struct Trace {
  std::string source;  ///< "emulated" or "gpu"
  std::vector<DeviceInfo> devices;
  std::vector<ApiCall> calls;
  std::vector<KernelLaunch> launches;
  std::vector<Finding> findings;
  std::vector<RangeMark> ranges;          ///< of the emulated device alone
  std::vector<OutputNote> outputs;        ///< likewise
  std::vector<RangeTiming> timings;       ///< of the timed pass alone
  std::optional<EmptyRange> empty_range;  ///< of the timed pass alone
  bool exited = false;                    ///< the process ended through its exit handlers

  /// Whether instructions were counted and accesses checked, which only the emulated device does.
  bool is_counted() const { return source != "gpu"; }
};

/// Reads a trace of JSON lines. A killed process may leave its last line unfinished: that one is
/// dropped. Anything else that is not a trace, a gap or a repetition in `seq` included, is an
/// Error, and so is a trace whose writer says that it could not observe the process. Empty text is a
/// trace of a process that did nothing.
Result<Trace> parse_trace(std::string_view text);

/// The innermost range that was open when the record ended; empty = none.
std::string open_range(const Trace& trace);

/// A live span of device memory: from one successful allocating call to the call that freed it.
struct Allocation {
  std::string api;
  uint64_t ptr = 0;
  uint64_t pitch = 0;   ///< bytes from row to row; the width where the memory has no padding
  uint64_t width = 0;   ///< bytes asked for in each row
  uint64_t height = 1;  ///< rows, over all slices
  long first_seq = 0;
  long last_seq = 0;  ///< while it lived

  bool holds(uint64_t address, long seq) const {
    return first_seq <= seq && seq <= last_seq && ptr <= address && address - ptr < pitch * height;
  }
};

std::vector<Allocation> allocations_of(const Trace& trace);

/// The allocation that held `address` at `seq`; nullptr where none did.
const Allocation* allocation_at(const std::vector<Allocation>& allocations, uint64_t address,
                                long seq);

/// Launches that succeeded in the NVTX range: what earns points. An empty name means all.
std::vector<const KernelLaunch*> launches_in(const Trace& trace, std::string_view range);

/// The same with those that a fault ended, which may have done all their work before: what limits and times count.
std::vector<const KernelLaunch*> launches_run_in(const Trace& trace, std::string_view range);

/// Successful calls of `api` or its Async form in the range, and nodes of graphs that do the same; an empty name means all.
/// A call that a graph only captured counts when the graph makes it.
std::vector<const ApiCall*> calls_in(const Trace& trace, std::string_view range,
                                     std::string_view api);

}  // namespace warpgrade
