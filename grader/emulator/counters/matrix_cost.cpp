// SPDX-License-Identifier: MIT
#include "emulator/counters/matrix_cost.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

constexpr unsigned kLanes = 32, kGroups = 8, kMembers = 4;
constexpr uint32_t kAllLanes = 0xFFFF'FFFF;

/// Visits the lanes' addresses, request by request: visit(addresses, bytes of a lane).
template <class Visit>
void visit_along(const MatrixAccess& access, unsigned unit_bytes, Visit visit) {
  const unsigned step = kMembers * unit_bytes;
  const unsigned line_bytes = access.length * access.element_bits / 8;
  uint64_t addresses[kLanes];
  for (unsigned first = 0; first + kGroups <= access.lines; first += kGroups) {
    for (unsigned at = 0; at + step <= line_bytes; at += step) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        addresses[lane] = access.base + (first + lane / kMembers) * access.stride_bytes + at +
                          lane % kMembers * unit_bytes;
      }
      visit(addresses, unit_bytes);
    }
  }
}

template <class Visit>
void visit_across(const MatrixAccess& access, unsigned across, Visit visit) {
  const unsigned step = kMembers * across, bytes = access.element_bits / 8;
  uint64_t addresses[kLanes];
  for (unsigned first = 0; first + step <= access.lines; first += step) {
    for (unsigned which = 0; which < across; ++which) {
      for (unsigned at = 0; at + kGroups <= access.length; at += kGroups) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned line = first + lane % kMembers * across + which;
          addresses[lane] =
              access.base + line * access.stride_bytes + uint64_t{at + lane / kMembers} * bytes;
        }
        visit(addresses, bytes);
      }
    }
  }
}

template <class Visit>
void visit_requests(const MatrixAccess& access, Visit visit) {
  constexpr unsigned kWord = 4;
  const unsigned bytes = access.element_bits / 8;
  // A lane holds two neighbours of an accumulator, and of a or b what fills a register. Pairs of 16
  // bits are turned round in registers.
  if (access.natural || access.element_bits == 16) {
    const bool pairs = access.accumulator && bytes >= kWord;
    return visit_along(access, pairs ? 2 * bytes : std::max(bytes, kWord), visit);
  }
  visit_across(access, access.accumulator ? 2 : std::max(kWord / std::max(bytes, 1u), 1u), visit);
}

}  // namespace

void count_matrix(ExecutionCount& counts, const MatrixAccess& access, bool shared, bool store,
                  const SeeRequest& see) {
  AccessMemo memo;
  visit_requests(access, [&](const uint64_t* addresses, unsigned bytes) {
    ++counts.requests;
    if (shared) {
      const SharedCost cost = shared_cost(kAllLanes, addresses, bytes, store);
      counts.wavefronts += cost.wavefronts;
      counts.conflicts += cost.conflicts;
    } else {
      memorise(memo, kAllLanes, addresses, bytes);
      counts.sectors += count_sectors(memo, addresses[0], bytes);
      counts.bytes += count_bytes(memo, bytes);
      if (see) see(memo, addresses[0], bytes);
    }
  });
}

}  // namespace warpgrade::emulator
