// SPDX-License-Identifier: MIT
#include "emulator/analysis/block_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "emulator/analysis/register_uses.h"

namespace warpgrade::emulator {
namespace {

/// A hostile function may have loops in loops without end.
constexpr int kDeepestLoop = 64;
constexpr size_t kMostBlocks = size_t{1} << 15;
constexpr uint64_t kMostSteps = 20'000'000;
constexpr size_t kNone = SIZE_MAX;

struct FlowBlock {
  size_t first = 0, end = 0;  ///< instructions
  std::vector<size_t> next;   ///< blocks
  bool exits = false;
};

/// The basic blocks of a function, as they are laid.
class FlowGraph {
 public:
  explicit FlowGraph(const ptx::Function& function) : function_(function) {
    std::set<size_t> leaders = {0};
    for (const auto& [name, index] : function.labels) leaders.insert(std::min(index, count()));
    for (size_t index = 0; index < count(); ++index) {
      if (is_one_of(function.body[index], {"bra", "brx", "ret", "exit", "trap"}))
        leaders.insert(index + 1);
    }
    leaders.insert(count());
    for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
      const auto next = std::next(leader);
      blocks_.push_back({*leader, next == leaders.end() ? count() + 1 : *next, {}, false});
    }
    for (FlowBlock& block : blocks_) connect(block);
  }

  size_t count() const { return function_.body.size(); }
  const std::vector<FlowBlock>& blocks() const { return blocks_; }

 private:
  size_t block_at(size_t index) const {
    const auto found =
        std::lower_bound(blocks_.begin(), blocks_.end(), index,
                         [](const FlowBlock& block, size_t first) { return block.first < first; });
    return static_cast<size_t>(found - blocks_.begin());
  }
  size_t labelled(std::string_view label) const {
    const auto found = function_.labels.find(label);
    return block_at(found == function_.labels.end() ? count() : std::min(found->second, count()));
  }

  void connect(FlowBlock& block) {
    const size_t last = block.end - 1;
    if (last >= count()) {
      block.exits = true;
      return;
    }
    const ptx::Instruction& instruction = function_.body[last];
    const bool is_branch = is_one_of(instruction, {"bra", "brx"});
    block.exits = is_one_of(instruction, {"ret", "exit", "trap"});
    if (instruction.opcode == "bra" && !instruction.operands.empty())
      block.next.push_back(labelled(instruction.operands[0].name));
    if (instruction.opcode == "brx" && instruction.operands.size() > 1) {
      const auto list = function_.branch_targets.find(instruction.operands[1].name);
      if (list != function_.branch_targets.end())
        for (const std::string_view label : list->second) block.next.push_back(labelled(label));
    }
    if (instruction.guard >= 0 || !(is_branch || block.exits))
      block.next.push_back(block_at(block.end));
  }

  const ptx::Function& function_;
  std::vector<FlowBlock> blocks_;
};

/// Blocks that reach each other, or one alone.
struct Item {
  std::vector<size_t> blocks;  ///< as they are laid
  bool is_loop = false;
  size_t header = kNone;
  std::vector<size_t> ways_out;    ///< blocks through which some lanes leave the loop by themselves
  size_t lowest = 0, highest = 0;  ///< of the loop itself, without the ways out that it takes in
};

/// Finds the items of a region, each behind those that lead to it (Tarjan).
class Components {
 public:
  Components(const std::vector<FlowBlock>& blocks, const std::vector<size_t>& region,
             const std::vector<bool>& inside, size_t header)
      : blocks_(blocks), inside_(inside), header_(header), visits_(blocks.size()) {
    for (const size_t block : region) {
      if (visits_[block].number == 0) search(block);
    }
    std::reverse(items_.begin(), items_.end());
  }

  std::vector<Item> take() { return std::move(items_); }

 private:
  struct Visit {
    size_t number = 0, low = 0, next = 0;
    bool open = false;
  };

  void enter(size_t block) {
    visits_[block] = {++numbers_, numbers_, 0, true};
    path_.push_back(block);
    stack_.push_back(block);
  }

  void search(size_t root) {
    enter(root);
    while (!path_.empty()) {
      const size_t block = path_.back();
      Visit& visit = visits_[block];
      if (visit.next < blocks_[block].next.size()) {
        const size_t next = blocks_[block].next[visit.next++];
        if (!inside_[next] || next == header_) continue;
        if (visits_[next].number == 0) {
          enter(next);
        } else if (visits_[next].open) {
          visit.low = std::min(visit.low, visits_[next].number);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        Visit& before = visits_[path_.back()];
        before.low = std::min(before.low, visit.low);
      }
      if (visit.low == visit.number) close(block);
    }
  }

  void close(size_t root) {
    Item item;
    for (size_t block = kNone; block != root;) {
      block = stack_.back();
      stack_.pop_back();
      visits_[block].open = false;
      item.blocks.push_back(block);
    }
    std::sort(item.blocks.begin(), item.blocks.end());
    item.lowest = item.blocks.front();
    item.highest = item.blocks.back();
    item.is_loop = item.blocks.size() > 1;
    items_.push_back(std::move(item));
  }

  const std::vector<FlowBlock>& blocks_;
  const std::vector<bool>& inside_;
  size_t header_;
  std::vector<Visit> visits_;
  std::vector<size_t> path_, stack_;
  size_t numbers_ = 0;
  std::vector<Item> items_;
};

/// Arranges a graph's blocks, loop by loop.
class Arranger {
 public:
  explicit Arranger(const std::vector<FlowBlock>& blocks)
      : blocks_(blocks), before_(blocks.size()) {
    for (size_t block = 0; block < blocks.size(); ++block)
      for (const size_t next : blocks[block].next) before_[next].push_back(block);
  }

  /// The blocks in their order; empty where there is none.
  std::vector<size_t> run() {
    std::vector<size_t> all(blocks_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (!arrange(all, kNone, 0)) order_.clear();
    return std::move(order_);
  }

 private:
  bool arrange(const std::vector<size_t>& region, size_t header, int depth) {
    steps_ += blocks_.size();
    if (depth > kDeepestLoop || steps_ > kMostSteps) return false;
    std::vector<bool> inside(blocks_.size());
    for (const size_t block : region) inside[block] = true;
    std::vector<Item> items = Components(blocks_, region, inside, header).take();
    std::vector<size_t> item_of(blocks_.size(), kNone);
    for (size_t number = 0; number < items.size(); ++number)
      for (const size_t block : items[number].blocks) item_of[block] = number;
    for (Item& item : items) {
      if (item.is_loop && !find_header(item, item_of)) return false;
    }
    take_in_ways_out(items, item_of, header);
    for (const size_t number : arranged(items, item_of, header)) {
      const Item& item = items[number];
      order_.insert(order_.end(), item.ways_out.begin(), item.ways_out.end());
      if (!item.is_loop)
        order_.push_back(item.blocks.front());
      else if (!arrange(item.blocks, item.header, depth + 1))
        return false;
    }
    return true;
  }

  /// False where lanes enter the loop in several places.
  bool find_header(Item& item, const std::vector<size_t>& item_of) const {
    const size_t own = item_of[item.blocks.front()];
    for (const size_t block : item.blocks) {
      const bool is_entered =
          block == 0 || std::any_of(before_[block].begin(), before_[block].end(),
                                    [&](size_t from) { return item_of[from] != own; });
      if (!is_entered) continue;
      if (item.header != kNone) return false;
      item.header = block;
    }
    if (item.header == kNone) item.header = item.lowest;
    return true;
  }

  /// Hardware brings a loop's lanes together where all of them come. Lanes that leave it on a way of their own go that way
  /// at once, each time that some do.
  void take_in_ways_out(std::vector<Item>& items, std::vector<size_t>& item_of, size_t header) {
    for (size_t number = 0; number < items.size(); ++number) {
      Item& way = items[number];
      const size_t from = only_source(way, number, item_of, header);
      if (from == kNone || !items[from].is_loop) continue;
      Item& loop = items[from];
      if (is_on_every_way(way, number, item_of, loop.header)) continue;
      const bool goes_at_once = !way.is_loop && sources_of(way.blocks.front()) == 1 &&
                                meets_again(items, number, item_of, loop.header);
      const bool is_laid_inside = loop.lowest < way.lowest && way.highest < loop.highest;
      if (!goes_at_once && !is_laid_inside) continue;
      for (const size_t block : way.blocks) item_of[block] = from;
      std::vector<size_t>& into = goes_at_once ? loop.ways_out : loop.blocks;
      into.insert(into.end(), way.blocks.begin(), way.blocks.end());
      if (!goes_at_once) std::sort(into.begin(), into.end());
      way.blocks.clear();
    }
  }

  size_t sources_of(size_t block) const { return before_[block].size(); }

  /// Whether behind the item is one that does more than end, and in which all lanes of the loop meet.
  bool meets_again(const std::vector<Item>& items, size_t way, const std::vector<size_t>& item_of,
                   size_t start) {
    for (size_t number = way + 1; number < items.size(); ++number) {
      const Item& item = items[number];
      if (item.blocks.empty() || !is_on_every_way(item, number, item_of, start)) continue;
      const FlowBlock& block = blocks_[item.blocks.front()];
      return item.is_loop || !block.next.empty() || block.end - block.first > 1;
    }
    return false;
  }

  /// The item from which alone lanes come to this one; kNone where there are several, or none.
  size_t only_source(const Item& item, size_t own, const std::vector<size_t>& item_of,
                     size_t header) const {
    size_t source = kNone;
    for (const size_t block : item.blocks) {
      if (block == header || block == 0) return kNone;
      for (const size_t from : before_[block]) {
        if (item_of[from] == own) continue;
        if (item_of[from] == kNone || (source != kNone && source != item_of[from])) return kNone;
        source = item_of[from];
      }
    }
    return source;
  }

  /// Whether all lanes that go on at `start` and end pass through the item.
  bool is_on_every_way(const Item& item, size_t own, const std::vector<size_t>& item_of,
                       size_t start) {
    std::vector<bool> seen(blocks_.size());
    for (const size_t block : item.blocks) seen[block] = item_of[block] == own;
    std::vector<size_t> open = {start};
    while (!open.empty()) {
      const size_t block = open.back();
      open.pop_back();
      if (seen[block]) continue;
      seen[block] = true;
      ++steps_;
      if (blocks_[block].exits) return false;
      open.insert(open.end(), blocks_[block].next.begin(), blocks_[block].next.end());
    }
    return true;
  }

  /// The numbers of the items, each behind those that lead to it, and else as they are laid.
  std::vector<size_t> arranged(const std::vector<Item>& items, const std::vector<size_t>& item_of,
                               size_t header) const {
    std::vector<std::vector<size_t>> next(items.size());
    std::vector<size_t> sources(items.size());
    const auto note_next = [&](size_t block, size_t number) {
      for (const size_t to : blocks_[block].next) {
        if (item_of[to] == kNone || item_of[to] == number || to == header) continue;
        next[number].push_back(item_of[to]);
        ++sources[item_of[to]];
      }
    };
    for (size_t number = 0; number < items.size(); ++number) {
      for (const size_t block : items[number].blocks) note_next(block, number);
      for (const size_t block : items[number].ways_out) note_next(block, number);
    }
    using Ready = std::pair<size_t, size_t>;  // where it is laid, its number
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto add = [&](size_t number) {
      if (sources[number] == 0 && !items[number].blocks.empty())
        ready.emplace(items[number].blocks.front(), number);
    };
    for (size_t number = 0; number < items.size(); ++number) add(number);
    std::vector<size_t> order;
    while (!ready.empty()) {
      order.push_back(ready.top().second);
      ready.pop();
      for (const size_t to : next[order.back()]) {
        --sources[to];
        add(to);
      }
    }
    return order;
  }

  const std::vector<FlowBlock>& blocks_;
  std::vector<std::vector<size_t>> before_;
  std::vector<size_t> order_;
  uint64_t steps_ = 0;
};

}  // namespace

std::vector<uint32_t> block_order(const ptx::Function& function) {
  const FlowGraph graph(function);
  std::vector<uint32_t> places(graph.count() + 1);
  std::iota(places.begin(), places.end(), 0u);
  if (graph.blocks().size() > kMostBlocks) return places;
  const std::vector<size_t> order = Arranger(graph.blocks()).run();
  uint32_t place = 0;
  for (const size_t number : order) {
    const FlowBlock& block = graph.blocks()[number];
    for (size_t index = block.first; index < block.end; ++index) places[index] = place++;
  }
  return places;
}

}  // namespace warpgrade::emulator
