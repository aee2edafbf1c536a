// SPDX-License-Identifier: MIT
#include "emulator/ptx/source_map.h"

namespace warpgrade::emulator::ptx {

bool is_toolkit_header(const std::map<uint32_t, std::string>& files, uint32_t file) {
  const auto found = files.find(file);
  if (found == files.end()) return false;
  const std::string& path = found->second;
  const size_t include = path.find("/include/");
  return include != std::string::npos && path.find("cuda") < include;
}

void SourceMap::move_to(Position position, std::optional<Position> inlined_at) {
  // Line 0 marks code that belongs to no line: it stays with the line before it.
  if (position.line == 0) return;
  if (inlined_at) callers_[position] = *inlined_at;
  Position visible = position;
  constexpr int kMaxInlineDepth = 64;
  for (int depth = 0; depth < kMaxInlineDepth && is_toolkit_header(*files_, visible.file);
       ++depth) {
    const auto caller = callers_.find(visible);
    if (caller == callers_.end()) break;
    visible = caller->second;
  }
  current_ = {visible.file, visible.line};
  if (first_.line == 0) first_ = current_;
}

}  // namespace warpgrade::emulator::ptx
