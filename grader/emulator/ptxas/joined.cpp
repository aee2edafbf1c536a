// SPDX-License-Identifier: MIT
#include "emulator/ptxas/joined.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "emulator/analysis/register_uses.h"
#include "emulator/ptxas/places.h"

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Operand;

constexpr uint64_t kWidestAccess = 16, kWord = 4;
constexpr uint64_t kHalfWord = 2, kMostHalfWords = 4;  ///< Stores alone are joined.
/// ptxas loads a word that nothing asked for where that makes one access of three.
constexpr size_t kFewestOfFour = 3;

bool is_shared(const ptx::Instruction& instruction) {
  return instruction.has("shared") || instruction.has("shared::cta") ||
         instruction.has("shared::cluster");
}

bool is_load_or_store(const ptx::Instruction& instruction) {
  return instruction.opcode == "ld" || instruction.opcode == "st";
}

bool is_plain_shared(const ptx::Instruction& instruction) {
  return is_load_or_store(instruction) && instruction.guard < 0 &&
         (instruction.has("shared") || instruction.has("shared::cta")) &&
         !instruction.has("volatile") && !instruction.has("relaxed") &&
         !instruction.has("acquire") && !instruction.has("release");
}

/// Hints for the caches keep ptxas from some joins.
bool is_plain_global(const ptx::Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  return is_load_or_store(instruction) && instruction.guard < 0 && instruction.has("global") &&
         std::all_of(modifiers.begin(), modifiers.end(), [](std::string_view modifier) {
           return modifier == "global" || modifier == "nc" || modifier == "v2" ||
                  modifier == "v4" || ptx::type_named(modifier) != ptx::Type::none;
         });
}

/// Bytes that one thread accesses.
uint64_t bytes_of(const ptx::Instruction& instruction) {
  const uint64_t elements = instruction.has("v2") ? 2 : instruction.has("v4") ? 4 : 1;
  return elements * ptx::size_of(ptx::type_named(instruction.modifiers.back()));
}

/// Whether ptxas moves no access to shared memory across it.
bool orders_shared(const ptx::Instruction& instruction) {
  const bool store = instruction.opcode == "st" && !instruction.has("global") &&
                     !instruction.has("local") && !instruction.has("param");
  return store || becomes_branches(instruction) ||
         is_one_of(instruction, {"bra", "brx", "call", "ret", "exit", "bar", "barrier", "membar",
                                 "fence", "atom", "red", "cp", "mbarrier", "activemask"});
}

/// The same for global memory; `stores`: none that is a store.
bool orders_global(const ptx::Instruction& instruction, bool stores) {
  const bool elsewhere = is_shared(instruction) || instruction.has("local") ||
                         instruction.has("param") || instruction.has("const");
  if (is_one_of(instruction, {"st", "atom", "red"})) return !elsewhere;
  if (stores && instruction.opcode == "ld") return !elsewhere;
  if (stores && is_one_of(instruction, {"div", "rem"})) return true;
  return becomes_branches(instruction) ||
         is_one_of(instruction,
                   {"bra",          "brx",       "call",     "ret",       "exit",
                    "bar",          "barrier",   "membar",   "fence",     "cp",
                    "mbarrier",     "nanosleep", "prefetch", "prefetchu", "discard",
                    "sust",         "suld",      "wmma",     "trap",      "griddepcontrol",
                    "applypriority"});
}

/// Finds neighbours block of code by block of code, in one of the two memories.
class Joiner {
 public:
  Joiner(const Function& function, const Alignments& alignments, const Roots& roots, bool global,
         std::vector<uint8_t>& joined)
      : function_(function),
        alignments_(alignments),
        roots_(roots),
        global_(global),
        joined_(joined),
        versions_(function.registers.size()),
        named_(function.registers.size()) {
    for (const auto& [name, index] : function.labels) leaders_.insert(index);
    for (const ptx::Instruction& instruction : function.body) {
      if (instruction.guard >= 0) ++named_[static_cast<size_t>(instruction.guard)];
      for (const Operand& operand : instruction.operands)
        for_registers(operand, [&](int reg) { ++named_[static_cast<size_t>(reg)]; });
    }
  }

  void run() {
    walk([&](size_t index) { note_wide(index); }, [] {}, [](int) {});
    walk([&](size_t index) { take(index); }, [&] { close(); }, [&](int reg) { close_root(reg); });
  }

 private:
  struct Key {
    bool store, constant;
    int reg;
    std::string_view symbol;
    uint64_t bytes;
    auto operator<=>(const Key&) const = default;
  };

  struct Load {
    bool constant;
    int reg;
    std::string_view symbol;
    int64_t offset;
    std::string_view type;
    uint64_t bytes;
    auto operator<=>(const Load&) const = default;
  };

  /// A register: the basic block, and how often the function has set it by then.
  using Value = std::tuple<size_t, int, size_t>;
  using Offsets = std::map<int64_t, size_t>;  ///< to indices in the body

  /// Visits each instruction; calls `end` where a basic block ends, and `set` before an instruction
  /// sets a register.
  template <class Visit, class End, class Set>
  void walk(const Visit& visit, const End& end, const Set& set) {
    block_ = 0;
    std::fill(versions_.begin(), versions_.end(), 0);
    const auto write = [&](const Operand& operand) {
      if (operand.reg < 0) return;
      set(operand.reg);
      ++versions_[static_cast<size_t>(operand.reg)];
    };
    for (size_t index = 0; index < function_.body.size(); ++index) {
      const ptx::Instruction& instruction = function_.body[index];
      if (leaders_.count(index) != 0) {
        end();
        ++block_;
      }
      visit(index);
      if (is_one_of(instruction, {"bra", "brx", "ret", "exit"})) ++block_;
      if (!writes_first_operand(instruction)) continue;
      write(instruction.operands[0]);
      for (const Operand& element : instruction.operands[0].elements) write(element);
    }
    end();
  }

  bool is_plain(const ptx::Instruction& instruction) const {
    return global_ ? is_plain_global(instruction) : is_plain_shared(instruction);
  }

  Value value_of(int reg) const { return {block_, reg, versions_[static_cast<size_t>(reg)]}; }

  /// ptxas does not load what nothing uses.
  bool is_whole(const ptx::Instruction& instruction) const {
    bool whole = true;
    if (instruction.opcode == "ld")
      for_registers(instruction.operands[0],
                    [&](int reg) { whole &= named_[static_cast<size_t>(reg)] > 1; });
    return whole;
  }

  void note_wide(size_t index) {
    const ptx::Instruction& instruction = function_.body[index];
    if (!is_plain(instruction) || bytes_of(instruction) <= kWord || !is_whole(instruction)) return;
    const Place place = roots_.of(instruction.operands[instruction.opcode == "st" ? 0 : 1]);
    const uint64_t bytes = bytes_of(instruction);
    if (place.reg < 0 || (static_cast<uint64_t>(place.offset) & (bytes - 1)) != 0) return;
    uint64_t& known = wide_[value_of(place.reg)];
    known = std::max(known, bytes);
  }

  void take(size_t index) {
    const ptx::Instruction& instruction = function_.body[index];
    if (is_plain(instruction)) {
      const bool store = instruction.opcode == "st";
      if (store != stores_) close();
      stores_ = store;
      add(index, instruction, store);
    } else if (global_ ? orders_global(instruction, stores_) : orders_shared(instruction)) {
      close();
    }
  }

  void add(size_t index, const ptx::Instruction& instruction, bool store) {
    const uint64_t bytes = bytes_of(instruction);
    if (!store && is_repeated(index, instruction)) return;
    const Place place = roots_.of(instruction.operands[store ? 0 : 1]);
    const Key key{store, instruction.has("nc"), place.reg, place.symbol, bytes};
    if (store && may_hit_open(key, place.offset)) close();
    open_[key].emplace(place.offset, index);
  }

  /// Whether a store that is held back may be to the same address: it has another root, or overlaps.
  bool may_hit_open(const Key& key, int64_t offset) const {
    return std::any_of(open_.begin(), open_.end(), [&](const auto& entry) {
      const auto& [other, offsets] = entry;
      if (other.reg != key.reg || other.symbol != key.symbol) return true;
      const auto after = offsets.upper_bound(offset - static_cast<int64_t>(other.bytes));
      return after != offsets.end() && after->first < offset + static_cast<int64_t>(key.bytes);
    });
  }

  /// A load of what the code before it has loaded, with nothing between that could change it.
  bool is_repeated(size_t index, const ptx::Instruction& instruction) {
    const Place place = roots_.of(instruction.operands[1]);
    const Load load{
        instruction.has("nc"), place.reg, place.symbol, place.offset, instruction.modifiers.back(),
        bytes_of(instruction)};
    if (loaded_.insert(load).second) return false;
    joined_[index] = 0;
    return true;
  }

  void close_root(int reg) {
    std::erase_if(loaded_, [&](const Load& load) { return load.reg == reg; });
    for (auto entry = open_.begin(); entry != open_.end();) {
      if (entry->first.reg != reg) {
        ++entry;
        continue;
      }
      join(entry->first, entry->second);
      entry = open_.erase(entry);
    }
  }

  void close() {
    for (const auto& [key, offsets] : open_) join(key, offsets);
    open_.clear();
    loaded_.clear();
  }

  /// Whether ptxas can tell that an address is a multiple of `width`.
  bool is_aligned(const Key& key, int64_t offset, uint64_t width) const {
    const auto is_multiple = [&](int64_t of) {
      return (static_cast<uint64_t>(of) & (width - 1)) == 0;
    };
    if (key.reg < 0) return !global_ && key.symbol.empty() && is_multiple(offset);
    if (!is_multiple(offset)) return false;
    if (!global_ && alignments_.of_register(key.reg) >= width) return true;
    const auto wide = wide_.find(value_of(key.reg));
    return wide != wide_.end() && wide->second >= width;
  }

  void join(const Key& key, const Offsets& offsets) {
    const bool halves = key.store && key.bytes == kHalfWord;
    if (key.bytes != kWord && key.bytes != 2 * kWord && !halves) return;
    std::set<int64_t> taken;
    const uint64_t widest = halves ? kMostHalfWords * kHalfWord : kWidestAccess;
    for (uint64_t width = widest; width > key.bytes; width /= 2) {
      for (const auto& [offset, index] : offsets) {
        if (taken.count(offset) != 0) continue;
        const std::optional<int64_t> begin = begin_of(key, offset, width);
        if (begin) join_from(*begin, width, key, offsets, taken);
      }
    }
  }

  /// Where the aligned bytes around an offset begin, as far as ptxas can tell.
  std::optional<int64_t> begin_of(const Key& key, int64_t offset, uint64_t width) const {
    for (int64_t at = offset; at > offset - static_cast<int64_t>(width);
         at -= static_cast<int64_t>(key.bytes)) {
      if (is_aligned(key, at, width)) return at;
    }
    return std::nullopt;
  }

  void join_from(int64_t begin, uint64_t width, const Key& key, const Offsets& offsets,
                 std::set<int64_t>& taken) {
    const int64_t end = begin + static_cast<int64_t>(width);
    std::vector<size_t> parts;
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(key.bytes)) {
      const auto found = offsets.find(at);
      if (found != offsets.end() && taken.count(at) == 0) parts.push_back(found->second);
    }
    const size_t all = width / key.bytes;
    const bool has_hole = !key.store && all == kFewestOfFour + 1 && parts.size() == kFewestOfFour;
    if (parts.size() != all && !has_hole) return;
    for (const size_t part : parts) joined_[part] = 0;
    joined_[*std::min_element(parts.begin(), parts.end())] = static_cast<uint8_t>(all);
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(key.bytes)) taken.insert(at);
  }

  const Function& function_;
  const Alignments& alignments_;
  const Roots& roots_;
  const bool global_;
  std::vector<uint8_t>& joined_;
  std::set<size_t> leaders_;
  std::vector<size_t> versions_;  ///< by register: how often it has been set
  std::vector<int> named_;        ///< by register: in how many places
  size_t block_ = 0;
  std::map<Value, uint64_t> wide_;  ///< bytes of the widest access to a multiple of them
  std::map<Key, Offsets> open_;
  std::set<Load> loaded_;  ///< since the last store
  bool stores_ = false;
};

}  // namespace

std::vector<uint8_t> joined_accesses(const ptx::Module& module, const Function& function) {
  const auto has_two = [&](const auto& is_plain) {
    return std::count_if(function.body.begin(), function.body.end(), is_plain) > 1;
  };
  const bool shared = has_two(is_plain_shared), global = has_two(is_plain_global);
  if (!shared && !global) return {};
  const SharedLayout layout(module, function);
  const Alignments alignments(module, function, layout);
  const Roots roots(function, layout);
  std::vector<uint8_t> joined(function.body.size(), 1);
  if (shared) Joiner(function, alignments, roots, false, joined).run();
  if (global) Joiner(function, alignments, roots, true, joined).run();
  return joined;
}

}  // namespace warpgrade::emulator
