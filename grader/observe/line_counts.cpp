// SPDX-License-Identifier: MIT
#include "observe/line_counts.h"

namespace warpgrade {

void AccessCounts::add(const AccessCounts& more) {
  requests += more.requests;
  transfers += more.transfers;
  fewest += more.fewest;
}

double AccessCounts::excess() const {
  return fewest == 0 ? 1 : static_cast<double>(transfers) / static_cast<double>(fewest);
}

void LineCounts::add(const LineCounts& more) {
  warps += more.warps;
  threads += more.threads;
  global_loads.add(more.global_loads);
  global_stores.add(more.global_stores);
  shared_loads.add(more.shared_loads);
  shared_stores.add(more.shared_stores);
  branches += more.branches;
  divergent += more.divergent;
  ms += more.ms;
}

}  // namespace warpgrade
