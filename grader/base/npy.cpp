// SPDX-License-Identifier: MIT
#include "base/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace warpgrade {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr size_t kPrefixBytes = kMagic.size() + 2;
constexpr size_t kAlignment = 64;
constexpr size_t kMaxRank = 8;

/// Calls `f` with a zero of the dtype's type; false where the dtype is none of ours.
template <class F>
bool with_type(std::string_view dtype, F f) {
  const auto try_types = [&](auto... zeros) {
    return ((dtype == npy_dtype<decltype(zeros)>() ? (f(zeros), true) : false) || ...);
  };
  return try_types(float{}, double{}, int32_t{}, int64_t{}, uint32_t{}, uint64_t{}, uint8_t{});
}

size_t element_bytes(std::string_view dtype) {
  size_t bytes = 0;
  with_type(dtype, [&](auto zero) { bytes = sizeof zero; });
  return bytes;
}

/// The header's Python dictionary, read token by token.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  /// Fills dtype and shape; false where the text is not exactly such a dictionary, in C order.
  bool read(NpyArray& array) {
    bool descr = false, order = false, shape = false;
    if (!take("{")) return false;
    while (!take("}")) {
      if (!descr && take("'descr':")) {
        descr = read_dtype(array.dtype);
        if (!descr) return false;
      } else if (!order && take("'fortran_order':")) {
        order = take("False");
        if (!order) return false;
      } else if (!shape && take("'shape':")) {
        shape = read_shape(array.shape);
        if (!shape) return false;
      } else {
        return false;
      }
      if (!take(",") && !at("}")) return false;
    }
    return descr && order && shape && trim(rest_).empty();
  }

 private:
  bool at(std::string_view token) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    return rest_.substr(0, token.size()) == token;
  }

  bool take(std::string_view token) {
    if (!at(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool read_dtype(std::string& dtype) {
    if (!take("'")) return false;
    const size_t end = std::min(rest_.find('\''), rest_.size());
    dtype = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return take("'");
  }

  bool read_shape(std::vector<size_t>& shape) {
    if (!take("(")) return false;
    while (!take(")")) {
      size_t extent = 0;
      at("");
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || shape.size() == kMaxRank) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (!take(",") && !at(")")) return false;
    }
    return true;
  }

  std::string_view rest_;
};

/// Bytes of all elements; nothing where the product is too large to be true.
std::optional<size_t> total_bytes(const NpyArray& array) {
  size_t total = element_bytes(array.dtype);
  for (const size_t extent : array.shape) {
    if (__builtin_mul_overflow(total, extent, &total)) return std::nullopt;
  }
  return total;
}

std::string header_of(const NpyArray& array) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", array.dtype,
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  text.append(kAlignment - 1 - (kPrefixBytes + text.size()) % kAlignment, ' ');
  return text + '\n';
}

}  // namespace

size_t NpyArray::count() const {
  size_t product = 1;
  for (const size_t extent : shape) product *= extent;
  return product;
}

std::vector<double> NpyArray::as_doubles() const {
  std::vector<double> values;
  with_type(dtype, [&](auto zero) {
    const auto elements = as<decltype(zero)>();
    values.assign(elements.begin(), elements.end());
  });
  return values;
}

Result<NpyArray> parse_npy(std::string_view contents) {
  if (contents.substr(0, kMagic.size()) != kMagic) return Error{"not a version 1.0 .npy file"};
  if (contents.size() < kPrefixBytes) return Error{"the header is cut short"};
  const size_t header_bytes = static_cast<unsigned char>(contents[kMagic.size()]) +
                              256u * static_cast<unsigned char>(contents[kMagic.size() + 1]);
  contents.remove_prefix(kPrefixBytes);
  if (contents.size() < header_bytes) return Error{"the header is cut short"};
  NpyArray array;
  if (!HeaderReader(contents.substr(0, header_bytes)).read(array)) {
    return Error{"the header is not that of an array in C order"};
  }
  contents.remove_prefix(header_bytes);
  if (element_bytes(array.dtype) == 0) {
    return Error{fmt::format("element type '{}' is none of <f4 <f8 <i4 <i8 <u4 <u8 |u1",
                             printable(array.dtype))};
  }
  const std::optional<size_t> wanted = total_bytes(array);
  if (wanted != contents.size()) {
    return Error{fmt::format("shape ({}) does not fit its {} bytes of elements",
                             fmt::join(array.shape, ", "), contents.size())};
  }
  const auto* first = reinterpret_cast<const std::byte*>(contents.data());
  array.bytes.assign(first, first + contents.size());
  return array;
}

std::string format_npy(const NpyArray& array) {
  const std::string header = header_of(array);
  std::string file(kMagic);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

}  // namespace warpgrade
