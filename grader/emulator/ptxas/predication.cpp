// SPDX-License-Identifier: MIT
#include "emulator/ptxas/predication.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/analysis/register_uses.h"
#include "emulator/ptxas/rebuilt_body.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

/// Instructions from `begin` to before `end` that all run or none; the last one may branch.
struct Stretch {
  size_t begin = 0, end = 0;
};

class Predication {
 public:
  Predication(ptx::Function& function, int sm)
      : function_(function), sm_(sm), uses_(function), before_(count()), behind_(count()) {}

  void run() {
    for (const ptx::Instruction& load : function_.body) {
      if (load.opcode == "ld" && load.has("const") && !load.operands.empty())
        for_registers(load.operands[0], [&](int reg) { constants_.insert(reg); });
    }
    for (const Stretch& stretch : stretches()) {
      for (size_t index = stretch.begin; index < stretch.end; ++index) pair(stretch, index);
      if (function_.is_entry) sink(stretch);
    }
    if (!moved_.empty()) move();
  }

 private:
  size_t count() const { return function_.body.size(); }
  const ptx::Instruction& at(size_t index) const { return function_.body[index]; }

  std::vector<Stretch> stretches() const {
    std::vector<Stretch> found;
    size_t begin = 0;
    for (size_t index = 0; index < count(); ++index) {
      const bool ends = uses_.ends_stretch(index) || is_one_of(at(index), {"bar", "barrier"});
      if (!ends && index + 1 < count() && !uses_.is_entered(index + 1)) continue;
      found.push_back({begin, index + 1});
      begin = index + 1;
    }
    return found;
  }

  bool computes(size_t index) const { return uses_.only_computes(index) && at(index).guard < 0; }

  /// Errs to yes.
  bool may_set(size_t index, int reg) const {
    const auto taken = taken_.find(index);
    return (taken != taken_.end() && taken->second == reg) || uses_.may_set(index, reg);
  }
  /// Whether the instruction goes where one of `users` goes: it is one, or stands before a `selp` that is.
  bool goes_along(size_t index, const std::set<size_t>& users) const {
    const auto select = select_of_.find(index);
    return users.contains(select == select_of_.end() ? index : select->second);
  }
  /// Whether the instruction does the same behind those up to `end`, of which only `users`, which go there, too, use its
  /// result.
  bool may_move(size_t index, size_t end, const std::set<size_t>& users) const {
    const int result = at(index).operands[0].reg;
    if (result < 0) return false;
    std::set<int> sources;
    const auto add = [&](int source) { sources.insert(source); };
    uses_.for_sources(index, add);
    for (const size_t before : before_[index]) uses_.for_sources(before, add);
    for (size_t other = index + 1; other < end; ++other) {
      if (goes_along(other, users)) continue;
      if (uses_.reads(other, result) || may_set(other, result)) return false;
      if (std::any_of(sources.begin(), sources.end(),
                      [&](int source) { return may_set(other, source); }))
        return false;
    }
    return true;
  }

  /// Where `reg` is computed that the instruction at `use` is the only one to use; `use` where it is not so.
  size_t lone_source(const Stretch& stretch, size_t use, int reg) const {
    size_t source = use;
    while (source > stretch.begin && !may_set(source - 1, reg)) --source;
    if (source == stretch.begin || uses_.reaches(use + 1, reg)) return use;
    --source;
    const bool is_plain = computes(source) && !is_one_of(at(source), {"mov", "selp", "setp"});
    return is_plain && !moved_.contains(source) && may_move(source, use, {}) ? source : use;
  }

  /// selp.f32: d = p ? a : b. ptxas computes the later of a and b under p, into the register of the other one, if no later
  /// instruction reads that.
  void pair(const Stretch& stretch, size_t select) {
    const ptx::Instruction& selp = at(select);
    if (selp.opcode != "selp" || !selp.has("f32") || !computes(select)) return;
    if (selp.operands.size() != 4 || selp.operands[3].kind != Operand::Kind::reg) return;
    const std::array<int, 2> arms = {selp.operands[1].reg, selp.operands[2].reg};
    if (arms[0] < 0 || arms[1] < 0 || arms[0] == arms[1]) return;
    const std::array<size_t, 2> sources = {lone_source(stretch, select, arms[0]),
                                           lone_source(stretch, select, arms[1])};
    const auto is_found = [&](size_t arm) { return sources[arm] != select; };
    if (!is_found(0) && !is_found(1)) return;
    const size_t arm = !is_found(0) || (is_found(1) && sources[1] > sources[0]) ? 1 : 0;
    const int other = arms[1 - arm];
    if (selp.operands[0].reg != other && uses_.reaches(select + 1, other)) return;
    before_[select].push_back(sources[arm]);
    moved_.insert(sources[arm]);
    select_of_[sources[arm]] = select;
    taken_[select] = other;
    guards_[sources[arm]] = {selp.operands[3].reg, (arm == 1) != selp.operands[3].negated};
  }

  bool leaves_the_kernel(const ptx::Instruction& branch) const {
    if (branch.opcode != "bra" || branch.guard < 0 || branch.operands.size() != 1) return false;
    const size_t target = uses_.target_of(branch);
    return target >= count() || (is_one_of(at(target), {"ret", "exit"}) && at(target).guard < 0);
  }

  static int base_of(const ptx::Instruction& instruction) {
    for (const Operand& operand : instruction.operands) {
      if (operand.is_address) return operand.reg;
    }
    return -1;
  }

  /// Whether the lanes that stay have something to do before they need what `results` holds. Else ptxas computes that
  /// before the exit, too. From compute capability 9.0 on an address that is a parameter comes into registers first.
  bool works_behind(size_t branch, std::set<int> results) const {
    std::set<int> bases;
    for (size_t index = 0; index < branch; ++index) bases.insert(base_of(at(index)));
    for (size_t index = branch + 1; index < count(); ++index) {
      const ptx::Instruction& instruction = at(index);
      if (is_one_of(instruction, {"ret", "exit"})) break;
      if (is_one_of(instruction, {"mov", "cvta"}) || instruction.has("param")) continue;
      if (is_one_of(instruction, {"st", "red", "atom"})) {
        if (sm_ >= 90 && !bases.contains(base_of(instruction))) return true;
        continue;
      }
      bool depends = false;
      uses_.for_sources(index, [&](int source) { depends = depends || results.contains(source); });
      if (!depends || !computes(index)) return true;
      results.insert(instruction.operands[0].reg);
    }
    return false;
  }

  /// Constant memory comes by uniform registers, which machine code reads before lanes leave.
  bool reads_constants(size_t index) const {
    bool found = false;
    uses_.for_sources(index, [&](int source) { found = found || constants_.contains(source); });
    return found;
  }

  void sink(const Stretch& stretch) {
    const size_t branch = stretch.end - 1;
    if (!leaves_the_kernel(at(branch))) return;
    std::set<size_t> sunk;
    std::set<int> results;
    for (size_t index = branch; index-- > stretch.begin;) {
      if (!computes(index) || moved_.contains(index) || reads_constants(index)) continue;
      if (!may_move(index, stretch.end, sunk)) continue;
      sunk.insert(index);
      results.insert(at(index).operands[0].reg);
    }
    if (sunk.empty() || !works_behind(branch, std::move(results))) return;
    behind_[branch].assign(sunk.begin(), sunk.end());
    moved_.insert(sunk.begin(), sunk.end());
  }

  void emit(size_t index, std::vector<ptx::Instruction>& body) {
    for (const size_t moved : before_[index]) emit(moved, body);
    body.push_back(at(index));
    if (const auto guard = guards_.find(index); guard != guards_.end())
      std::tie(body.back().guard, body.back().guard_negated) = guard->second;
    for (const size_t moved : behind_[index]) emit(moved, body);
  }

  void move() {
    rebuild_body(function_, [&](size_t index, std::vector<ptx::Instruction>& body) {
      if (!moved_.contains(index)) emit(index, body);
    });
  }

  ptx::Function& function_;
  const int sm_;
  RegisterUses uses_;
  std::vector<std::vector<size_t>> before_, behind_;  ///< by index: what goes there
  std::map<size_t, std::pair<int, bool>> guards_;     ///< and whether it is negated
  std::map<size_t, size_t> select_of_;                ///< by what goes before a selp: that
  std::map<size_t, int> taken_;  ///< by selp: the register whose place its result takes
  std::set<int> constants_;      ///< registers that hold what constant memory does
  std::set<size_t> moved_;
};

}  // namespace

void predicate(ptx::Module& module, int sm) {
  if (module.is_debug) return;
  for (ptx::Function& function : module.functions) Predication(function, sm).run();
}

}  // namespace warpgrade::emulator
