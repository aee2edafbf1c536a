// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management", deprecated: copies that run on from one row of an
// array to the next.
#include "emulator/runtime/memory/copies.h"
#include "emulator/runtime/memory/textures.h"

namespace warpgrade::emulator {
namespace {

struct ArrayPlace {
  cudaArray_const_t array;
  size_t x, y;  ///< Byte and row.
};

cudaError_t side_of(ApiCall& call, const ArrayPlace& place, size_t count, CopySide& side) {
  const cudaArray* const array = call.machine().textures.find(place.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const size_t begin = place.y * array->pitch() + place.x;
  if (begin > array->bytes() || count > array->bytes() - begin) return cudaErrorInvalidValue;
  side = {array->address + begin, 0, 0};
  return cudaSuccess;
}

cudaError_t to_array(const char* name, EarlierFault when, const ArrayPlace& place, const void* src,
                     size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call(name, when, [&](ApiCall& call) {
    CopySide side;
    const cudaError_t error = side_of(call, place, count, side);
    return error == cudaSuccess ? copy(call, side, linear(src), {count}, kind, stream) : error;
  });
}

cudaError_t from_array(const char* name, EarlierFault when, void* dst, const ArrayPlace& place,
                       size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call(name, when, [&](ApiCall& call) {
    CopySide side;
    const cudaError_t error = side_of(call, place, count, side);
    return error == cudaSuccess ? copy(call, linear(dst), side, {count}, kind, stream) : error;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void* src, size_t count,
                              cudaMemcpyKind kind) {
  return to_array("cudaMemcpyToArray", EarlierFault::found, {array, x, y}, src, count, kind,
                  nullptr);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* src,
                                   size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return to_array("cudaMemcpyToArrayAsync", EarlierFault::if_known, {array, x, y}, src, count, kind,
                  stream);
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t array, size_t x, size_t y,
                                size_t count, cudaMemcpyKind kind) {
  return from_array("cudaMemcpyFromArray", EarlierFault::found, dst, {array, x, y}, count, kind,
                    nullptr);
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t array, size_t x, size_t y,
                                     size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return from_array("cudaMemcpyFromArrayAsync", EarlierFault::if_known, dst, {array, x, y}, count,
                    kind, stream);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src,
                                   size_t from_x, size_t from_y, size_t count,
                                   cudaMemcpyKind kind) {
  return api_call("cudaMemcpyArrayToArray", EarlierFault::found, [&](ApiCall& call) {
    CopySide to, from;
    cudaError_t error = side_of(call, {dst, to_x, to_y}, count, to);
    if (error == cudaSuccess) error = side_of(call, {src, from_x, from_y}, count, from);
    return error == cudaSuccess ? copy(call, to, from, {count}, kind) : error;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
