// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

/// Arrays in and out of a driver as version 1.0 .npy files. Header-only C++17 on the standard
/// library alone, because nvcc compiles it into every student program; the grader itself reads with
/// base/npy.h. Every failure ends the program with status 98 and one sentence on stderr.
namespace warpgrade::npy_io {

/// Where the device keeps the record, a driver notes there what it writes: a range that begins so, then the name and, where the
/// elements have at most so many bytes, a colon and these in hexadecimal digits.
constexpr const char* kNoted = "warpgrade.output:";
constexpr size_t kMostNotedBytes = 1024;

template <class T>
struct Array {
  std::vector<size_t> shape;
  std::vector<T> values;
};

[[noreturn]] inline void fail(const std::string& path, const char* why) {
  std::fprintf(stderr, "driver: %s: %s\n", path.c_str(), why);
  std::exit(98);
}

template <class T>
constexpr const char* dtype() {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) >= 4 || std::is_same_v<T, uint8_t>),
                "no .npy type for T");
  if (sizeof(T) == 1) return "|u1";
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "<f4" : "<f8";
  if (std::is_signed_v<T>) return sizeof(T) == 4 ? "<i4" : "<i8";
  return sizeof(T) == 4 ? "<u4" : "<u8";
}

inline size_t count(const std::vector<size_t>& shape) {
  size_t product = 1;
  for (const size_t extent : shape) product *= extent;
  return product;
}

/// The header's dictionary and its padding: magic, length and dictionary together fill a multiple
/// of 64 bytes.
template <class T>
std::string header(const std::vector<size_t>& shape) {
  std::string text =
      std::string("{'descr': '") + dtype<T>() + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += std::to_string(shape[i]) + (i + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "");
  }
  text += "), }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  return text + '\n';
}

/// The extents between the parentheses of the dictionary.
inline std::vector<size_t> parse_shape(const std::string& dictionary) {
  std::vector<size_t> shape;
  const size_t open = dictionary.find('(');
  const char* at = open == std::string::npos ? "" : dictionary.c_str() + open + 1;
  while (*at != '\0' && *at != ')') {
    char* end = nullptr;
    const unsigned long long extent = std::strtoull(at, &end, 10);
    if (end == at) break;
    shape.push_back(static_cast<size_t>(extent));
    at = end + std::strspn(end, ", ");
  }
  return shape;
}

/// Closes its file at the end of the scope.
struct File {
  std::FILE* stream;
  explicit File(std::FILE* opened) : stream(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (stream != nullptr) std::fclose(stream);
  }
};

template <class T>
Array<T> read(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file.stream == nullptr) fail(path, "cannot be opened");
  unsigned char start[10];
  if (std::fread(start, 1, sizeof start, file.stream) != sizeof start ||
      std::memcmp(start, "\x93NUMPY\x01\x00", 8) != 0) {
    fail(path, "is not a version 1.0 .npy file");
  }
  std::string dictionary(start[8] + 256u * start[9], '\0');
  if (std::fread(dictionary.data(), 1, dictionary.size(), file.stream) != dictionary.size())
    fail(path, "is cut short");
  if (dictionary.find(std::string("'") + dtype<T>() + "'") == std::string::npos)
    fail(path, "holds another element type");
  Array<T> array{parse_shape(dictionary), {}};
  array.values.resize(count(array.shape));
  const size_t got = std::fread(array.values.data(), sizeof(T), array.values.size(), file.stream);
  if (got != array.values.size()) fail(path, "is cut short");
  return array;
}

template <class T>
void write(const std::string& path, const std::vector<size_t>& shape, const T* values) {
  const File file(std::fopen(path.c_str(), "wb"));
  if (file.stream == nullptr) fail(path, "cannot be made");
  const std::string dictionary = header<T>(shape);
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(dictionary.size() & 0xFF);
  start += static_cast<char>(dictionary.size() >> 8);
  start += dictionary;
  const bool whole = std::fwrite(start.data(), 1, start.size(), file.stream) == start.size() &&
                     std::fwrite(values, sizeof(T), count(shape), file.stream) == count(shape) &&
                     std::fflush(file.stream) == 0;
  if (!whole) fail(path, "cannot be written");
}

}  // namespace warpgrade::npy_io
