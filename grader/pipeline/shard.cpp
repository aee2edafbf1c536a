// SPDX-License-Identifier: MIT
#include "pipeline/shard.h"

#include <charconv>

#include "base/hash.h"
#include "base/text.h"

namespace warpgrade {
namespace {

constexpr int kMostShards = 100'000;

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = failed == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

}  // namespace

bool Shard::holds(std::string_view student) const {
  // The low bits of FNV-1a alone are much alike for ids that differ in one digit.
  const uint64_t hash = fnv1a_64(student);
  const uint64_t mixed = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15u;
  return static_cast<int>((mixed >> 32) % static_cast<uint64_t>(count)) == index - 1;
}

std::optional<Shard> Shard::parse(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const std::optional<int> index = parse_number(parts[0]), count = parse_number(parts[1]);
  const bool is_shard = index && count && *index >= 1 && *index <= *count && *count <= kMostShards;
  return is_shard ? std::optional(Shard{*index, *count}) : std::nullopt;
}

}  // namespace warpgrade
