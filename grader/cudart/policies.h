// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "cudart/toolkit.h"

// What the parameters of a call are. shapes.h names a policy where a parameter's type does not say enough.
namespace warpgrade::cudart {

/// All that its type says.
struct Deduced {};
/// An array with as many elements as parameter `Count` says, by value or by pointer.
template <size_t Count>
struct Many {};
/// Memory of as many bytes as parameter `Bytes` says, which the call writes.
template <size_t Bytes>
struct Buffer {};
/// void*, to that many bytes.
template <size_t Bytes>
struct Opaque {};
/// void*, to a value of the pool's attribute that parameter `Attribute` names.
template <size_t Attribute>
struct PoolValue {};
/// The arguments of the kernel that parameter `Function` names.
template <size_t Function>
struct Arguments {};
/// A text that ends with a zero.
struct Text {};
/// const char**: a text that stays the library's.
struct KeptText {};
/// T const**: an array that stays the library's.
template <size_t Count>
struct Kept {};
/// cudaLaunchConfig_t with its attributes.
struct Config {};
/// cudaKernelNodeParams with the kernel's arguments.
struct KernelNode {};
/// cudaGraphNodeParams with what its members point to.
struct AnyNode {};
/// void**: `Count` pieces of memory of `Sizes` bytes, which the call writes.
template <size_t Sizes, size_t Count>
struct Buffers {};

template <class T, class... Kinds>
constexpr bool kIsOneOf = (std::is_same_v<T, Kinds> || ...);
template <class T>
constexpr bool kIsHandle =
    kIsOneOf<T, CUstream_st, CUevent_st, CUgraph_st, CUgraphNode_st, CUgraphExec_st, CUfunc_st,
             CUkern_st, CUmemPoolHandle_st, CUuserObject_st, cudaArray, cudaMipmappedArray>;

template <class T>
constexpr bool is_number() {
  if constexpr (!std::is_pointer_v<T>) {
    return true;
  } else {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    return std::is_void_v<Pointee> || std::is_function_v<Pointee> || kIsHandle<Pointee>;
  }
}

/// The value of an argument that counts something, by value or by pointer.
template <size_t Index, class Args>
uint64_t count_in(const Args& args) {
  const auto value = std::get<Index>(args);
  if constexpr (std::is_pointer_v<decltype(value)>) {
    return value == nullptr ? 0 : static_cast<uint64_t>(*value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

}  // namespace warpgrade::cudart
