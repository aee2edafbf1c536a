// SPDX-License-Identifier: MIT
#include "observe/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "observe/trace.h"

namespace warpgrade {
namespace {

/// How much there is of one sort of work: kernels count, and bytes of copies and fills.
using Amounts = std::map<std::string, uint64_t>;

/// The name without its template arguments where it is a kernel of CUB's or Thrust's; else empty.
std::string library_kernel(const std::string& name) {
  for (const char* space : {"cub::", "thrust::"}) {
    const size_t begin = name.find(space);
    const bool begins_name = begin != std::string::npos && (begin == 0 || name[begin - 1] == ' ');
    if (begins_name) return name.substr(begin, name.find_first_of("<(", begin) - begin);
  }
  return "";
}

std::string shape(const std::array<long, 3>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

std::string kernel_text(const WorkPiece& piece, Sizes sizes) {
  if (const std::string library = library_kernel(piece.kernel); !library.empty())
    return "kernels " + library;
  if (sizes == Sizes::kOther)
    return fmt::format("kernel {}, block {}", piece.kernel, shape(piece.block));
  return fmt::format("kernel {}, grid {}, block {}, {} bytes of dynamic shared memory",
                     piece.kernel, shape(piece.grid), shape(piece.block),
                     piece.dynamic_shared_bytes);
}

std::string text_of(const WorkPiece& piece, Sizes sizes) {
  if (!piece.kernel.empty()) return kernel_text(piece, sizes);
  return piece.direction.empty() ? "fills" : "copies " + piece.direction;
}

Amounts amounts_of(const Work& work, Sizes sizes) {
  Amounts amounts;
  for (const WorkPiece& piece : work) {
    uint64_t& amount = amounts[text_of(piece, sizes)];
    const auto count = static_cast<uint64_t>(piece.count);
    if (sizes == Sizes::kOther || !library_kernel(piece.kernel).empty())
      amount = 1;
    else
      amount += piece.kernel.empty() ? count * piece.bytes : count;
  }
  return amounts;
}

bool is_kernel_line(const std::string& text) { return text.starts_with("kernel "); }

std::vector<std::string> only_in(const std::vector<std::string>& lines,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> found;
  std::set_difference(lines.begin(), lines.end(), others.begin(), others.end(),
                      std::back_inserter(found));
  return found;
}

/// As a GPU's records name it.
std::string direction_of(const Transfers& transfers) {
  if (!transfers.are_copies()) return "";
  return transfers.direction == "PtoP" ? "DtoD" : transfers.direction;
}

std::string first_of(const char* whose, std::vector<std::string> lines) {
  constexpr size_t kMost = 3;
  if (lines.empty()) return "";
  const size_t more = lines.size() - std::min(lines.size(), kMost);
  lines.resize(lines.size() - more);
  return fmt::format("only {}: {}{}", whose, join(lines, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

WorkByRange work_by_range(const Trace& trace) {
  WorkByRange work;
  for (const KernelLaunch& launch : trace.launches) {
    if (!launch.ran()) continue;
    work[launch.range].push_back(
        {launch.kernel, launch.grid, launch.block, launch.dynamic_shared_bytes, "", 0, 1});
  }
  for (const ApiCall& call : trace.calls) {
    for (const Transfers& each : call.transfers) {
      if (each.direction == "HtoH") continue;
      work[call.range].push_back({"", {}, {}, 0, direction_of(each), each.bytes, 1});
    }
  }
  return work;
}

std::vector<std::string> lines_of(const Work& work) {
  std::vector<std::string> lines;
  for (const auto& [text, amount] : amounts_of(work, Sizes::kSame)) {
    if (text.starts_with("kernels "))
      lines.push_back(text);
    else
      lines.push_back(is_kernel_line(text) ? fmt::format("{} x {}", amount, text)
                                           : fmt::format("{}, {} bytes", text, amount));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::optional<WorkDifference> compare_work(const Work& judged, const Work& timed, Sizes sizes) {
  if (amounts_of(judged, sizes) == amounts_of(timed, sizes)) return std::nullopt;
  return WorkDifference{lines_of(judged), lines_of(timed)};
}

bool is_part_of(const Work& timed, const Work& judged, Sizes sizes) {
  const Amounts all = amounts_of(judged, sizes);
  const Amounts some = amounts_of(timed, sizes);
  return std::all_of(some.begin(), some.end(), [&](const auto& part) {
    const auto whole = all.find(part.first);
    return whole != all.end() && part.second <= whole->second;
  });
}

std::string in_words(const WorkDifference& difference) {
  std::vector<std::string> parts = {
      first_of("timed", only_in(difference.timed, difference.judged)),
      first_of("judged", only_in(difference.judged, difference.timed))};
  std::erase(parts, "");
  return join(parts, "; ");
}

}  // namespace warpgrade
