// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade {

struct Trace;

/// Alike kernels, or copies of one direction, or fills, that a device ran.
struct WorkPiece {
  std::string kernel = {};  ///< empty: a copy or a fill
  std::array<long, 3> grid{}, block{};
  long dynamic_shared_bytes = 0;
  std::string direction = {};  ///< of a copy: "HtoD", "DtoH" or "DtoD"
  uint64_t bytes = 0;          ///< of a copy or fill
  long count = 1;

  bool operator==(const WorkPiece&) const = default;
};

/// All that devices ran for one range, in any order.
using Work = std::vector<WorkPiece>;
using WorkByRange = std::map<std::string, Work>;

/// What devices ran for each range that a trace names: kernels, and the copies and fills of calls, graphs and kernels.
WorkByRange work_by_range(const Trace& trace);

/// One line for each sort of work, sorted: what two runs of one program should have in common. The
/// bytes of copies of one direction are added up, since a driver may split a copy. Kernels of CUB
/// and Thrust stand there by their names alone: these libraries choose shapes for each GPU.
std::vector<std::string> lines_of(const Work& work);

/// Two runs of one range that did not do the same.
struct WorkDifference {
  std::vector<std::string> judged, timed;  ///< lines_of() both

  bool operator==(const WorkDifference&) const = default;
};

/// How the sizes of two runs compare: runs of other sizes have only kernels' names and blocks, the
/// directions of copies and whether there are fills in common.
enum class Sizes { kSame, kOther };

/// What `timed` has otherwise than `judged`; nothing where they agree.
std::optional<WorkDifference> compare_work(const Work& judged, const Work& timed, Sizes sizes);

/// Whether `timed` is a part of `judged`, as where records were lost.
bool is_part_of(const Work& timed, const Work& judged, Sizes sizes);

/// The lines that only one of the runs has, at most three of each: "only timed: ...; only judged: ...".
std::string in_words(const WorkDifference& difference);

}  // namespace warpgrade
