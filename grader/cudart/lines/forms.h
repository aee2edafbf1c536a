// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace warpgrade::cudart {

/// Reads numbers and texts one after another. Past the end it gives zeros, and ok() is false from then on.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(std::span<const std::byte> bytes, uint64_t offset = 0)
      : left_(offset <= bytes.size() ? bytes.subspan(offset) : std::span<const std::byte>()),
        ok_(offset <= bytes.size()) {}

  template <class T>
  T take() {
    T value{};
    if (left_.size() < sizeof value) {
      ok_ = false;
      left_ = {};
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  uint64_t take_sized(unsigned bytes) {
    switch (bytes) {
      case 1:
        return take<uint8_t>();
      case 2:
        return take<uint16_t>();
      case 4:
        return take<uint32_t>();
      case 8:
        return take<uint64_t>();
      default:
        skip(bytes);
        return 0;
    }
  }
  uint64_t take_uleb() { return take_leb(false); }
  int64_t take_sleb() { return static_cast<int64_t>(take_leb(true)); }
  std::string_view take_text() {
    const auto* const begin = reinterpret_cast<const char*>(left_.data());
    const size_t bytes = left_.empty() ? 0 : ::strnlen(begin, left_.size());
    if (bytes == left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    left_ = left_.subspan(bytes + 1);
    return {begin, bytes};
  }
  void skip(uint64_t bytes) {
    if (bytes > left_.size()) ok_ = false;
    left_ = left_.subspan(std::min<uint64_t>(bytes, left_.size()));
  }
  /// The next bytes, which this one goes past.
  std::span<const std::byte> take_part(uint64_t bytes) {
    const auto part = left_.first(std::min<uint64_t>(bytes, left_.size()));
    skip(bytes);
    return part;
  }
  size_t left() const { return left_.size(); }
  bool ok() const { return ok_; }

 private:
  uint64_t take_leb(bool is_signed) {
    constexpr unsigned kBits = 7, kMost = 64;
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while ((byte & 0x80) != 0 && ok_) {
      byte = take<uint8_t>();
      if (shift < kMost) value |= uint64_t{byte & 0x7fU} << shift;
      shift += kBits;
    }
    if (is_signed && shift < kMost && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return value;
  }

  std::span<const std::byte> left_;
  bool ok_ = true;
};

/// The sections of an ELF file that hold its DWARF; those that it lacks, or holds compressed, are empty.
struct Sections {
  std::span<const std::byte> info, abbrev, line, str, line_str, ranges, rnglists, addr;
};

Sections sections_of(std::span<const std::byte> elf);

/// How a value is written. Numbers of DWARF 5, section 7.5.6.
enum Form : uint64_t {
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4,
  kData2,
  kData4,
  kData8,
  kString,
  kBlock,
  kBlock1,
  kData1,
  kFlag,
  kSdata,
  kStrp,
  kUdata,
  kRefAddr,
  kRef1,
  kRef2,
  kRef4,
  kRef8,
  kRefUdata,
  kIndirect,
  kSecOffset,
  kExprloc,
  kFlagPresent,
  kStrx,
  kAddrx,
  kRefSup4,
  kStrpSup,
  kData16,
  kLineStrp,
  kRefSig8,
  kImplicitConst,
  kLoclistx,
  kRnglistx,
  kRefSup8,
  kStrx1,
  kStrx2,
  kStrx3,
  kStrx4,
  kAddrx1,
  kAddrx2,
  kAddrx3,
  kAddrx4,
};

/// What a unit's entries need to be read.
struct Unit {
  uint16_t version = 0;
  uint8_t address_bytes = 8;
  uint64_t abbrev_offset = 0, addr_base = 0, rnglists_base = 0, low_pc = 0;
};

/// A value of that form, 0 for a block of bytes.
uint64_t take_form(Cursor& cursor, uint64_t form, const Unit& unit, int64_t implicit);

}  // namespace warpgrade::cudart
