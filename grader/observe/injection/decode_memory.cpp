// SPDX-License-Identifier: MIT
// Allocations, frees and fills.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <algorithm>

#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

template <class Pointer>
uint64_t given(const CallToDecode& call, Pointer* const* place) {
  return call.succeeded && place != nullptr ? number(*place) : 0;
}

void note_linear(CallToDecode& call, uint64_t address, size_t size) {
  call.note("ptr", address);
  call.note("size", size);
}

void device_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMalloc_v3020_params>();
  note_linear(call, given(call, p.devPtr), p.size);
}

void managed_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMallocManaged_v6000_params>();
  note_linear(call, given(call, p.devPtr), p.size);
}

void page_locked_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMallocHost_v3020_params>();
  note_linear(call, given(call, p.ptr), p.size);
}

void host_memory(CallToDecode& call) {
  const auto& p = call.as<cudaHostAlloc_v3020_params>();
  note_linear(call, given(call, p.pHost), p.size);
}

void stream_ordered_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMallocAsync_v11020_params>();
  note_stream_of(call, p);
  note_linear(call, given(call, p.devPtr), p.size);
}

void pool_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMallocFromPoolAsync_v11020_params>();
  note_stream_of(call, p);
  note_linear(call, given(call, p.ptr), p.size);
}

void registered_memory(CallToDecode& call) {
  const auto& p = call.as<cudaHostRegister_v4000_params>();
  note_linear(call, number(p.ptr), p.size);
}

void pitched_memory(CallToDecode& call) {
  const auto& p = call.as<cudaMallocPitch_v3020_params>();
  call.note("ptr", given(call, p.devPtr));
  call.note("pitch", call.succeeded && p.pitch != nullptr ? *p.pitch : 0);
  call.note("width", p.width);
  call.note("height", p.height);
}

void memory_3d(CallToDecode& call) {
  const auto& p = call.as<cudaMalloc3D_v3020_params>();
  const bool is_there = call.succeeded && p.pitchedDevPtr != nullptr;
  call.note("ptr", is_there ? number(p.pitchedDevPtr->ptr) : 0);
  call.note("pitch", is_there ? p.pitchedDevPtr->pitch : 0);
  call.note("width", p.extent.width);
  call.note("height", p.extent.height);
  call.note("depth", p.extent.depth);
}

void note_array(CallToDecode& call, cudaArray_t* array, const cudaChannelFormatDesc* format,
                const cudaExtent& extent) {
  if (!call.succeeded || array == nullptr || format == nullptr) return;
  const int bits = format->x + format->y + format->z + format->w;
  call.handles.made_array(*array, static_cast<size_t>(std::max(bits, 8)) / 8);
  call.note_pointer("ptr", *array);
  call.note("width", extent.width);
  call.note("height", extent.height);
  call.note("depth", extent.depth);
}

void array_2d(CallToDecode& call) {
  const auto& p = call.as<cudaMallocArray_v3020_params>();
  note_array(call, p.array, p.desc, {p.width, p.height, 0});
}

void array_3d(CallToDecode& call) {
  const auto& p = call.as<cudaMalloc3DArray_v3020_params>();
  note_array(call, p.array, p.desc, p.extent);
}

void freed(CallToDecode& call) {
  call.note_pointer("ptr", call.as<cudaFree_v3020_params>().devPtr);
}

void freed_in_stream(CallToDecode& call) {
  const auto& p = call.as<cudaFreeAsync_v11020_params>();
  note_stream_of(call, p);
  call.note_pointer("ptr", p.devPtr);
}

void symbol_address(CallToDecode& call) {
  if (call.succeeded)
    call.note("ptr", given(call, call.as<cudaGetSymbolAddress_v3020_params>().devPtr));
}

template <class Params>
void fill(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("ptr", p.devPtr);
  call.note_int("value", p.value);
  call.note("count", p.count);
  note_stream_of(call, p);
}

template <class Params>
void fill_2d(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("ptr", p.devPtr);
  call.note("pitch", p.pitch);
  call.note_int("value", p.value);
  call.note("width", p.width);
  call.note("height", p.height);
  note_stream_of(call, p);
}

template <class Params>
void fill_3d(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("ptr", p.pitchedDevPtr.ptr);
  call.note("pitch", p.pitchedDevPtr.pitch);
  call.note_int("value", p.value);
  call.note("width", p.extent.width);
  call.note("height", p.extent.height);
  call.note("depth", p.extent.depth);
  note_stream_of(call, p);
}

constexpr RuntimeDecoder kDecoders[] = {
    {"cudaMalloc", device_memory},
    {"cudaMallocManaged", managed_memory},
    {"cudaMallocHost", page_locked_memory},
    {"cudaHostAlloc", host_memory},
    {"cudaMallocAsync", stream_ordered_memory},
    {"cudaMallocFromPoolAsync", pool_memory},
    {"cudaHostRegister", registered_memory},
    {"cudaMallocPitch", pitched_memory},
    {"cudaMalloc3D", memory_3d},
    {"cudaMallocArray", array_2d},
    {"cudaMalloc3DArray", array_3d},
    {"cudaFree", freed},
    {"cudaFreeHost", freed},
    {"cudaFreeArray", freed},
    {"cudaHostUnregister", freed},
    {"cudaFreeAsync", freed_in_stream},
    {"cudaGetSymbolAddress", symbol_address},
    {"cudaMemPrefetchAsync", note_stream_only<cudaMemPrefetchAsync_v12020_params>},
    {"cudaMemset", fill<cudaMemset_v3020_params>},
    {"cudaMemsetAsync", fill<cudaMemsetAsync_v3020_params>},
    {"cudaMemset2D", fill_2d<cudaMemset2D_v3020_params>},
    {"cudaMemset2DAsync", fill_2d<cudaMemset2DAsync_v3020_params>},
    {"cudaMemset3D", fill_3d<cudaMemset3D_v3020_params>},
    {"cudaMemset3DAsync", fill_3d<cudaMemset3DAsync_v3020_params>},
};

}  // namespace

std::span<const RuntimeDecoder> memory_decoders() { return kDecoders; }

}  // namespace warpgrade::injection
