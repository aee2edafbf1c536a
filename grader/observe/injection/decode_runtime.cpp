// SPDX-License-Identifier: MIT
// The arguments of the Runtime API's calls. The forms of a call (plain, _ptds, _ptsz) have the same
// parameters, so that a plain name is enough to know their struct.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "observe/injection/decoded_call.h"

namespace warpgrade::injection {
namespace {

using Decoder = void (*)(CallToDecode&);

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// Notes the stream of any call's parameters; a call without one uses the default stream.
template <class Params>
void note_stream_of(CallToDecode& call, const Params& p) {
  if constexpr (requires { p.stream; }) {
    call.note_stream(p.stream);
  } else if constexpr (requires { p.hStream; }) {
    call.note_stream(p.hStream);
  } else {
    call.note("stream", 0);
  }
}

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

/// cudaMemcpy, cudaMemcpyPeer and their Async forms.
template <class Params>
void linear_copy(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("dst", p.dst);
  call.note_pointer("src", p.src);
  call.note("count", p.count);
  note_stream_of(call, p);
  call.out.copy = Copy{{number(p.dst)}, {number(p.src)}, p.count};
}

template <class Params>
void copy_2d(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("dst", p.dst);
  call.note("dpitch", p.dpitch);
  call.note_pointer("src", p.src);
  call.note("spitch", p.spitch);
  call.note("width", p.width);
  call.note("height", p.height);
  note_stream_of(call, p);
  call.out.copy = Copy{{number(p.dst), p.dpitch}, {number(p.src), p.spitch}, p.width, p.height};
}

/// The first byte of a 3D copy's box within pitched memory, or an array.
CopySide side_of(cudaArray_const_t array, const cudaPitchedPtr& memory, const cudaPos& position) {
  if (array != nullptr) return {0, 0, 0, true};
  const size_t slice_pitch = memory.pitch * memory.ysize;
  return {number(memory.ptr) + position.z * slice_pitch + position.y * memory.pitch + position.x,
          memory.pitch, slice_pitch};
}

template <class Params>
void copy_3d(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (p.p == nullptr) return;
  Copy copy;
  copy.to = side_of(p.p->dstArray, p.p->dstPtr, p.p->dstPos);
  copy.from = side_of(p.p->srcArray, p.p->srcPtr, p.p->srcPos);
  const size_t unit = std::max(call.handles.element_bytes(p.p->dstArray),
                               call.handles.element_bytes(p.p->srcArray));
  copy.width = p.p->extent.width * unit;
  copy.height = p.p->extent.height;
  copy.depth = p.p->extent.depth;
  call.note("dst", copy.to.address);
  call.note("dpitch", copy.to.pitch);
  call.note("src", copy.from.address);
  call.note("spitch", copy.from.pitch);
  call.note("width", copy.width);
  call.note("height", copy.height);
  call.note("depth", copy.depth);
  note_stream_of(call, p);
  call.out.copy = copy;
}

/// Rows where the parameters have a height, else one of `count` bytes.
template <class Params>
void set_rows(const Params& p, Copy& copy) {
  if constexpr (requires { p.height; }) {
    copy.width = p.width;
    copy.height = p.height;
  } else {
    copy.width = p.count;
  }
}

template <class Params>
void copy_to_array(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("src", p.src);
  note_stream_of(call, p);
  Copy copy;
  copy.to.is_array = true;
  copy.from.address = number(p.src);
  if constexpr (requires { p.spitch; }) copy.from.pitch = p.spitch;
  set_rows(p, copy);
  call.out.copy = copy;
}

template <class Params>
void copy_from_array(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_pointer("dst", p.dst);
  note_stream_of(call, p);
  Copy copy;
  copy.from.is_array = true;
  copy.to.address = number(p.dst);
  if constexpr (requires { p.dpitch; }) copy.to.pitch = p.dpitch;
  set_rows(p, copy);
  call.out.copy = copy;
}

template <class Params>
void copy_to_symbol(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note("count", p.count);
  call.note("offset", p.offset);
  call.note_pointer("src", p.src);
  note_stream_of(call, p);
  call.out.copy = Copy{{0, 0, 0, false, true}, {number(p.src)}, p.count};
}

template <class Params>
void copy_from_symbol(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note("count", p.count);
  call.note("offset", p.offset);
  call.note_pointer("dst", p.dst);
  note_stream_of(call, p);
  call.out.copy = Copy{{number(p.dst)}, {0, 0, 0, false, true}, p.count};
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

template <class Params>
void made_stream(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (call.succeeded && p.pStream != nullptr) call.note_stream(*p.pStream);
}

/// Any call about one stream, whose first parameter it is.
void about_stream(CallToDecode& call) {
  call.note_stream(call.as<cudaStreamSynchronize_v3020_params>().stream);
}

void destroyed_stream(CallToDecode& call) {
  const cudaStream_t stream = call.as<cudaStreamDestroy_v5050_params>().stream;
  call.note("stream",
            call.succeeded ? call.handles.forget_stream(stream) : call.handles.stream(stream));
}

void wait_for_event(CallToDecode& call) {
  const auto& p = call.as<cudaStreamWaitEvent_v3020_params>();
  note_stream_of(call, p);
  call.note_event("event", p.event);
}

template <class Params>
void made_event(CallToDecode& call) {
  const auto& p = call.as<Params>();
  if (call.succeeded && p.event != nullptr) call.note_event("event", *p.event);
}

template <class Params>
void recorded_event(CallToDecode& call) {
  const auto& p = call.as<Params>();
  call.note_event("event", p.event);
  note_stream_of(call, p);
}

void about_event(CallToDecode& call) {
  call.note_event("event", call.as<cudaEventQuery_v3020_params>().event);
}

void destroyed_event(CallToDecode& call) {
  const cudaEvent_t event = call.as<cudaEventDestroy_v3020_params>().event;
  call.note("event", call.succeeded ? call.handles.forget_event(event) : call.handles.event(event));
}

void elapsed_time(CallToDecode& call) {
  const auto& p = call.as<cudaEventElapsedTime_v12080_params>();
  call.note_event("start", p.start);
  call.note_event("end", p.end);
  if (call.succeeded && p.ms != nullptr) call.out.args["ms"] = *p.ms;
}

void device_count(CallToDecode& call) {
  const int* const count = call.as<cudaGetDeviceCount_v3020_params>().count;
  if (call.succeeded && count != nullptr) call.note_int("count", *count);
}

void chosen_device(CallToDecode& call) {
  call.note_int("device", call.as<cudaSetDevice_v3020_params>().device);
}

void device_properties(CallToDecode& call) {
  call.note_int("device", call.as<cudaGetDeviceProperties_v12000_params>().device);
}

void device_attribute(CallToDecode& call) {
  const auto& p = call.as<cudaDeviceGetAttribute_v5000_params>();
  call.note_int("device", p.device);
  call.note_int("attribute", p.attr);
}

/// A launch is told of as a launch; these are the arguments of one that went into a graph.
template <class Params>
void in_stream(CallToDecode& call) {
  note_stream_of(call, call.as<Params>());
}

void configured_launch(CallToDecode& call) {
  const auto& p = call.as<cudaLaunchKernelExC_v11060_params>();
  if (p.config != nullptr) call.note_stream(p.config->stream);
}

using Decoders = std::unordered_map<std::string_view, Decoder>;

void add_memory(Decoders& table) {
  table.insert({{"cudaMalloc", device_memory},
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
                {"cudaMemPrefetchAsync", in_stream<cudaMemPrefetchAsync_v12020_params>},
                {"cudaMemset", fill<cudaMemset_v3020_params>},
                {"cudaMemsetAsync", fill<cudaMemsetAsync_v3020_params>},
                {"cudaMemset2D", fill_2d<cudaMemset2D_v3020_params>},
                {"cudaMemset2DAsync", fill_2d<cudaMemset2DAsync_v3020_params>},
                {"cudaMemset3D", fill_3d<cudaMemset3D_v3020_params>},
                {"cudaMemset3DAsync", fill_3d<cudaMemset3DAsync_v3020_params>}});
}

void add_copies(Decoders& table) {
  table.insert(
      {{"cudaMemcpy", linear_copy<cudaMemcpy_v3020_params>},
       {"cudaMemcpyAsync", linear_copy<cudaMemcpyAsync_v3020_params>},
       {"cudaMemcpyPeer", linear_copy<cudaMemcpyPeer_v4000_params>},
       {"cudaMemcpyPeerAsync", linear_copy<cudaMemcpyPeerAsync_v4000_params>},
       {"cudaMemcpy2D", copy_2d<cudaMemcpy2D_v3020_params>},
       {"cudaMemcpy2DAsync", copy_2d<cudaMemcpy2DAsync_v3020_params>},
       {"cudaMemcpy3D", copy_3d<cudaMemcpy3D_v3020_params>},
       {"cudaMemcpy3DAsync", copy_3d<cudaMemcpy3DAsync_v3020_params>},
       {"cudaMemcpy3DPeer", copy_3d<cudaMemcpy3DPeer_v4000_params>},
       {"cudaMemcpy3DPeerAsync", copy_3d<cudaMemcpy3DPeerAsync_v4000_params>},
       {"cudaMemcpyToArray", copy_to_array<cudaMemcpyToArray_v3020_params>},
       {"cudaMemcpyToArrayAsync", copy_to_array<cudaMemcpyToArrayAsync_v3020_params>},
       {"cudaMemcpy2DToArray", copy_to_array<cudaMemcpy2DToArray_v3020_params>},
       {"cudaMemcpy2DToArrayAsync", copy_to_array<cudaMemcpy2DToArrayAsync_v3020_params>},
       {"cudaMemcpyFromArray", copy_from_array<cudaMemcpyFromArray_v3020_params>},
       {"cudaMemcpyFromArrayAsync", copy_from_array<cudaMemcpyFromArrayAsync_v3020_params>},
       {"cudaMemcpy2DFromArray", copy_from_array<cudaMemcpy2DFromArray_v3020_params>},
       {"cudaMemcpy2DFromArrayAsync", copy_from_array<cudaMemcpy2DFromArrayAsync_v3020_params>},
       {"cudaMemcpyToSymbol", copy_to_symbol<cudaMemcpyToSymbol_v3020_params>},
       {"cudaMemcpyToSymbolAsync", copy_to_symbol<cudaMemcpyToSymbolAsync_v3020_params>},
       {"cudaMemcpyFromSymbol", copy_from_symbol<cudaMemcpyFromSymbol_v3020_params>},
       {"cudaMemcpyFromSymbolAsync", copy_from_symbol<cudaMemcpyFromSymbolAsync_v3020_params>},
       {"cudaMemcpyBatchAsync", in_stream<cudaMemcpyBatchAsync_v13000_params>}});
}

void add_order(Decoders& table) {
  table.insert(
      {{"cudaStreamCreate", made_stream<cudaStreamCreate_v3020_params>},
       {"cudaStreamCreateWithFlags", made_stream<cudaStreamCreateWithFlags_v5000_params>},
       {"cudaStreamCreateWithPriority", made_stream<cudaStreamCreateWithPriority_v5050_params>},
       {"cudaStreamDestroy", destroyed_stream},
       {"cudaStreamSynchronize", about_stream},
       {"cudaStreamQuery", about_stream},
       {"cudaStreamAddCallback", about_stream},
       {"cudaStreamAttachMemAsync", about_stream},
       {"cudaStreamBeginCapture", about_stream},
       {"cudaStreamEndCapture", about_stream},
       {"cudaStreamIsCapturing", about_stream},
       {"cudaStreamGetCaptureInfo", about_stream},
       {"cudaStreamGetFlags", about_stream},
       {"cudaStreamGetPriority", about_stream},
       {"cudaStreamGetId", about_stream},
       {"cudaStreamGetDevice", about_stream},
       {"cudaStreamWaitEvent", wait_for_event},
       {"cudaEventCreate", made_event<cudaEventCreate_v3020_params>},
       {"cudaEventCreateWithFlags", made_event<cudaEventCreateWithFlags_v3020_params>},
       {"cudaEventRecord", recorded_event<cudaEventRecord_v3020_params>},
       {"cudaEventRecordWithFlags", recorded_event<cudaEventRecordWithFlags_v11010_params>},
       {"cudaEventQuery", about_event},
       {"cudaEventSynchronize", about_event},
       {"cudaEventDestroy", destroyed_event},
       {"cudaEventElapsedTime", elapsed_time}});
}

void add_devices_and_launches(Decoders& table) {
  table.insert(
      {{"cudaGetDeviceCount", device_count},
       {"cudaSetDevice", chosen_device},
       {"cudaGetDeviceProperties", device_properties},
       {"cudaDeviceGetAttribute", device_attribute},
       {"cudaLaunchKernel", in_stream<cudaLaunchKernel_v7000_params>},
       {"cudaLaunchCooperativeKernel", in_stream<cudaLaunchCooperativeKernel_v9000_params>},
       {"cudaLaunchKernelExC", configured_launch},
       {"cudaLaunchHostFunc", in_stream<cudaLaunchHostFunc_v10000_params>},
       {"cudaGraphLaunch", in_stream<cudaGraphLaunch_v10000_params>}});
}

const Decoders& decoders() {
  static const auto& table = *new Decoders([] {
    Decoders all;
    add_memory(all);
    add_copies(all);
    add_order(all);
    add_devices_and_launches(all);
    return all;
  }());
  return table;
}

}  // namespace

DecodedCall decode_runtime_call(const std::string& name, const void* params, bool succeeded,
                                Handles& handles) {
  DecodedCall decoded;
  decoded.name = name;
  const auto found = decoders().find(name);
  if (found == decoders().end() || params == nullptr) return decoded;
  CallToDecode call{params, succeeded, handles, decoded};
  found->second(call);
  return decoded;
}

}  // namespace warpgrade::injection
