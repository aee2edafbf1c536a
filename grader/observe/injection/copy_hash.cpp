// SPDX-License-Identifier: MIT
#include "observe/injection/copy_hash.h"

#include <string_view>

#include "base/content_hash.h"

namespace warpgrade::injection {
namespace {

constexpr size_t kMaxRowHashes = 4096;

std::string hex(uint64_t value) {
  std::string text(16, '0');
  for (size_t i = text.size(); i > 0; --i, value >>= 4)
    text[i - 1] = "0123456789abcdef"[value & 15];
  return text;
}

}  // namespace

void note_hashes(const Copy& copy, Json& args) {
  const size_t rows = copy.height * copy.depth;
  const bool by_row = rows > 1 && rows <= kMaxRowHashes;
  ContentHash whole;
  Json of_rows = Json::array();
  for (size_t slice = 0; slice < copy.depth; ++slice) {
    for (size_t row = 0; row < copy.height; ++row) {
      const uint64_t at = copy.to.address + slice * copy.to.slice_pitch + row * copy.to.pitch;
      const std::string_view bytes(reinterpret_cast<const char*>(at), copy.width);
      whole.add(bytes);
      if (by_row) of_rows.push_back(hex(content_hash(bytes)));
    }
  }
  args["content_hash"] = hex(whole.value());
  if (by_row) args["row_hashes"] = of_rows;
}

}  // namespace warpgrade::injection
