// SPDX-License-Identifier: MIT
// The device runtime: kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"), under the
// names that nvcc gives its functions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/exec/access.h"
#include "emulator/exec/builtin_calls.h"
#include "emulator/exec/child_launches.h"

namespace warpgrade::emulator {
namespace {

// CUDA Runtime API, cudaError.
constexpr int32_t kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
                  kInvalidDeviceFunction = 98;
constexpr uint64_t kMaxThreadsOfBlock = 1024;
// cuda_runtime_api.h of the device: cudaStreamTailLaunch.
constexpr uint64_t kTailStream = 3;
constexpr uint64_t kHandleBase = uint64_t{1} << 40;

/// Calls visit(lane) for the lanes that make the call.
template <class Visit>
void for_lanes(const Warp& warp, Visit visit) {
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) visit(first_lane(mask));
}

Dim3 shape_in(Warp& warp, const Detail& detail, size_t index, int lane) {
  return {argument<uint32_t>(warp, detail, index, lane, 0),
          argument<uint32_t>(warp, detail, index, lane, 4),
          argument<uint32_t>(warp, detail, index, lane, 8)};
}

const FunctionCode* kernel_at(const Warp& warp, uint64_t address) {
  const auto& functions = warp.worker->launch->module->program.functions;
  const uint64_t index = address - kFunctionBase;
  const bool is_kernel = index < functions.size() && functions[index].is_entry;
  return is_kernel ? &functions[index] : nullptr;
}

/// Writes what the function returns through the pointer that is its argument of that index; value_of(lane) makes it.
template <class T, class Value>
void put(Warp& warp, const Instruction& i, size_t index, Value value_of) {
  uint64_t addresses[kWarpSize] = {};
  T values[kWarpSize] = {};
  for_lanes(warp, [&](int lane) {
    addresses[lane] = argument<uint64_t>(warp, detail_of(warp, i), index, lane);
    values[lane] = value_of(lane);
  });
  scatter_lanes(warp, i, LaneSpace::generic, addresses, sizeof(T),
                reinterpret_cast<const uint8_t*>(values));
}

/// cudaGetParameterBufferV2(kernel, grid, block, shared bytes): where the launch's arguments go.
void parameter_buffer_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() < 4 || detail.more.empty()) return;
  if (detail.slot_bytes[1] < sizeof(Dim3) || detail.slot_bytes[2] < sizeof(Dim3)) return;
  const LaunchContext& launch = *warp.worker->launch;
  DeviceHeap* const heap = launch.request->heap;
  for_lanes(warp, [&](int lane) {
    const FunctionCode* const kernel = kernel_at(warp, argument<uint64_t>(warp, detail, 0, lane));
    const bool fits = kernel != nullptr && heap != nullptr;
    const size_t bytes = fits ? std::max<size_t>(kernel->info.parameter_bytes, 1) : 0;
    const uint64_t buffer = fits ? heap->take(bytes) : 0;
    return_value(warp, detail, lane, buffer);
    if (buffer == 0) return;
    launch.memory->note_fresh(buffer, bytes);
    ChildLaunch& child = workers_child_launches().prepared[buffer];
    child.kernel = kernel->name;
    child.grid = shape_in(warp, detail, 1, lane);
    child.block = shape_in(warp, detail, 2, lane);
    child.dynamic_shared_bytes = argument<uint32_t>(warp, detail, 3, lane);
    child.parameters.resize(kernel->info.parameter_bytes);
  });
}

int32_t& last_error_of(const Warp& warp, int lane) {
  const uint32_t thread = warp.index * kWarpSize + static_cast<uint32_t>(lane);
  return workers_child_launches().last_errors[{warp.block->linear_index, thread}];
}

bool is_possible(const ChildLaunch& child) {
  const auto volume = [](const Dim3& shape) { return uint64_t{shape.x} * shape.y * shape.z; };
  return volume(child.grid) > 0 && volume(child.block) > 0 &&
         volume(child.block) <= kMaxThreadsOfBlock;
}

/// cudaLaunchDeviceV2(arguments, stream)
void launch_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() < 2 || detail.more.empty()) return;
  ChildLaunches& children = workers_child_launches();
  const LaunchContext& launch = *warp.worker->launch;
  for_lanes(warp, [&](int lane) {
    const auto found = children.prepared.find(argument<uint64_t>(warp, detail, 0, lane));
    const int32_t error = found == children.prepared.end() ? kInvalidDeviceFunction
                          : is_possible(found->second)     ? kSuccess
                                                           : kInvalidConfiguration;
    return_value(warp, detail, lane, error);
    if (error != kSuccess) last_error_of(warp, lane) = error;
    if (found == children.prepared.end()) return;
    auto [buffer, child] = std::move(*found);
    children.prepared.erase(found);
    child.is_tail = argument<uint64_t>(warp, detail, 1, lane) == kTailStream;
    const uint8_t* const held = launch.memory->host_address(buffer, child.parameters.size());
    if (held != nullptr) std::memcpy(child.parameters.data(), held, child.parameters.size());
    launch.request->heap->give_back(buffer);
    if (error != kSuccess) return;
    children.made.emplace_back(warp.block->linear_index, std::move(child));
  });
}

/// What only has to be there: the order of the device's own launches holds for every stream and event.
void success_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.more.empty()) return;
  for_lanes(warp, [&](int lane) { return_value(warp, detail, lane, kSuccess); });
}

/// cudaPeekAtLastError(): each thread has its own.
void peek_error_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.more.empty()) return;
  for_lanes(warp, [&](int lane) { return_value(warp, detail, lane, last_error_of(warp, lane)); });
}

/// cudaGetLastError()
void take_error_call(Warp& warp, const Instruction& i) {
  peek_error_call(warp, i);
  for_lanes(warp, [&](int lane) { last_error_of(warp, lane) = kSuccess; });
}

/// cudaStreamCreateWithFlags(stream*, flags), cudaEventCreateWithFlags(event*, flags)
void make_handle_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.empty()) return;
  put<uint64_t>(warp, i, 0,
                [](int) { return kHandleBase + workers_child_launches().next_handle++; });
  success_call(warp, i);
}

/// cudaGetDevice(int*)
void get_device_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.empty()) return;
  put<int32_t>(warp, i, 0, [&](int) { return warp.worker->launch->request->device; });
  success_call(warp, i);
}

/// cudaMalloc(void**, bytes) from the heap of malloc.
void allocate_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() < 2 || detail.more.empty()) return;
  const LaunchContext& launch = *warp.worker->launch;
  put<uint64_t>(warp, i, 0, [&](int lane) {
    const auto bytes = argument<uint64_t>(warp, detail, 1, lane);
    DeviceHeap* const heap = launch.request->heap;
    const uint64_t block = heap == nullptr ? 0 : heap->take(bytes);
    if (block != 0) launch.memory->note_fresh(block, bytes);
    return_value(warp, detail, lane, block != 0 ? kSuccess : kMemoryAllocation);
    return block;
  });
}

/// cudaFree(void*) of what cudaMalloc gave.
void free_call(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.empty() || detail.more.empty()) return;
  DeviceHeap* const heap = warp.worker->launch->request->heap;
  for_lanes(warp, [&](int lane) {
    const auto address = argument<uint64_t>(warp, detail, 0, lane);
    const bool is_freed = address == 0 || (heap != nullptr && heap->give_back(address));
    if (!is_freed) last_error_of(warp, lane) = kInvalidValue;
    return_value(warp, detail, lane, is_freed ? kSuccess : kInvalidValue);
  });
}

/// A transfer behind what the block has launched; transfer_of(lane) makes it, and the stream is the argument of that index.
template <class TransferOf>
void transfer_call(Warp& warp, const Instruction& i, size_t stream, TransferOf transfer_of) {
  const Detail& detail = detail_of(warp, i);
  if (detail.registers.size() <= stream || detail.more.empty()) return;
  for_lanes(warp, [&](int lane) {
    ChildLaunch child;
    child.transfer = transfer_of(detail, lane);
    child.is_tail = argument<uint64_t>(warp, detail, stream, lane) == kTailStream;
    return_value(warp, detail, lane, kSuccess);
    workers_child_launches().made.emplace_back(warp.block->linear_index, std::move(child));
  });
}

/// cudaMemcpyAsync(to, from, bytes, kind, stream)
void copy_call(Warp& warp, const Instruction& i) {
  transfer_call(warp, i, 4, [&](const Detail& detail, int lane) {
    Transfer made;
    made.to.address = argument<uint64_t>(warp, detail, 0, lane);
    made.from.address = argument<uint64_t>(warp, detail, 1, lane);
    made.width = argument<uint64_t>(warp, detail, 2, lane);
    return made;
  });
}

/// cudaMemcpy2DAsync(to, pitch, from, pitch, width, height, kind, stream)
void copy_2d_call(Warp& warp, const Instruction& i) {
  transfer_call(warp, i, 7, [&](const Detail& detail, int lane) {
    const auto number = [&](size_t index) { return argument<uint64_t>(warp, detail, index, lane); };
    return Transfer{{number(0), number(1)}, {number(2), number(3)}, number(4), number(5)};
  });
}

/// cudaMemsetAsync(to, value, bytes, stream)
void fill_call(Warp& warp, const Instruction& i) {
  transfer_call(warp, i, 3, [&](const Detail& detail, int lane) {
    Transfer made;
    made.to.address = argument<uint64_t>(warp, detail, 0, lane);
    made.value = static_cast<uint8_t>(argument<uint32_t>(warp, detail, 1, lane));
    made.width = argument<uint64_t>(warp, detail, 2, lane);
    made.is_fill = true;
    return made;
  });
}

/// cudaMemset2DAsync(to, pitch, value, width, height, stream)
void fill_2d_call(Warp& warp, const Instruction& i) {
  transfer_call(warp, i, 5, [&](const Detail& detail, int lane) {
    Transfer made;
    made.to = {argument<uint64_t>(warp, detail, 0, lane),
               argument<uint64_t>(warp, detail, 1, lane)};
    made.value = static_cast<uint8_t>(argument<uint32_t>(warp, detail, 2, lane));
    made.width = argument<uint64_t>(warp, detail, 3, lane);
    made.height = argument<uint64_t>(warp, detail, 4, lane);
    made.is_fill = true;
    return made;
  });
}

/// cudaMemset3DAsync(pitched pointer, value, extent, stream)
void fill_3d_call(Warp& warp, const Instruction& i) {
  if (detail_of(warp, i).registers.size() < 4 || detail_of(warp, i).slot_bytes[0] < 32 ||
      detail_of(warp, i).slot_bytes[2] < 24)
    return;
  transfer_call(warp, i, 3, [&](const Detail& detail, int lane) {
    const auto part = [&](size_t index, unsigned offset) {
      return argument<uint64_t>(warp, detail, index, lane, offset);
    };
    Transfer made;
    const uint64_t pitch = part(0, 8), rows = part(0, 24);
    made.to = {part(0, 0), pitch, pitch * rows};
    made.value = static_cast<uint8_t>(argument<uint32_t>(warp, detail, 1, lane));
    made.width = part(2, 0);
    made.height = part(2, 8);
    made.depth = part(2, 16);
    made.is_fill = true;
    return made;
  });
}

/// cudaGetDeviceCount(int*): the device that the kernel runs on is all that it knows.
void device_count_call(Warp& warp, const Instruction& i) {
  if (detail_of(warp, i).registers.empty()) return;
  put<int32_t>(warp, i, 0, [](int) { return 1; });
  success_call(warp, i);
}

/// Where a copy of the text lies in the heap of malloc; 0 where that has no room.
uint64_t kept_text(const LaunchContext& launch, std::string_view text) {
  const size_t bytes = text.size() + 1;
  const uint64_t place = launch.request->heap->take(bytes);
  const Allocation* const allocation = place == 0 ? nullptr : launch.memory->find(place);
  if (allocation == nullptr) return 0;
  std::memcpy(allocation->at(place), text.data(), text.size());
  allocation->at(place)[text.size()] = 0;
  if (allocation->shadow.cells == nullptr) return place;
  for (uint64_t word = place; word < place + bytes; word += 4)
    *allocation->cell(word) |= kWrittenBits;
  return place;
}

/// cudaGetErrorString(error) and cudaGetErrorName(error)
void text_call(Warp& warp, const Instruction& i, bool name) {
  const Detail& detail = detail_of(warp, i);
  const LaunchContext& launch = *warp.worker->launch;
  DeviceHeap* const heap = launch.request->heap;
  if (detail.registers.empty() || detail.more.empty() || heap == nullptr) return;
  for_lanes(warp, [&](int lane) {
    const auto error = argument<int32_t>(warp, detail, 0, lane);
    uint64_t& place = workers_child_launches().texts[{error, name}];
    if (place == 0 && launch.request->text_of_error != nullptr)
      place = kept_text(launch, launch.request->text_of_error(error, name));
    return_value(warp, detail, lane, place);
  });
}
void error_string_call(Warp& warp, const Instruction& i) { text_call(warp, i, false); }
void error_name_call(Warp& warp, const Instruction& i) { text_call(warp, i, true); }

struct NamedCall {
  std::string_view name;
  Builtin run;
};

constexpr NamedCall kCalls[] = {
    {"GetParameterBufferV2", parameter_buffer_call},
    {"LaunchDeviceV2", launch_call},
    {"StreamCreateWithFlags", make_handle_call},
    {"EventCreateWithFlags", make_handle_call},
    {"StreamDestroy", success_call},
    {"StreamWaitEvent", success_call},
    {"EventRecord", success_call},
    {"EventRecordWithFlags", success_call},
    {"EventDestroy", success_call},
    {"GetLastError", take_error_call},
    {"PeekAtLastError", peek_error_call},
    {"GetDevice", get_device_call},
    {"GetDeviceCount", device_count_call},
    {"GetErrorString", error_string_call},
    {"GetErrorName", error_name_call},
    {"Malloc", allocate_call},
    {"Free", free_call},
    {"MemcpyAsync", copy_call},
    {"Memcpy2DAsync", copy_2d_call},
    {"MemsetAsync", fill_call},
    {"Memset2DAsync", fill_2d_call},
    {"Memset3DAsync", fill_3d_call},
};

std::vector<ChildLaunch>& kept_launches() {
  thread_local std::vector<ChildLaunch> of_thread;
  return of_thread;
}

}  // namespace

ChildLaunches& workers_child_launches() {
  thread_local ChildLaunches of_thread;
  return of_thread;
}

std::vector<ChildLaunch> take_child_launches() { return std::exchange(kept_launches(), {}); }

void keep_child_launches(std::vector<std::pair<uint64_t, ChildLaunch>> made) {
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  kept_launches().clear();
  for (auto& [block, child] : made) kept_launches().push_back(std::move(child));
}

Builtin device_runtime_call(std::string_view name) {
  constexpr std::string_view kPrefix = "__cudaCDP2";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const auto* const found = std::find_if(std::begin(kCalls), std::end(kCalls),
                                         [&](const NamedCall& each) { return each.name == name; });
  return found == std::end(kCalls) ? nullptr : found->run;
}

}  // namespace warpgrade::emulator
