// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/fatbin.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {
namespace {

// The largest PTX text that is believed; cuRAND's tables make 1 MB, whole libraries some 10 MB.
constexpr uint64_t kMaxPtxBytes = uint64_t{256} << 20;
/// How often a byte of a payload may be repeated: LZ4 cannot do more, and no PTX has needed more.
constexpr uint64_t kMaxRatio = 256;

/// Little-endian field of `bytes`, which must hold it.
template <class T>
T field(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct Region {
  uint16_t kind = 0;
  int sm = 0;
  uint64_t flags = 0;
  uint64_t uncompressed_bytes = 0;
  std::string_view payload;
};

/// Cuts one region off the front of `rest`.
Result<Region> take_region(std::string_view& rest) {
  if (rest.size() < toolkit::kRegionHeaderBytes) return Error{"a region's header is cut off"};
  const auto header_bytes = field<uint32_t>(rest, toolkit::kRegionHeaderSizeAt);
  const auto padded_bytes = field<uint64_t>(rest, toolkit::kRegionPayloadSizeAt);
  const auto compressed_bytes = field<uint32_t>(rest, toolkit::kRegionCompressedSizeAt);
  if (header_bytes < toolkit::kRegionHeaderBytes || header_bytes > rest.size()) {
    return Error{fmt::format("a region's header of {} bytes does not fit", header_bytes)};
  }
  if (padded_bytes > rest.size() - header_bytes || compressed_bytes > padded_bytes) {
    return Error{fmt::format("a region's payload of {} bytes does not fit", padded_bytes)};
  }
  Region region;
  region.kind = field<uint16_t>(rest, toolkit::kRegionKindAt);
  region.sm = static_cast<int>(field<uint32_t>(rest, toolkit::kRegionSmAt));
  region.flags = field<uint64_t>(rest, toolkit::kRegionFlagsAt);
  region.uncompressed_bytes = field<uint64_t>(rest, toolkit::kRegionUncompressedSizeAt);
  region.payload =
      rest.substr(header_bytes, compressed_bytes != 0 ? compressed_bytes : padded_bytes);
  rest.remove_prefix(header_bytes + padded_bytes);
  return region;
}

Result<std::string> decompress(const Region& region) {
  if (region.uncompressed_bytes > kMaxPtxBytes || region.payload.size() > kMaxPtxBytes ||
      region.uncompressed_bytes / kMaxRatio > region.payload.size()) {
    return Error{fmt::format("PTX of {} bytes is too large", region.uncompressed_bytes)};
  }
  std::string text(region.uncompressed_bytes, '\0');
  const std::string_view packed = region.payload;
  size_t got = 0;
  if (region.flags & toolkit::kFlagZstd) {
    got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(got)) return Error{"its zstd-compressed PTX is damaged"};
  } else {
    const int unpacked = LZ4_decompress_safe(
        packed.data(), text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size()));
    if (unpacked < 0) return Error{"its LZ4-compressed PTX is damaged"};
    got = static_cast<size_t>(unpacked);
  }
  if (got != text.size()) return Error{"its compressed PTX is shorter than it says"};
  return text;
}

/// Whether the target is that of one architecture ("sm_90a") or family ("sm_100f"); the directive stands before all code.
bool is_specific(std::string_view ptx) {
  constexpr std::string_view kTarget = ".target";
  const size_t directive = ptx.find(kTarget);
  if (directive == ptx.npos) return false;
  std::string_view target = ptx.substr(directive + kTarget.size());
  target.remove_prefix(std::min(target.find_first_not_of(" \t"), target.size()));
  target = target.substr(0, target.find_first_of(" \t\r\n,"));
  return target.ends_with('a') || target.ends_with('f');
}

Result<FatbinEntry> to_entry(const Region& region) {
  FatbinEntry entry;
  entry.sm = region.sm;
  if (region.kind == toolkit::kRegionElf) entry.kind = FatbinKind::elf;
  if (region.kind != toolkit::kRegionPtx) return entry;
  entry.kind = FatbinKind::ptx;
  if (region.flags & (toolkit::kFlagZstd | toolkit::kFlagLz4)) {
    Result<std::string> text = decompress(region);
    if (!text) return text.error();
    entry.ptx = std::move(text).value();
  } else {
    entry.ptx = region.payload;
  }
  while (!entry.ptx.empty() && entry.ptx.back() == '\0') entry.ptx.pop_back();
  entry.is_specific = is_specific(entry.ptx);
  return entry;
}

Error damaged(const std::string& why) {
  return {"the program's embedded device code cannot be read: " + why};
}

}  // namespace

Result<size_t> fatbin_size(std::string_view header) {
  if (header.size() < toolkit::kFatbinHeaderBytes) return damaged("its header is cut off");
  if (field<uint32_t>(header, 0) != toolkit::kFatbinMagic) return damaged("its header is unknown");
  const auto header_bytes = field<uint16_t>(header, toolkit::kFatbinHeaderSizeAt);
  const auto body_bytes = field<uint64_t>(header, toolkit::kFatbinBodySizeAt);
  if (header_bytes < toolkit::kFatbinHeaderBytes || body_bytes > SIZE_MAX / 2) {
    return damaged("its header has an impossible size");
  }
  return header_bytes + body_bytes;
}

Result<std::vector<FatbinEntry>> read_fatbin(std::string_view image) {
  const Result<size_t> size = fatbin_size(image);
  if (!size) return size.error();
  if (*size > image.size()) return damaged("it is cut off");
  std::string_view rest = image.substr(0, *size);
  rest.remove_prefix(field<uint16_t>(image, toolkit::kFatbinHeaderSizeAt));
  std::vector<FatbinEntry> entries;
  while (!rest.empty()) {
    const Result<Region> region = take_region(rest);
    if (!region) return damaged(region.error().message);
    Result<FatbinEntry> entry = to_entry(*region);
    if (!entry) return damaged(entry.error().message);
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int sm) {
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinKind::ptx || entry.sm > sm) continue;
    if (entry.is_specific && entry.sm != sm) continue;
    const bool is_better = best == nullptr || entry.sm > best->sm ||
                           (entry.sm == best->sm && entry.is_specific && !best->is_specific);
    if (is_better) best = &entry;
  }
  return best;
}

std::string explain_no_ptx(const std::vector<FatbinEntry>& entries, int sm) {
  int lowest = 0;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != FatbinKind::ptx) continue;
    lowest = lowest == 0 ? entry.sm : std::min(lowest, entry.sm);
  }
  const std::string option = "-gencode arch=compute_75,code=compute_75";
  if (lowest == 0) return "the program was built with no PTX: use " + option;
  std::string words = fmt::format(
      "the program's PTX is for compute capability {}.{} and above, the device has {}.{}",
      lowest / 10, lowest % 10, sm / 10, sm % 10);
  if (sm >= 75) words += ": add " + option;
  return words;
}

}  // namespace warpgrade::emulator
