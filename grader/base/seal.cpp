// SPDX-License-Identifier: MIT
#include "base/seal.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace warpgrade {
namespace {

constexpr size_t kMarkDigits = 32;

}  // namespace

// Hashed twice, as HMAC does: from the hash of a line follows that of a longer one.
std::string Seal::mark(std::string_view line) {
  state_ = sha256_hex(key_ + sha256_hex(key_ + state_ + std::string(line)));
  return state_.substr(0, kMarkDigits);
}

Result<std::string> open_sealed(std::string_view text, const std::string& key) {
  Seal seal(key);
  std::string lines;
  for (long number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const bool is_marked = line.size() > kMarkDigits && line[kMarkDigits] == ' ';
    const std::string_view rest = is_marked ? line.substr(kMarkDigits + 1) : "";
    if (!is_marked || line.substr(0, kMarkDigits) != seal.mark(rest))
      return Error{fmt::format("line {} is not the device's own", number)};
    lines += fmt::format("{}\n", rest);
  }
  return lines;
}

}  // namespace warpgrade
