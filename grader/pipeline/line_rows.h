// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/result.h"

namespace warpgrade {

/// Chooses which of the lines that launches counted a result holds: of each kernel those of the one case in which
/// it did most, and of all kernels those that did most, so that a result stays small.
class LineRows {
 public:
  static constexpr size_t kMostRows = 100;

  /// `source_file`: the base name of the student's file; other files' lines are left out.
  explicit LineRows(std::string source_file) : source_file_(std::move(source_file)) {}

  /// The launches of one case that students may know.
  void add(const std::string& case_id, const Trace& trace);
  /// By kernel and line.
  std::vector<LineRow> rows() const;

 private:
  struct Lines {
    std::string case_id;
    uint64_t warps = 0;
    std::map<int, LineCounts> by_line;
  };

  std::string source_file_;
  std::map<std::string, Lines> by_kernel_;
};

}  // namespace warpgrade
