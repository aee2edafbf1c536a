// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// The dtype of elements of type T, as NumPy writes it: "<f4", "<f8", "<i4", "<i8", "<u4", "<u8" or
/// "|u1".
template <class T>
constexpr const char* npy_dtype() {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) >= 4 || std::is_same_v<T, uint8_t>));
  if (sizeof(T) == 1) return "|u1";
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "<f4" : "<f8";
  if (std::is_signed_v<T>) return sizeof(T) == 4 ? "<i4" : "<i8";
  return sizeof(T) == 4 ? "<u4" : "<u8";
}

/// An array in C order. `bytes` always holds exactly the elements that `shape` counts.
struct NpyArray {
  std::string dtype;
  std::vector<size_t> shape;
  std::vector<std::byte> bytes;

  /// Number of elements; an empty shape is one scalar.
  size_t count() const;

  /// The elements in place; empty where the dtype is not T's.
  template <class T>
  std::span<const T> as() const {
    if (dtype != npy_dtype<T>()) return {};
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// The elements as doubles, whatever the dtype. 64-bit integers beyond 2^53 are rounded.
  std::vector<double> as_doubles() const;

  bool operator==(const NpyArray&) const = default;
};

/// The bytes of all elements, in C order.
inline std::string_view bytes_view(const NpyArray& array) {
  return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()};
}

/// `values` must hold as many elements as `shape` counts.
template <class T>
NpyArray make_npy(std::vector<size_t> shape, const std::vector<T>& values) {
  NpyArray array{npy_dtype<T>(), std::move(shape),
                 std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

/// Reads the contents of a version 1.0 .npy file in C order with one of npy_dtype()'s types. Made
/// for hostile files: takes memory only for what `contents` holds, and refuses anything missing,
/// left over or oversized with a sentence.
Result<NpyArray> parse_npy(std::string_view contents);

/// The file that NumPy itself would write.
std::string format_npy(const NpyArray& array);

}  // namespace warpgrade
