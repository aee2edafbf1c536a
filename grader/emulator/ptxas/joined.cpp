// SPDX-License-Identifier: MIT
#include "emulator/ptxas/joined.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>

#include "emulator/analysis/register_uses.h"

namespace warpgrade::emulator {
namespace {

using ptx::Function;
using ptx::Operand;

/// ptxas lays shared arrays out at multiples of this.
constexpr uint64_t kArrayAlignment = 16;
constexpr uint64_t kWidestAccess = 16;
constexpr uint64_t kHalfWord = 2, kMostHalfWords = 4;  ///< Stores alone are joined.
constexpr uint64_t kMostAligned = uint64_t{1} << 32;

uint64_t alignment_of(uint64_t value) {
  return value == 0 ? kMostAligned : std::min(value & (~value + 1), kMostAligned);
}

bool writes_first_operand(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 6> kOthers = {"st", "red", "bar", "barrier", "bra", "brx"};
  return std::find(kOthers.begin(), kOthers.end(), instruction.opcode) == kOthers.end() &&
         !instruction.operands.empty() && !instruction.operands[0].is_address;
}

/// The power of two that every value of a register is a multiple of, as far as the code tells.
class Alignments {
 public:
  Alignments(const ptx::Module& module, const Function& function)
      : function_(function), known_(function.registers.size(), kMostAligned) {
    for (const ptx::Variable& variable : module.variables)
      by_name_.emplace(variable.name, &variable);
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& instruction : function.body) {
        if (!writes_first_operand(instruction)) continue;
        changed |= lower(instruction.operands[0], result_of(instruction));
        for (const Operand& element : instruction.operands[0].elements)
          changed |= lower(element, 1);
      }
    }
  }

  uint64_t of(const Operand& operand) const {
    const uint64_t offset = alignment_of(static_cast<uint64_t>(operand.offset));
    switch (operand.kind) {
      case Operand::Kind::reg:
        return std::min(of_register(operand.reg), offset);
      case Operand::Kind::integer:
        return alignment_of(operand.bits);
      case Operand::Kind::symbol:
        return std::min(of_symbol(operand), offset);
      default:
        return 1;
    }
  }
  uint64_t of_register(int reg) const { return known_[static_cast<size_t>(reg)]; }

 private:
  uint64_t of_symbol(const Operand& operand) const {
    if (operand.variable >= 0)
      return of_variable(function_.variables[static_cast<size_t>(operand.variable)]);
    const auto found = by_name_.find(operand.name);
    return found == by_name_.end() ? 1 : of_variable(*found->second);
  }
  static uint64_t of_variable(const ptx::Variable& variable) {
    return variable.space == ptx::Space::shared && !variable.is_extern
               ? std::max<uint64_t>(variable.alignment, kArrayAlignment)
               : variable.alignment;
  }

  bool lower(const Operand& target, uint64_t alignment) {
    if (target.kind != Operand::Kind::reg || target.reg < 0) return false;
    uint64_t& known = known_[static_cast<size_t>(target.reg)];
    if (alignment >= known) return false;
    known = alignment;
    return true;
  }

  uint64_t result_of(const ptx::Instruction& instruction) const {
    const auto from = [&](size_t index) { return of(instruction.operands[index]); };
    const std::string_view op = instruction.opcode;
    const size_t count = instruction.operands.size();
    if (count == 2 && (op == "mov" || op == "cvt" || op == "cvta" || op == "neg")) return from(1);
    if (count == 3 &&
        (op == "add" || op == "sub" || op == "or" || op == "xor" || op == "min" || op == "max"))
      return std::min(from(1), from(2));
    if (op == "selp") return std::min(from(1), from(2));
    if (count == 3 && op == "and") return std::max(from(1), from(2));
    if (count == 3 && op == "mul" && !instruction.has("hi"))
      return std::min(from(1) * from(2), kMostAligned);
    if (count == 4 && op == "mad" && !instruction.has("hi"))
      return std::min(std::min(from(1) * from(2), kMostAligned), from(3));
    if (count == 3 && op == "shl" && instruction.operands[2].kind == Operand::Kind::integer)
      return std::min(from(1) << std::min<uint64_t>(instruction.operands[2].bits, 31),
                      kMostAligned);
    return 1;
  }

  const Function& function_;
  std::unordered_map<std::string_view, const ptx::Variable*> by_name_;
  std::vector<uint64_t> known_;
};

/// An address as a sum: a register, or -1 for a symbol's name, and an offset.
struct Place {
  int reg = -1;
  std::string_view symbol;
  int64_t offset = 0;
};

/// Looks through `add %b, %a, 16` to %a.
class Roots {
 public:
  explicit Roots(const Function& function)
      : writers_(function.registers.size()), written_(function.registers.size()) {
    for (const ptx::Instruction& instruction : function.body) {
      if (!writes_first_operand(instruction)) continue;
      note(instruction.operands[0], &instruction);
      for (const Operand& element : instruction.operands[0].elements) note(element, nullptr);
    }
  }

  Place of(const Operand& address) const {
    constexpr int kMaxSteps = 16;
    Place place{address.reg, address.reg < 0 ? address.name : std::string_view(), address.offset};
    for (int step = 0; step < kMaxSteps && place.reg >= 0; ++step) {
      const ptx::Instruction* const writer = writers_[static_cast<size_t>(place.reg)];
      if (written_[static_cast<size_t>(place.reg)] != 1 || writer == nullptr ||
          writer->guard >= 0 || writer->opcode != "add" || writer->operands.size() != 3)
        break;
      const Operand &from = writer->operands[1], &by = writer->operands[2];
      if (from.kind != Operand::Kind::reg || by.kind != Operand::Kind::integer ||
          written_[static_cast<size_t>(from.reg)] != 1)
        break;
      place.reg = from.reg;
      place.offset += static_cast<int32_t>(by.bits);
    }
    return place;
  }

 private:
  void note(const Operand& target, const ptx::Instruction* writer) {
    if (target.kind != Operand::Kind::reg || target.reg < 0) return;
    writers_[static_cast<size_t>(target.reg)] = writer;
    ++written_[static_cast<size_t>(target.reg)];
  }

  std::vector<const ptx::Instruction*> writers_;
  std::vector<int> written_;
};

bool is_plain_shared(const ptx::Instruction& instruction) {
  return (instruction.opcode == "ld" || instruction.opcode == "st") && instruction.guard < 0 &&
         (instruction.has("shared") || instruction.has("shared::cta")) &&
         !instruction.has("volatile") && !instruction.has("relaxed") &&
         !instruction.has("acquire") && !instruction.has("release");
}

/// Bytes that one thread accesses.
uint64_t bytes_of(const ptx::Instruction& instruction) {
  const uint64_t elements = instruction.has("v2") ? 2 : instruction.has("v4") ? 4 : 1;
  return elements * ptx::size_of(ptx::type_named(instruction.modifiers.back()));
}

/// Finds neighbours block of code by block of code.
class Joiner {
 public:
  Joiner(const ptx::Module& module, const Function& function)
      : function_(function),
        alignments_(module, function),
        roots_(function),
        joined_(function.body.size(), 1) {}

  std::vector<uint8_t> run() {
    std::set<size_t> leaders;
    for (const auto& [name, index] : function_.labels) leaders.insert(index);
    for (size_t index = 0; index < function_.body.size(); ++index) {
      if (leaders.count(index) != 0) close();
      take(index);
    }
    close();
    return std::move(joined_);
  }

 private:
  struct Key {
    bool store;
    int reg;
    std::string_view symbol;
    uint64_t bytes;
    auto operator<=>(const Key&) const = default;
  };

  struct Load {
    int reg;
    std::string_view symbol;
    int64_t offset;
    std::string_view type;
    uint64_t bytes;
    auto operator<=>(const Load&) const = default;
  };

  void take(size_t index) {
    const ptx::Instruction& instruction = function_.body[index];
    if (is_plain_shared(instruction)) {
      const bool store = instruction.opcode == "st";
      if (store != stores_) close();
      stores_ = store;
      add(index, instruction, store);
    } else if (orders(instruction)) {
      close();
    }
    if (!writes_first_operand(instruction)) return;
    close_root(instruction.operands[0].reg);
    for (const Operand& element : instruction.operands[0].elements) close_root(element.reg);
  }

  static bool orders(const ptx::Instruction& instruction) {
    constexpr std::array<std::string_view, 14> kOrdering = {
        "bra",    "brx",   "call", "ret", "exit", "bar",      "barrier",
        "membar", "fence", "atom", "red", "cp",   "mbarrier", "activemask"};
    const bool store = instruction.opcode == "st" && !instruction.has("global") &&
                       !instruction.has("local") && !instruction.has("param");
    return store || becomes_branches(instruction) ||
           std::find(kOrdering.begin(), kOrdering.end(), instruction.opcode) != kOrdering.end();
  }

  void add(size_t index, const ptx::Instruction& instruction, bool store) {
    const uint64_t bytes = bytes_of(instruction);
    if (!store && is_repeated(index, instruction)) return;
    if (bytes != 4 && bytes != 8 && !(store && bytes == kHalfWord)) return;
    const Operand& address = instruction.operands[store ? 0 : 1];
    const Place place = roots_.of(address);
    // A store to a place of another root may be to the same address as one that is held back.
    if (store && !open_.empty() &&
        open_.begin()->first != Key{true, place.reg, place.symbol, bytes})
      close();
    auto& offsets = open_[{store, place.reg, place.symbol, bytes}];
    if (!offsets.emplace(place.offset, index).second && store) {
      close();
      open_[{store, place.reg, place.symbol, bytes}].emplace(place.offset, index);
    }
  }

  /// A load of what the code before it has loaded, with nothing between that could change it.
  bool is_repeated(size_t index, const ptx::Instruction& instruction) {
    const Place place = roots_.of(instruction.operands[1]);
    const Load load{place.reg, place.symbol, place.offset, instruction.modifiers.back(),
                    bytes_of(instruction)};
    if (loaded_.insert(load).second) return false;
    joined_[index] = 0;
    return true;
  }

  void close_root(int reg) {
    if (reg < 0) return;
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

  void join(const Key& key, const std::map<int64_t, size_t>& offsets) {
    const uint64_t alignment = key.reg >= 0 ? alignments_.of_register(key.reg) : kArrayAlignment;
    std::set<int64_t> taken;
    const uint64_t widest = key.bytes == kHalfWord ? kMostHalfWords * kHalfWord : kWidestAccess;
    for (uint64_t width = widest; width > key.bytes; width /= 2) {
      if (alignment < width) continue;
      const auto step = static_cast<int64_t>(key.bytes);
      const auto whole = static_cast<int64_t>(width);
      for (const auto& [offset, index] : offsets) {
        if ((offset & (whole - 1)) != 0) continue;
        std::vector<size_t> parts;
        for (int64_t at = offset; at < offset + whole; at += step) {
          const auto found = offsets.find(at);
          if (found != offsets.end() && taken.count(at) == 0) parts.push_back(found->second);
        }
        if (parts.size() != width / key.bytes) continue;
        for (const size_t part : parts) joined_[part] = 0;
        joined_[*std::min_element(parts.begin(), parts.end())] = static_cast<uint8_t>(parts.size());
        for (int64_t at = offset; at < offset + whole; at += step) taken.insert(at);
      }
    }
  }

  const Function& function_;
  Alignments alignments_;
  Roots roots_;
  std::vector<uint8_t> joined_;
  std::map<Key, std::map<int64_t, size_t>> open_;
  std::set<Load> loaded_;  ///< since the last store
  bool stores_ = false;
};

}  // namespace

std::vector<uint8_t> joined_accesses(const ptx::Module& module, const Function& function) {
  if (std::count_if(function.body.begin(), function.body.end(), is_plain_shared) < 2) return {};
  return Joiner(module, function).run();
}

}  // namespace warpgrade::emulator
