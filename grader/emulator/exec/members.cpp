// SPDX-License-Identifier: MIT
#include "emulator/exec/members.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "emulator/analysis/address_places.h"
#include "emulator/exec/program.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

/// The widest gap that alignment leaves between two members, and the largest structure that is looked for.
constexpr int64_t kMostPadding = 7, kMostBytes = 256;
/// So many instructions behind the load of a bit-field its store comes at the latest.
constexpr size_t kMostSteps = 64;

bool is_load(const ptx::Instruction& instruction) {
  return instruction.opcode == "ld" && !instruction.has("param") &&
         instruction.operands.size() == 2;
}

bool ends_block(const ptx::Instruction& instruction) {
  constexpr std::string_view kEnds[] = {"bra", "brx", "ret", "exit", "bar", "barrier", "call"};
  return std::find(std::begin(kEnds), std::end(kEnds), instruction.opcode) != std::end(kEnds);
}

class Registers {
 public:
  void add(const Operand& operand) {
    if (operand.reg >= 0) all_.insert(operand.reg);
    for (const Operand& element : operand.elements) add(element);
  }
  bool has(const Operand& operand) const {
    if (operand.elements.empty()) return operand.reg >= 0 && all_.contains(operand.reg);
    return std::all_of(operand.elements.begin(), operand.elements.end(),
                       [&](const Operand& element) { return has(element); });
  }
  bool is_read_by(const ptx::Instruction& instruction) const {
    return std::any_of(instruction.operands.begin() + 1, instruction.operands.end(),
                       [&](const Operand& operand) { return has(operand); });
  }

 private:
  std::unordered_set<int> all_;
};

class Members {
 public:
  Members(const ptx::Function& function, const emulator::Instruction* decoded)
      : function_(function), decoded_(decoded), places_(function) {
    for (const auto& [name, index] : function.labels) leaders_.insert(index);
  }

  std::unordered_map<uint32_t, MemberAccess> find() {
    for (size_t index = 0; index < function_.body.size(); ++index) {
      if (leaders_.contains(index)) end_block();
      const ptx::Instruction& instruction = function_.body[index];
      if (is_load(instruction)) {
        if (decoded_[index].moved != 0) add(loads_, index, 1);
        if (sets_bits(index)) found_.emplace(static_cast<uint32_t>(index), MemberAccess::bits);
      } else if (instruction.opcode == "st" && instruction.operands.size() == 2) {
        add(stores_, index, 0);
      }
      if (ends_block(instruction)) end_block();
    }
    end_block();
    return std::move(found_);
  }

 private:
  struct Access {
    int64_t begin, end;
    uint32_t index;
  };
  using ByPlace = std::map<AddressPlaces::Place, std::vector<Access>>;

  void add(ByPlace& into, size_t index, size_t address) {
    const ptx::Instruction& instruction = function_.body[index];
    AddressPlaces::Place place = places_.of(instruction.operands[address]);
    const int64_t begin = place.offset;
    place.offset = 0;
    const int64_t bytes = int64_t{decoded_[index].bytes} * decoded_[index].elements;
    into[place].push_back({begin, begin + bytes, static_cast<uint32_t>(index)});
  }

  /// Calls visit(index) for each access of the block that has neighbours, as members have.
  template <class Visit>
  static void for_neighbours(ByPlace& accesses, Visit visit) {
    for (auto& [place, all] : accesses) {
      std::sort(all.begin(), all.end(),
                [](const Access& a, const Access& b) { return a.begin < b.begin; });
      for (size_t first = 0; first < all.size();) {
        size_t last = first;
        int64_t end = all[first].end;
        while (last + 1 < all.size() && all[last + 1].begin <= end + kMostPadding &&
               all[last + 1].end - all[first].begin <= kMostBytes)
          end = std::max(end, all[++last].end);
        for (size_t each = first; last > first && each <= last; ++each) visit(all[each].index);
        first = last + 1;
      }
    }
  }

  void end_block() {
    Registers moved, of_members;
    for (const auto& [place, loads] : loads_) {
      for (const Access& load : loads) moved.add(function_.body[load.index].operands[0]);
    }
    for_neighbours(loads_,
                   [&](uint32_t load) { of_members.add(function_.body[load].operands[0]); });
    const auto note = [&](uint32_t store, const Registers& registers) {
      if (registers.has(function_.body[store].operands[1]))
        found_.emplace(store, MemberAccess::copy);
    };
    for (const auto& [place, stores] : stores_) {
      for (const Access& store : stores) note(store.index, of_members);
    }
    for_neighbours(stores_, [&](uint32_t store) { note(store, moved); });
    loads_.clear();
    stores_.clear();
  }

  /// Whether what is loaded goes through nothing but masks back to its place, in the same block.
  bool sets_bits(size_t load) const {
    const ptx::Instruction& from = function_.body[load];
    if (from.operands[0].reg < 0) return false;
    Registers made_of;
    made_of.add(from.operands[0]);
    bool masks = false;
    const size_t end = std::min(function_.body.size(), load + kMostSteps);
    for (size_t index = load + 1; index < end; ++index) {
      const ptx::Instruction& step = function_.body[index];
      if (leaders_.contains(index) || ends_block(step)) return false;
      if (step.operands.size() < 2 || !made_of.is_read_by(step)) continue;
      if (step.opcode == "st")
        return masks && places_.of(step.operands[0]) == places_.of(from.operands[1]);
      // Bits are taken out by a constant mask; `or` alone would be a flag set in what is there.
      const bool takes_out =
          step.opcode == "bfi" ||
          (step.opcode == "and" && step.operands.back().kind == Operand::Kind::integer);
      if (!takes_out && step.opcode != "or" && step.opcode != "mov" && step.opcode != "cvt")
        return false;
      masks |= takes_out;
      made_of.add(step.operands[0]);
    }
    return false;
  }

  const ptx::Function& function_;
  const emulator::Instruction* const decoded_;
  const AddressPlaces places_;
  std::set<size_t> leaders_;
  ByPlace loads_, stores_;  ///< of the block in hand: loads that move, and all stores
  std::unordered_map<uint32_t, MemberAccess> found_;
};

}  // namespace

std::unordered_map<uint32_t, MemberAccess> member_accesses(const ptx::Function& function,
                                                           const emulator::Instruction* decoded) {
  return Members(function, decoded).find();
}

}  // namespace warpgrade::emulator
