// SPDX-License-Identifier: MIT
// How much memory a graph's allocations need at one time.
#include <algorithm>
#include <set>

#include "emulator/runtime/graph/graphs.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kAlignment = 512;

/// All that a node waits for, at any distance.
std::set<const CUgraphNode_st*> before(const CUgraphNode_st& node) {
  std::set<const CUgraphNode_st*> reached;
  std::vector<const CUgraphNode_st*> open(node.after.begin(), node.after.end());
  while (!open.empty()) {
    const CUgraphNode_st* const next = open.back();
    open.pop_back();
    if (reached.insert(next).second)
      open.insert(open.end(), next->after.begin(), next->after.end());
  }
  return reached;
}

struct Placed {
  const void* pointer;
  size_t begin, end;
};

bool is_freed(const void* pointer, const std::set<const CUgraphNode_st*>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const CUgraphNode_st* node) {
    const auto* const freed = std::get_if<FreeNode>(&node->work);
    return freed != nullptr && freed->pointer == pointer;
  });
}

/// Places an allocation at the lowest offset that no other may hold at the same time.
Placed place(const CUgraphNode_st& node, const AllocNode& work, const std::vector<Placed>& placed) {
  const std::set<const CUgraphNode_st*> earlier = before(node);
  std::vector<Placed> live;
  for (const Placed& one : placed) {
    if (!is_freed(one.pointer, earlier)) live.push_back(one);
  }
  std::sort(live.begin(), live.end(),
            [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
  const size_t bytes = round_up(work.params.bytesize, kAlignment);
  size_t begin = 0;
  for (const Placed& one : live) {
    if (begin + bytes <= one.begin) break;
    begin = std::max(begin, one.end);
  }
  return {work.params.dptr, begin, begin + bytes};
}

}  // namespace

size_t footprint(const std::vector<CUgraphNode_st*>& order, int device) {
  std::vector<Placed> placed;
  size_t most = 0, children = 0;
  for (const CUgraphNode_st* node : order) {
    if (const auto* child = std::get_if<ChildNode>(&node->work)) {
      std::vector<CUgraphNode_st*> inner;
      if (put_in_order(*child->graph, inner)) children += footprint(inner, device);
    }
    const auto* work = std::get_if<AllocNode>(&node->work);
    if (work == nullptr || work->params.poolProps.location.id != device) continue;
    placed.push_back(place(*node, *work, placed));
    most = std::max(most, placed.back().end);
  }
  return most + children;
}

}  // namespace warpgrade::emulator
