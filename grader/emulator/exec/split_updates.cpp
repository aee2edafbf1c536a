// SPDX-License-Identifier: MIT
#include "emulator/exec/split_updates.h"

#include <algorithm>
#include <string_view>

#include "emulator/analysis/register_uses.h"
#include "emulator/exec/value_sources.h"

namespace warpgrade::emulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Sources = ValueSources::Sources;

bool is_strong_store(const Instruction& one) {
  return one.opcode == "st" && (one.has("volatile") || one.has("relaxed") || one.has("release"));
}

bool adds(const Instruction& one) {
  return is_one_of(one, {"atom", "red"}) && (one.has("add") || one.has("and") || one.has("or"));
}

bool copies(const Instruction& one) { return is_one_of(one, {"mov", "cvt", "cvta"}); }

class Finder {
 public:
  explicit Finder(const ptx::Function& function) : function_(function), values_(function) {}

  SplitUpdates find() const {
    SplitUpdates updates;
    for (size_t index = 0; index < function_.body.size(); ++index) {
      if (SplitUpdate update = of(index); update.any || !update.reads.empty())
        updates.writes.emplace(index, std::move(update));
      if (is_turn(index)) updates.turns.push_back(index);
    }
    return updates;
  }

 private:
  /// The operand that is put in place; null where the instruction is no such write.
  const Operand* written_by(const Instruction& one) const {
    const std::vector<Operand>& operands = one.operands;
    const size_t address = one.opcode == "atom" ? 1 : 0;
    if (operands.size() < address + 2 || !operands[address].is_address) return nullptr;
    if (one.opcode == "st") return one.has("param") || one.has("local") ? nullptr : &operands[1];
    if (one.opcode != "atom" && one.opcode != "red") return nullptr;
    if (one.has("cas")) return operands.size() > address + 2 ? &operands[address + 2] : nullptr;
    return one.has("inc") || one.has("dec") ? nullptr : &operands[address + 1];
  }

  SplitUpdate of(size_t index) const {
    const Instruction& write = function_.body[index];
    const Operand* const written = written_by(write);
    if (written == nullptr) return {};
    Sources sources = values_.sources_of(*written);
    SplitUpdate update;
    if (std::any_of(sources.steps.begin(), sources.steps.end(),
                    [&](size_t step) { return !copies(function_.body[step]); }))
      take_reads(sources, update);
    const bool replaces = write.has("exch") || write.has("cas");
    update.any = sources.is_unknown && (write.has("exch") || is_strong_store(write));
    if (replaces && sources.varies) add_compared(index, update);
    std::erase_if(update.reads, [&](size_t read) { return read == index || agrees(read, index); });
    if (update.reads.empty() && !update.any) return {};
    if (replaces && looks_at_result(write, sources, update)) return {};
    update.counts = !write.has("min") && !write.has("max") && counts(sources, update);
    update.adds = adds(write);
    update.opcode = made_by(*written);
    std::sort(update.reads.begin(), update.reads.end());
    return update;
  }

  /// What an exchange got was taken away from there; what it puts there does not go on from a copy.
  bool tells(size_t read) const { return !function_.body[read].has("exch"); }

  void take_reads(const Sources& sources, SplitUpdate& update) const {
    for (const size_t read : sources.reads) {
      if (tells(read) &&
          std::find(update.reads.begin(), update.reads.end(), read) == update.reads.end())
        update.reads.push_back(static_cast<uint32_t>(read));
    }
  }

  /// Reads that a branch over the write, or its guard, compares by size: a maximum by hand.
  void add_compared(size_t write, SplitUpdate& update) const {
    const auto add = [&](int guard) {
      for (const size_t set : values_.sets_of(guard)) {
        const Instruction& test = function_.body[set];
        const bool by_size = test.opcode == "setp" && !test.has("eq") && !test.has("ne") &&
                             !test.has("equ") && !test.has("neu");
        for (size_t i = 1; by_size && i < test.operands.size(); ++i)
          take_reads(values_.sources_of(test.operands[i]), update);
      }
    };
    if (function_.body[write].guard >= 0) add(function_.body[write].guard);
    for (const size_t branch : branches_before(write)) {
      if (target(branch) > write) add(function_.body[branch].guard);
    }
  }

  static constexpr size_t kMostApart = 512;

  /// The nearest branches with a condition.
  std::vector<size_t> branches_before(size_t write) const {
    std::vector<size_t> branches;
    for (size_t index = write; index-- > 0 && write - index < kMostApart;) {
      const Instruction& one = function_.body[index];
      if (one.opcode == "bra" && one.guard >= 0 && !one.operands.empty()) branches.push_back(index);
    }
    return branches;
  }
  size_t target(size_t branch) const {
    const auto found = function_.labels.find(function_.body[branch].operands[0].name);
    return found == function_.labels.end() ? 0 : found->second;
  }

  /// Whether a branch before the write asks what the read has found: one value, on whose side the write stands, or bits of it.
  /// Then the value says whose turn it is. What another read has found is no such value.
  bool agrees(size_t read, size_t write) const {
    const std::set<int> found = values_.made_of(ValueSources::results(function_.body[read]));
    for (const size_t branch : branches_before(write)) {
      const Instruction& jump = function_.body[branch];
      for (const size_t set : values_.sets_of(jump.guard)) {
        const Instruction& test = function_.body[set];
        const bool equal = test.has("eq"), differs = test.has("ne");
        if (test.opcode != "setp" || test.operands.size() < 3 || equal == differs) continue;
        if (!asks(test, read, found)) continue;
        const bool leaves_if_equal = equal != jump.guard_negated;
        const bool leads_away = target(branch) <= branch || target(branch) > write;
        if (!leads_away && !is_left_before(target(branch))) continue;
        if (leads_away != leaves_if_equal || is_of_bits(test, found)) return true;
      }
    }
    return false;
  }

  /// Whether lanes get to the place by branches alone.
  bool is_left_before(size_t place) const {
    if (place == 0 || place > function_.body.size()) return false;
    const Instruction& last = function_.body[place - 1];
    return last.guard < 0 && is_one_of(last, {"bra", "ret", "exit"});
  }

  /// Whether one side of a test is what the read has found, and the other is of no other thread.
  bool asks(const Instruction& test, size_t read, const std::set<int>& found) const {
    for (size_t side = 1; side < 3; ++side) {
      const Operand &one = test.operands[side], &other = test.operands[3 - side];
      if (one.reg < 0 || found.count(one.reg) == 0) continue;
      if (is_as_found(values_.sources_of(one), read) &&
          !is_of_others(values_.sources_of(other), read))
        return true;
    }
    return false;
  }
  /// Whether it is what a read has found, or bits of that, and no more.
  bool is_as_found(const Sources& sources, size_t read) const {
    return sources.reads.count(read) != 0 &&
           std::all_of(sources.steps.begin(), sources.steps.end(), [&](size_t step) {
             const Instruction& one = function_.body[step];
             return copies(one) || is_one_of(one, {"and", "bfe", "rem", "shr"});
           });
  }
  /// Whether it comes from a load that other threads may change, or from the place of the read. A ticket that an atomic has
  /// drawn elsewhere is the thread's own.
  bool is_of_others(const Sources& sources, size_t read) const {
    return std::any_of(sources.reads.begin(), sources.reads.end(), [&](size_t one) {
      const bool loads = function_.body[one].opcode == "ld";
      return loads ? is_strong(function_.body[one]) : values_.are_of_one_place(one, read);
    });
  }
  bool is_of_bits(const Instruction& test, const std::set<int>& found) const {
    for (size_t side = 1; side < 3; ++side) {
      const int reg = test.operands[side].reg;
      if (reg < 0 || found.count(reg) == 0) continue;
      for (const size_t set : values_.sets_of(reg)) {
        if (is_one_of(function_.body[set], {"and", "bfe", "rem", "shr"})) return true;
      }
    }
    return false;
  }

  /// Whether a loop repeats the read until it finds one value.
  bool is_turn(size_t read) const {
    const Instruction& one = function_.body[read];
    if (!is_one_of(one, {"ld", "atom"}) || !is_strong(one) || one.has("exch")) return false;
    const size_t end = std::min(function_.body.size(), read + kMostApart);
    for (size_t branch = read + 1; branch < end; ++branch) {
      const Instruction& jump = function_.body[branch];
      if (jump.opcode != "bra" || jump.operands.empty() || target(branch) > read) continue;
      return agrees(read, branch + 1);
    }
    return false;
  }

  /// Whether some test compares what the write has found with what its thread had read before, or another function gets it.
  bool looks_at_result(const Instruction& write, const Sources& sources,
                       const SplitUpdate& update) const {
    if (write.opcode != "atom") return false;
    const std::set<int> result = values_.made_of(ValueSources::results(write));
    std::set<int> read;
    for (const uint32_t one : update.reads) read.merge(ValueSources::results(function_.body[one]));
    const bool swaps = write.has("cas");
    if (swaps)
      for_registers(write.operands[2], [&](int reg) { read.insert(reg); });
    else
      read.insert(sources.registers.begin(), sources.registers.end());
    const bool any = swaps && write.operands[2].reg < 0 && write.operands[2].elements.empty();
    read = values_.made_of(read);
    for (const int reg : result) {
      for (const size_t use : values_.uses_of(reg)) {
        const Instruction& one = function_.body[use];
        if (one.opcode == "call" || (one.opcode == "st" && (one.has("param") || one.has("local"))))
          return true;
        if (is_one_of(one, {"setp", "set"}) && (any || names(one, read))) return true;
      }
    }
    return false;
  }
  static bool names(const Instruction& test, const std::set<int>& registers) {
    // The register that holds the result may be made of the read itself, as a difference of both.
    return std::any_of(test.operands.begin() + 1, test.operands.end(), [&](const Operand& one) {
      return one.reg >= 0 && registers.count(one.reg) != 0;
    });
  }

  std::string_view made_by(const Operand& written) const {
    constexpr int kMostSteps = 8;
    int reg = written.reg;
    for (int step = 0; reg >= 0 && step < kMostSteps; ++step) {
      const std::vector<size_t>& sets = values_.sets_of(reg);
      if (sets.size() != 1) break;
      const Instruction& maker = function_.body[sets.front()];
      if (!computes(maker)) break;
      if (!copies(maker)) return maker.opcode;
      reg = maker.operands.size() > 1 ? maker.operands[1].reg : -1;
    }
    return {};
  }

  bool counts(const Sources& sources, const SplitUpdate& update) const {
    std::set<int> read;
    for (const uint32_t one : update.reads) read.merge(ValueSources::results(function_.body[one]));
    const std::set<int> made = values_.made_of(read);
    return std::any_of(sources.steps.begin(), sources.steps.end(), [&](size_t step) {
      const Instruction& one = function_.body[step];
      const auto is_made = [&](const Operand& operand) {
        return operand.reg >= 0 && made.count(operand.reg) != 0;
      };
      return is_one_of(one, {"add", "sub", "mad", "fma", "mul", "xor", "shl", "not"}) &&
             std::any_of(one.operands.begin() + 1, one.operands.end(), is_made);
    });
  }

  const ptx::Function& function_;
  const ValueSources values_;
};

}  // namespace

SplitUpdates split_updates(const ptx::Function& function) {
  const bool any = std::any_of(function.body.begin(), function.body.end(),
                               [](const auto& one) { return is_strong(one); });
  return any ? Finder(function).find() : SplitUpdates();
}

}  // namespace warpgrade::emulator
