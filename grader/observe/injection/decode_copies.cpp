// SPDX-License-Identifier: MIT
// Copies between memory, arrays and symbols.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include <algorithm>

#include "observe/injection/runtime_decoders.h"

namespace warpgrade::injection {
namespace {

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

constexpr RuntimeDecoder kDecoders[] = {
    {"cudaMemcpy", linear_copy<cudaMemcpy_v3020_params>},
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
    {"cudaMemcpyBatchAsync", note_stream_only<cudaMemcpyBatchAsync_v13000_params>},
};

}  // namespace

std::span<const RuntimeDecoder> copy_decoders() { return kDecoders; }

}  // namespace warpgrade::injection
