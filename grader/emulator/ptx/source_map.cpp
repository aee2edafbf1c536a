// SPDX-License-Identifier: MIT
#include "emulator/ptx/source_map.h"

namespace warpgrade::emulator::ptx {

void SourceMap::move_to(Position position, std::optional<Position> inlined_at) {
  // Line 0 marks code that belongs to no line: it stays with the line before it.
  if (position.line == 0) return;
  if (inlined_at) callers_[position] = *inlined_at;
  Position visible = position;
  constexpr int kMaxInlineDepth = 64;
  for (int depth = 0; depth < kMaxInlineDepth && is_toolkit_header(visible.file); ++depth) {
    const auto caller = callers_.find(visible);
    if (caller == callers_.end()) break;
    visible = caller->second;
  }
  current_ = {visible.file, visible.line};
  if (first_.line == 0) first_ = current_;
}

bool SourceMap::is_toolkit_header(uint32_t file) const {
  const auto found = files_->find(file);
  if (found == files_->end()) return false;
  const std::string& path = found->second;
  const size_t include = path.find("/include/");
  return include != std::string::npos && path.find("cuda") < include;
}

}  // namespace warpgrade::emulator::ptx
