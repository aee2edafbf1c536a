// SPDX-License-Identifier: MIT
#include "emulator/exec/missing_sizeof.h"

#include <algorithm>
#include <cstring>

namespace warpgrade::emulator {
namespace {

/// The kernel's integers: those of its parameters that are as large as one.
std::vector<uint64_t> numbers_of(const LaunchContext& launch) {
  std::vector<uint64_t> numbers;
  const KernelInfo* const kernel = find_kernel(*launch.module, launch.request->kernel);
  const auto& values = launch.request->parameters;
  for (const KernelParameter& each : kernel->parameters) {
    uint64_t number = 0;
    const bool fits = each.size == sizeof(uint32_t) || each.size == sizeof(uint64_t);
    if (!fits || each.offset + each.size > values.size()) continue;
    std::memcpy(&number, values.data() + each.offset, each.size);
    numbers.push_back(number);
  }
  return numbers;
}

/// Whether the kernel was given that number, or two numbers whose product it is.
bool counts(const LaunchContext& launch, uint64_t size) {
  const std::vector<uint64_t> numbers = numbers_of(launch);
  for (const uint64_t a : numbers) {
    if (a == size) return true;
    if (a == 0 || a > size || size % a != 0) continue;
    if (std::find(numbers.begin(), numbers.end(), size / a) != numbers.end()) return true;
  }
  return false;
}

}  // namespace

std::optional<MissingSizeof> missing_sizeof(const LaunchContext& launch, uint64_t address,
                                            unsigned bytes) {
  const std::vector<Allocation>& all = launch.memory->allocations();
  const auto above =
      std::upper_bound(all.begin(), all.end(), address,
                       [](uint64_t at, const Allocation& each) { return at < each.begin; });
  if (above == all.begin() || bytes < 2) return std::nullopt;
  const Allocation& below = *std::prev(above);
  const bool is_plain = below.kind == AllocationKind::linear && below.pitch == 0;
  if (!is_plain || address - below.begin >= below.size * bytes) return std::nullopt;
  const bool holds_what_is_counted = below.size % bytes == 0 && counts(launch, below.size / bytes);
  if (holds_what_is_counted || !counts(launch, below.size)) return std::nullopt;
  return MissingSizeof{below.size};
}

}  // namespace warpgrade::emulator
