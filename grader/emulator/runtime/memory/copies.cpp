// SPDX-License-Identifier: MIT
#include "emulator/runtime/memory/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>

#include "base/content_hash.h"
#include "base/hash.h"
#include "base/text.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/memory/bulk.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/places.h"
#include "emulator/runtime/swapped_inputs.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

// A transfer over PCI Express 3 x16, which is what these times are modelled after.
constexpr double kTransferLatencyMs = 0.008;
constexpr double kTransferBytesPerMs = 12e6;
// Each in a row of many, on an H200.
constexpr double kDeviceCopyMs = 0.0018;
constexpr double kDeviceFillMs = 0.0014;
constexpr size_t kMaxRowHashes = 4096;

/// A side of a copy with its memory found.
struct Place {
  uint8_t* host = nullptr;  ///< Where its first byte lies; null in the program's own memory.
  bool on_device = false;   ///< In a device's own memory.
  bool reachable = false;   ///< By devices: their own memory, or page-locked host memory.
  int device = kHostDevice;
};

bool is_kind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

bool wants_device_source(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

bool wants_device_target(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

const char* name_of(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice   ? "cudaMemcpyHostToDevice"
         : kind == cudaMemcpyDeviceToHost ? "cudaMemcpyDeviceToHost"
                                          : "cudaMemcpyDeviceToDevice";
}

/// "act.reads" and the like.
using ActId = const char*;

cudaError_t refuse_host_memory(ApiCall& call, ActId act, cudaMemcpyKind kind) {
  call.find(say("memory.wrong_direction",
                {{"call", call.name()}, {"act", say(act)}, {"kind", name_of(kind)}}));
  return cudaErrorInvalidValue;
}

const char* direction(const Place& to, const Place& from) {
  if (from.on_device) return to.on_device ? "DtoD" : "DtoH";
  return to.on_device ? "HtoD" : "HtoH";
}

bool are_two_devices(const Place& to, const Place& from) {
  return to.on_device && from.on_device && to.device != from.device;
}

Sentence complaint(ApiCall& call, ActId act, uint64_t address, size_t span) {
  const DeviceMemory& memory = call.machine().memory;
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) {
    return say("memory.call_outside",
               {{"call", call.name()}, {"act", say(act)}, {"where", memory.describe(address)}});
  }
  const uint64_t beyond = address + span - allocation->end();
  const Sentence whole =
      say("allocation.made", {{"bytes", allocation->size}, {"origin", allocation->origin}});
  const size_t factor = span / allocation->size;
  const bool is_element = address == allocation->begin && span % allocation->size == 0 &&
                          (factor == 2 || factor == 4 || factor == 8);
  if (is_element)
    return say("memory.call_sizeof", {{"call", call.name()},
                                      {"act", say(act)},
                                      {"bytes", beyond},
                                      {"allocation", whole},
                                      {"factor", factor}});
  return say("memory.call_past",
             {{"call", call.name()}, {"act", say(act)}, {"bytes", beyond}, {"allocation", whole}});
}

/// A copy between peers goes through the devices of both sides; any other is done by the current
/// device, which must be allowed to use memory of another one's pool.
bool may_use(ApiCall& call, const Allocation& allocation) {
  const int device = call.device_index();
  return allocation.pool_readers == nullptr || allocation.device == device ||
         allocation.pool_readers->count(device) != 0 ||
         std::string_view(call.name()).find("Peer") != std::string_view::npos;
}

/// Finds `span` bytes at `address`; what lies in no allocation and is no device address is the
/// program's own host memory. False, with a finding, where a device would refuse the range.
bool locate(ApiCall& call, ActId act, uint64_t address, size_t span, Place& place) {
  if (address == 0 || span == SIZE_MAX) return false;
  const Allocation* allocation = call.machine().memory.find(address);
  place.on_device = is_device_address(address);
  place.reachable = allocation != nullptr;
  if (allocation != nullptr) place.device = allocation->device;
  if (allocation == nullptr && !place.on_device) return true;
  if (allocation == nullptr || !allocation->contains(address, span)) {
    call.find(complaint(call, act, address, span));
    return false;
  }
  if (!may_use(call, *allocation)) {
    call.find(say("memory.foreign_pool", {{"call", call.name()},
                                          {"act", say(act)},
                                          {"device", allocation->device},
                                          {"user", call.device_index()}}));
    return false;
  }
  place.host = allocation->at(address);
  return true;
}

/// Calls visit(offset in `a`, offset in `b`) for each row of the shape.
template <class Visit>
void for_each_row(const CopyShape& shape, const CopySide& a, const CopySide& b, Visit visit) {
  for (size_t slice = 0; slice < shape.depth; ++slice) {
    for (size_t row = 0; row < shape.height; ++row) {
      visit(slice * a.slice_pitch + row * a.pitch, slice * b.slice_pitch + row * b.pitch);
    }
  }
}

/// Makes the rows of a gapless side one long row.
void join_rows(CopyShape& shape, CopySide& a, CopySide& b) {
  const bool gapless = a.pitch == shape.width && b.pitch == shape.width &&
                       (shape.depth == 1 || (a.slice_pitch == shape.width * shape.height &&
                                             b.slice_pitch == shape.width * shape.height));
  if (gapless) shape = {shape.bytes(), 1, 1};
}

void note_hashes(ApiCall& call, const CopyShape& shape, const CopySide& side,
                 const uint8_t* bytes) {
  if (!call.machine().trace.enabled()) return;
  const bool by_row = shape.height * shape.depth > 1 && shape.height * shape.depth <= kMaxRowHashes;
  ContentHash whole;
  std::vector<std::string> rows;
  for_each_row(shape, side, side, [&](size_t offset, size_t) {
    const std::string_view row(reinterpret_cast<const char*>(bytes + offset), shape.width);
    whole.add(row);
    if (by_row) rows.push_back(hex64(content_hash(row)));
  });
  call.note("content_hash", hex64(whole.value()));
  if (by_row) call.note("row_hashes", rows);
}

/// Between two places of the program's own memory. An overlap is copied as memmove() does.
void move_in_program(uint64_t to, uint64_t from, size_t bytes) {
  constexpr size_t kPieceBytes = size_t{1} << 20;
  const bool backwards = to > from;
  std::vector<uint8_t> piece(std::min(bytes, kPieceBytes));
  for (size_t done = 0; done < bytes;) {
    const size_t count = std::min(bytes - done, kPieceBytes);
    const size_t at = backwards ? bytes - done - count : done;
    host().read({{from + at, piece.data(), count}});
    host().write({{to + at, piece.data(), count}});
    done += count;
  }
}

/// The rows of a copy. Those that lie in the program's own memory travel together.
class Moves {
 public:
  Moves(const Place& to, uint64_t to_address, const Place& from, uint64_t from_address)
      : to_(to), from_(from), to_address_(to_address), from_address_(from_address) {}

  void add(size_t to_offset, size_t from_offset, size_t bytes) {
    uint8_t* const to = to_.host + to_offset;
    uint8_t* const from = from_.host + from_offset;
    if (to_.host != nullptr && from_.host != nullptr) {
      move_bytes({to, to_.on_device}, {from, from_.on_device}, bytes);
    } else if (to_.host != nullptr) {
      read_.push_back({from_address_ + from_offset, to, bytes});
    } else if (from_.host != nullptr) {
      written_.push_back({to_address_ + to_offset, from, bytes});
    } else {
      move_in_program(to_address_ + to_offset, from_address_ + from_offset, bytes);
    }
  }

  void finish() {
    if (!read_.empty()) host().read(read_);
    if (!written_.empty()) host().write(written_);
  }

 private:
  const Place& to_;
  const Place& from_;
  uint64_t to_address_, from_address_;
  std::vector<HostPiece> read_, written_;
};

std::string in_words(const Origin& origin) {
  switch (origin.kind) {
    case OriginKind::nothing:
      return "nothing";
    case OriginKind::host:
      return "host";
    case OriginKind::fill:
      return "fill";
    case OriginKind::kernel:
      break;
  }
  const std::string kernel = origin.kernel.empty() ? "" : demangled(origin.kernel);
  return fmt::format("kernel\t{}\t{}", origin.range, kernel);
}

/// What last wrote each byte that the copy reads: "origins" lists the writers, "origin_runs" says
/// "BYTES:WRITER" for one run of bytes after another, with the writer's place in that list.
void note_origins(ApiCall& call, const CopyShape& shape, const CopySide& from) {
  const DeviceMemory& memory = call.machine().memory;
  if (!call.machine().trace.enabled()) return;
  OriginRuns origins;
  for_each_row(shape, from, from, [&](size_t offset, size_t) {
    memory.add_origins(from.address + offset, shape.width, origins);
  });
  std::map<OriginId, size_t> places;
  std::vector<std::string> writers;
  std::string runs;
  for (const OriginRun& run : origins.runs()) {
    const auto [place, is_new] = places.try_emplace(run.origin, writers.size());
    if (is_new) writers.push_back(in_words(memory.origins()[run.origin]));
    fmt::format_to(std::back_inserter(runs), "{}{}:{}", runs.empty() ? "" : " ", run.bytes,
                   place->second);
  }
  call.note("origins", std::move(writers));
  call.note("origin_runs", runs);
}

/// Where the device holds other inputs than the host.
void swap_inputs(ApiCall& call, const Place& target, const CopyShape& shape, const CopySide& to,
                 const CopySide& from) {
  SwappedInputs& swapped = swapped_inputs();
  if (swapped.empty()) return;
  size_t bytes = 0;
  for_each_row(shape, to, from, [&](size_t to_offset, size_t from_offset) {
    bytes += swapped.swap(from.address + from_offset, target.host + to_offset, shape.width);
  });
  call.note("swapped", bytes);
  const std::set<std::string>& names = swapped.swapped();
  if (bytes > 0) call.note("swapped_inputs", std::vector<std::string>(names.begin(), names.end()));
}

void fill_row(Bytes row, size_t bytes, unsigned value, unsigned element_bytes) {
  const unsigned element = element_bytes == 4 ? value : value & ((1u << 8 * element_bytes) - 1);
  if (element == 0) {
    zero_bytes(row, bytes);
    return;
  }
  if (element_bytes == 1) {
    std::memset(row.begin, static_cast<int>(value), bytes);
    return;
  }
  for (size_t at = 0; at + element_bytes <= bytes; at += element_bytes)
    std::memcpy(row.begin + at, &value, element_bytes);
}

constexpr size_t kMostRanges = 1 << 20;

/// The bytes of a side, with those between them where they are too many pieces; none of no interest to other streams.
std::vector<ByteRange> ranges_of(const CopyShape& shape, const CopySide& side, bool reachable) {
  std::vector<ByteRange> ranges;
  if (!reachable) return ranges;
  const bool joins = shape.height * shape.depth > kMostRanges;
  for_each_row(shape, side, side, [&](size_t offset, size_t) {
    const uint64_t begin = side.address + offset;
    if (joins && !ranges.empty())
      ranges.front().end = begin + shape.width;
    else
      ranges.push_back({begin, begin + shape.width});
  });
  return ranges;
}

/// A copy or fill as one of the stream's operations, for the race checker.
class StreamWork {
 public:
  StreamWork(ApiCall& call, const CUstream_st& queue)
      : call_(call), races_(call.machine().stream_races), stream_(work_of(queue)) {
    const std::string_view name = call.name();
    returns_early_ = name.ends_with("Async") || races_.order().is_in_graph(stream_);
  }

  /// CUDA Programming Guide, "Peer-to-Peer Memory Copy": it runs apart from all other work of both.
  void begin(const Place& to, const Place& from) {
    if (!races_.on() || returns_early_ || !are_two_devices(to, from)) return;
    alone_ = {to.device, from.device, stream_.device};
    races_.order().order_devices(alone_);
  }

  void done(const char* name, std::vector<ByteRange> read, std::vector<ByteRange> written,
            bool host_waits) {
    if (!races_.on()) return;
    StreamOperation operation = races_.begin(name, stream_);
    operation.use.read = std::move(read);
    operation.use.written = std::move(written);
    if (host_waits) races_.order().host_waits_for(operation.moment);
    if (!alone_.empty()) races_.order().order_devices(alone_);
    Machine& machine = call_.machine();
    const std::string range = range_of_call(machine.settings.graded);
    for (const Finding& finding : races_.finish(std::move(operation), range))
      machine.report(finding.kernel.empty() ? at_call(finding) : finding, range);
  }

  bool is_in_graph() const { return races_.order().is_in_graph(stream_); }

  /// Whether a copy returns only after its end (CUDA Runtime API, "API synchronization behavior").
  /// One from pageable memory may return once it has read that; it counts as if it waited.
  bool host_waits(const Place& to, const Place& from) const {
    if (is_in_graph()) return false;
    if (!to.on_device && !from.on_device) return true;
    return returns_early_ ? !to.reachable : !(to.on_device && from.on_device);
  }
  bool host_waits(const Place& filled) const { return !returns_early_ && !filled.on_device; }

 private:
  ApiCall& call_;
  StreamRaces& races_;
  StreamOfWork stream_;
  bool returns_early_ = false;
  std::vector<int> alone_;
};

/// What a copy within a device or between two, or between places of the host that devices reach, takes at least: its bytes
/// are read and written. A copy of the program's own memory takes no device's time.
double internal_ms(ApiCall& call, const Place& to, const Place& from, size_t bytes) {
  if (!to.reachable || !from.reachable) return 0;
  const auto side_ms = [&](const Place& side) {
    const auto& devices = call.machine().devices;
    const Device& device =
        side.on_device ? devices.at(static_cast<size_t>(side.device)) : call.device();
    return static_cast<double>(bytes) / device.model.bytes_per_ms();
  };
  return kLeastWorkMs + (side_ms(to) + side_ms(from));
}

double copy_ms(ApiCall& call, const Place& to, const Place& from, size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (to.on_device && from.on_device) {
    return kDeviceCopyMs + 2 * size / call.device().model.bytes_per_ms();
  }
  return kTransferLatencyMs + size / kTransferBytesPerMs;
}

/// A copy that was done takes its time, and is told of.
void account_copy(ApiCall& call, CUstream_st& queue, const Place& to, const Place& from,
                  size_t bytes) {
  const double ms = copy_ms(call, to, from, bytes);
  const bool is_internal = to.on_device == from.on_device;
  if (is_internal)
    call.machine().streams.advance(queue, ms);
  else
    call.machine().streams.advance_on_bus(queue, ms, to.on_device);
  call.machine().timeline.add_copy(queue, ms, call.name(), direction(to, from), bytes);
  call.note_transfer(are_two_devices(to, from) ? "PtoP" : direction(to, from), bytes,
                     is_internal ? internal_ms(call, to, from, bytes) : ms);
}

double fill_ms(ApiCall& call, size_t bytes) {
  return static_cast<double>(bytes) / call.device().model.bytes_per_ms();
}

}  // namespace

size_t CopyShape::span(const CopySide& side) const {
  size_t slices = 0, rows = 0, sum = 0, total = 0;
  const bool overflow = __builtin_mul_overflow(depth - 1, side.slice_pitch, &slices) ||
                        __builtin_mul_overflow(height - 1, side.pitch, &rows) ||
                        __builtin_add_overflow(slices, rows, &sum) ||
                        __builtin_add_overflow(sum, width, &total);
  return overflow ? SIZE_MAX : total;
}

cudaError_t copy(ApiCall& call, CopySide to, CopySide from, CopyShape shape, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  if (!is_kind(kind)) return cudaErrorInvalidMemcpyDirection;
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (shape.empty()) return cudaSuccess;
  if (const auto why = refuse_legacy_work(call, *queue); why != cudaSuccess) return why;
  // What a graph copies may be memory that only an earlier node of it allocates.
  if (queue->capture != nullptr) {
    if (to.address == 0 || from.address == 0) return cudaErrorInvalidValue;
    const auto kept = captured(*queue, CopyNode{to, from, shape, kind, {}, call.record()});
    call.note("captured", 1);
    return *kept;
  }
  StreamWork work(call, *queue);
  Place target, source;
  if (!locate(call, "act.reads", from.address, shape.span(from), source) ||
      !locate(call, "act.writes", to.address, shape.span(to), target)) {
    return cudaErrorInvalidValue;
  }
  call.note("direction", direction(target, source));
  if (wants_device_source(kind) && !source.reachable)
    return refuse_host_memory(call, "act.reads_from", kind);
  if (wants_device_target(kind) && !target.reachable)
    return refuse_host_memory(call, "act.writes_to", kind);
  if (const cudaError_t fault = call.device().fault; fault != cudaSuccess) {
    call.abandon(fault);
    return cudaSuccess;
  }
  work.begin(target, source);
  CopyShape moved = shape;
  CopySide moved_to = to, moved_from = from;
  join_rows(moved, moved_to, moved_from);
  Moves moves(target, moved_to.address, source, moved_from.address);
  for_each_row(moved, moved_to, moved_from, [&](size_t to_offset, size_t from_offset) {
    moves.add(to_offset, from_offset, moved.width);
    call.machine().memory.note_copied(to.address + to_offset, from.address + from_offset,
                                      moved.width);
  });
  moves.finish();
  if (target.on_device && !source.on_device) swap_inputs(call, target, moved, moved_to, moved_from);
  work.done(call.name(), ranges_of(moved, moved_from, source.reachable),
            ranges_of(moved, moved_to, target.reachable), work.host_waits(target, source));
  if (source.on_device && !target.on_device) {
    note_hashes(call, shape, from, source.host);
    note_origins(call, moved, moved_from);
  }
  account_copy(call, *queue, target, source, shape.bytes());
  return cudaSuccess;
}

cudaError_t fill(ApiCall& call, CopySide to, CopyShape shape, unsigned value, cudaStream_t stream,
                 unsigned element_bytes) {
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  if (shape.empty()) return cudaSuccess;
  if (const auto why = refuse_legacy_work(call, *queue); why != cudaSuccess) return why;
  if (const auto kept =
          captured(*queue, FillNode{to, shape, value, element_bytes, call.record()})) {
    call.note("captured", 1);
    return *kept;
  }
  Place target;
  if (!locate(call, "act.writes", to.address, shape.span(to), target)) return cudaErrorInvalidValue;
  if (!target.reachable) {
    call.find(say("memory.host_pointer", {{"call", call.name()}}));
    return cudaErrorInvalidValue;
  }
  if (const cudaError_t fault = call.device().fault; fault != cudaSuccess) {
    call.abandon(fault);
    return cudaSuccess;
  }
  for_each_row(shape, to, to, [&](size_t offset, size_t) {
    fill_row({target.host + offset, target.on_device}, shape.width, value, element_bytes);
    call.machine().memory.note_filled(to.address + offset, shape.width);
  });
  StreamWork work(call, *queue);
  work.done(work.is_in_graph() ? "a memset node" : call.name(), {}, ranges_of(shape, to, true),
            work.host_waits(target));
  const double ms = kDeviceFillMs + fill_ms(call, shape.bytes());
  call.machine().streams.advance(*queue, ms);
  call.machine().timeline.add_copy(*queue, ms, call.name(), "", shape.bytes());
  call.note_transfer("fill", shape.bytes(), kLeastWorkMs + fill_ms(call, shape.bytes()));
  return cudaSuccess;
}

namespace {

/// `name` with the dimensions that a shape needs: "cudaMemcpyAsync", "cudaMemcpy2DAsync" or "cudaMemcpy3DAsync".
std::string like_call(const char* name, const CopyShape& shape) {
  return fmt::format("{}{}Async", name, shape.depth > 1 ? "3D" : shape.height > 1 ? "2D" : "");
}

CallRecord record_like(std::string name, std::string like) {
  CallRecord record{name.empty() ? like : std::move(name)};
  record.args.emplace_back("like", std::move(like));
  return record;
}

void add_shape(CallRecord& record, const CopyShape& shape) {
  if (shape.height == 1 && shape.depth == 1) {
    record.args.emplace_back("count", uint64_t{shape.width});
    return;
  }
  record.args.emplace_back("width", uint64_t{shape.width});
  record.args.emplace_back("height", uint64_t{shape.height});
  if (shape.depth > 1) record.args.emplace_back("depth", uint64_t{shape.depth});
}

}  // namespace

CallRecord record_of_copy(std::string name, const CopySide& to, const CopySide& from,
                          const CopyShape& shape) {
  CallRecord record = record_like(std::move(name), like_call("cudaMemcpy", shape));
  record.args.emplace_back("dst", to.address);
  record.args.emplace_back("src", from.address);
  if (shape.height > 1 || shape.depth > 1) {
    record.args.emplace_back("dpitch", uint64_t{to.pitch});
    record.args.emplace_back("spitch", uint64_t{from.pitch});
  }
  add_shape(record, shape);
  return record;
}

CallRecord record_of_fill(std::string name, const CopySide& to, const CopyShape& shape,
                          unsigned value) {
  CallRecord record = record_like(std::move(name), like_call("cudaMemset", shape));
  record.args.emplace_back("ptr", to.address);
  record.args.emplace_back("value", uint64_t{value});
  if (shape.height > 1 || shape.depth > 1) record.args.emplace_back("pitch", uint64_t{to.pitch});
  add_shape(record, shape);
  return record;
}

void note_existence(ApiCall& call, const char* name, const Allocation& allocation,
                    const CUstream_st& stream) {
  StreamWork(call, stream).done(name, {}, {{allocation.begin, allocation.end()}}, false);
}

}  // namespace warpgrade::emulator
