// SPDX-License-Identifier: MIT
#include "emulator/runtime/child_launches.h"

#include "emulator/runtime/memory/copies.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

// The Programming Guide, "Nesting Depth".
constexpr int kMostNested = 24;

/// Whether the host reaches that memory, too: what a transfer writes there it can read, and of pages that one reads it can
/// tell that they were.
bool is_hosts(ApiCall& call, uint64_t address) {
  const Allocation* const allocation = call.machine().memory.find(address);
  return allocation == nullptr ? !is_device_address(address) : allocation->device == kHostDevice;
}

/// How many bytes of the kernel's choice a transfer shows to the host: where it is, and what it writes or reads there. What it
/// copies from a device is on record anyway.
size_t shown_by(ApiCall& call, const Transfer& made) {
  const bool to_host = is_hosts(call, made.to.address);
  const bool from_host = !made.is_fill && is_hosts(call, made.from.address);
  if (!to_host && !from_host) return 0;
  const bool has_rows = made.height > 1 || made.depth > 1;
  const size_t place = has_rows ? sizeof(TransferSide) : sizeof made.to.address;
  const size_t bytes = made.is_fill || from_host ? made.width * made.height * made.depth : 0;
  return place * (size_t{to_host} + size_t{from_host}) + bytes;
}

void make_transfer(ApiCall& call, const Transfer& made, CUstream_st* queue) {
  const auto side = [](const TransferSide& from) {
    return CopySide{from.address, from.pitch, from.slice_pitch};
  };
  const CopyShape shape = {made.width, made.height, made.depth};
  const CopySide to = side(made.to), from = side(made.from);
  const cudaStream_t stream = queue->id == 0 ? cudaStreamLegacy : queue;
  call.machine().shows(shown_by(call, made));
  // The kernel called what such a copy or fill is like.
  const cudaError_t error =
      made.is_fill ? call.run_part(record_of_fill("", to, shape, made.value),
                                   [&] { return fill(call, to, shape, made.value, stream); })
                   : call.run_part(record_of_copy("", to, from, shape), [&] {
                       return copy(call, to, from, shape, cudaMemcpyDefault, stream);
                     });
  if (error == cudaSuccess || call.device().fault != cudaSuccess) return;
  call.device().fault = error;
  call.machine().shows(sizeof error);
}

void launch_child(ApiCall& call, const LoadedKernel& parent, int depth, ChildLaunch& child,
                  CUstream_st* queue) {
  if (child.transfer) return make_transfer(call, *child.transfer, queue);
  Kernel kernel = {parent.kernel->image, child.kernel, {}};
  const LoadedKernel loaded = {&kernel, parent.module, find_kernel(*parent.module, child.kernel)};
  if (loaded.info == nullptr) return;
  std::vector<void*> arguments;
  for (const KernelParameter& parameter : loaded.info->parameters)
    arguments.push_back(child.parameters.data() + parameter.offset);
  KernelLaunch wanted;
  wanted.function = &kernel;
  wanted.grid = dim3(child.grid.x, child.grid.y, child.grid.z);
  wanted.block = dim3(child.block.x, child.block.y, child.block.z);
  wanted.shared_bytes = child.dynamic_shared_bytes;
  launch_loaded(call, loaded, wanted, arguments.data(), queue, depth + 1);
}

}  // namespace

void launch_children(ApiCall& call, const LoadedKernel& parent, int depth,
                     std::vector<ChildLaunch> children, CUstream_st* queue) {
  if (depth + 1 >= kMostNested && !children.empty()) {
    if (call.machine().settings.check.api)
      call.find(say("api.nested", {{"kernel", demangled(children.front().kernel)},
                                   {"number", depth + 2},
                                   {"most", kMostNested}}));
    return;
  }
  for (const bool tail : {false, true}) {
    for (ChildLaunch& child : children) {
      const bool goes_on = call.device().fault == cudaSuccess;
      if (goes_on && child.is_tail == tail) launch_child(call, parent, depth, child, queue);
    }
  }
}

}  // namespace warpgrade::emulator
