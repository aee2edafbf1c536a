// SPDX-License-Identifier: MIT
#include "sandbox/capture.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {

void Capture::add(std::string_view text) {
  total_bytes_ += text.size();
  const size_t to_head = std::min(half_ - head_.size(), text.size());
  head_ += text.substr(0, to_head);
  tail_ += text.substr(to_head);
  // Cut seldom: each cut copies half_ bytes.
  if (tail_.size() > 2 * half_) tail_.erase(0, tail_.size() - half_);
}

std::string Capture::text() const {
  if (tail_.size() <= half_ && total_bytes_ == head_.size() + tail_.size()) return head_ + tail_;
  const std::string_view end =
      std::string_view(tail_).substr(tail_.size() - std::min(half_, tail_.size()));
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", head_,
                     total_bytes_ - head_.size() - end.size(), end);
}

}  // namespace warpgrade
