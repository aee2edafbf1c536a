// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade::emulator {

enum class FatbinKind { ptx, elf, other };

/// One image of a program's device code.
struct FatbinEntry {
  FatbinKind kind = FatbinKind::other;
  int sm = 0;                ///< 75 for compute capability 7.5.
  bool is_specific = false;  ///< PTX for this compute capability and no later one: .target sm_90a.
  std::string ptx;  ///< The text where kind is ptx, else empty: machine code is never looked into.
};

/// Reads the container that nvcc embeds in programs. Safe on any bytes; what is truncated or does
/// not decompress is an Error, never a guess.
Result<std::vector<FatbinEntry>> read_fatbin(std::string_view image);

/// Size of the whole container from its first 16 bytes, or an Error where they are no such header.
Result<size_t> fatbin_size(std::string_view header);

/// The PTX with the highest sm not above `sm`, or null. PTX for `sm` alone is preferred to PTX for `sm` and later.
const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int sm);

/// Why choose_ptx() found nothing, with the remedy.
std::string explain_no_ptx(const std::vector<FatbinEntry>& entries, int sm);

}  // namespace warpgrade::emulator
