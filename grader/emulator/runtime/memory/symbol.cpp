// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": __device__ and __constant__ variables.
#include <fmt/format.h>

#include "emulator/runtime/kernels.h"
#include "emulator/runtime/memory/copies.h"
#include "emulator/runtime/memory/symbols.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Where a variable lies on the current device; `error` says why it cannot be found.
std::optional<Symbol> find_variable(ApiCall& call, const void* symbol, cudaError_t& error) {
  error = cudaErrorInvalidSymbol;
  const Variable* variable = call.machine().program.find_variable(symbol);
  if (variable == nullptr) return std::nullopt;
  call.note("symbol", variable->name);
  const LoadedModule* module = load_image(call, *variable->image, error);
  return module == nullptr ? std::nullopt : find_symbol(*module, variable->name);
}

cudaError_t copy_to(ApiCall& call, const void* symbol, const void* src, size_t count, size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream) {
  const bool possible = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                        kind == cudaMemcpyDefault;
  CopySide side;
  const cudaError_t error = symbol_address(call, symbol, count, offset, side.address);
  if (error != cudaSuccess) return error;
  if (!possible) return cudaErrorInvalidMemcpyDirection;
  call.note("src", src);
  return copy(call, side, linear(src), {count}, kind, stream);
}

cudaError_t copy_from(ApiCall& call, void* dst, const void* symbol, size_t count, size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream) {
  const bool possible = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                        kind == cudaMemcpyDefault;
  CopySide side;
  const cudaError_t error = symbol_address(call, symbol, count, offset, side.address);
  if (error != cudaSuccess) return error;
  if (!possible) return cudaErrorInvalidMemcpyDirection;
  call.note("dst", dst);
  return copy(call, linear(dst), side, {count}, kind, stream);
}

}  // namespace

cudaError_t symbol_address(ApiCall& call, const void* symbol, size_t count, size_t offset,
                           uint64_t& address) {
  call.note("count", count);
  call.note("offset", offset);
  cudaError_t error = cudaSuccess;
  const std::optional<Symbol> found = find_variable(call, symbol, error);
  if (!found) return error;
  if (offset > found->size || count > found->size - offset) {
    call.find(
        say("memory.symbol_range",
            {{"call", call.name()}, {"bytes", count}, {"offset", offset}, {"size", found->size}}));
    return cudaErrorInvalidValue;
  }
  address = found->address + offset;
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api_call("cudaGetSymbolAddress", EarlierFault::if_known, [&](ApiCall& call) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    const std::optional<Symbol> found = find_variable(call, symbol, error);
    if (!found) return error;
    *pointer = reinterpret_cast<void*>(found->address);
    call.note("ptr", *pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api_call("cudaGetSymbolSize", EarlierFault::if_known, [&](ApiCall& call) {
    const Variable* variable = call.machine().program.find_variable(symbol);
    if (variable == nullptr) return cudaErrorInvalidSymbol;
    if (size == nullptr) return cudaErrorInvalidValue;
    *size = variable->size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return api_call("cudaMemcpyToSymbol", EarlierFault::found, [&](ApiCall& call) {
    return copy_to(call, symbol, src, count, offset, kind, nullptr);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyToSymbolAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return copy_to(call, symbol, src, count, offset, kind, stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return api_call("cudaMemcpyFromSymbol", EarlierFault::found, [&](ApiCall& call) {
    return copy_from(call, dst, symbol, count, offset, kind, nullptr);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return api_call("cudaMemcpyFromSymbolAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return copy_from(call, dst, symbol, count, offset, kind, stream);
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
