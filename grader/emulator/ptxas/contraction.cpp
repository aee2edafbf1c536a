// SPDX-License-Identifier: MIT
// Which of several possible products ptxas takes was read off the SASS that ptxas 13.0 makes of random sums.
#include "emulator/ptxas/contraction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "emulator/analysis/register_uses.h"
#include "emulator/ptxas/rebuilt_body.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

constexpr int kNone = -1;
constexpr std::array<std::string_view, 6> kTypes = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};

/// An operation on floats whose rounding the PTX leaves open.
struct Open {
  std::string_view type;
  bool ftz = false, sat = false;

  bool operator==(const Open&) const = default;
};

std::optional<Open> open(const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 3 || instruction.modifiers.empty()) return std::nullopt;
  Open found{instruction.modifiers.back(), instruction.has("ftz"), instruction.has("sat")};
  const size_t known = 1 + (found.ftz ? 1 : 0) + (found.sat ? 1 : 0);
  const bool is_float = std::find(kTypes.begin(), kTypes.end(), found.type) != kTypes.end();
  if (!is_float || instruction.modifiers.size() != known) return std::nullopt;
  return found;
}

/// The opcode as PTX writes it; the views that instructions hold must outlive their module.
std::string_view fma_text(const Open& sum) {
  const auto compose = [](std::string_view type, bool ftz, bool sat) {
    return std::string("fma.rn") + (ftz ? ".ftz" : "") + (sat ? ".sat." : ".") + std::string(type);
  };
  static const std::set<std::string> texts = [&] {
    std::set<std::string> all;
    for (const std::string_view type : kTypes) {
      for (const int modes : {0, 1, 2, 3})
        all.insert(compose(type, (modes & 1) != 0, (modes & 2) != 0));
    }
    return all;
  }();
  return *texts.find(compose(sum.type, sum.ftz, sum.sat));
}

class Contraction {
 public:
  explicit Contraction(ptx::Function& function)
      : function_(function),
        uses_(function),
        product_in_(function.registers.size(), kNone),
        sets_(function.registers.size()),
        used_here_(function.registers.size()),
        used_(function.registers.size()) {}

  void run() {
    for (size_t index = 0; index < function_.body.size(); ++index)
      uses_.for_sources(index, [&](int reg) { ++used_[static_cast<size_t>(reg)]; });
    for (size_t index = 0; index < function_.body.size(); ++index) {
      if (uses_.is_entered(index)) close();
      take(index);
      if (uses_.ends_stretch(index) || becomes_branches(function_.body[index])) close();
    }
    close();
    if (!joined_.empty()) leave_out_joined();
  }

 private:
  struct Product {
    size_t mul = 0;
    Open open;
    std::array<size_t, 2> factors_set{};  ///< how often each factor had been set before
    std::vector<size_t> sums;
    bool is_kept = false;  ///< something else uses it, too
  };
  struct Sum {
    size_t index = 0;
    std::array<int, 2> products = {kNone, kNone};  ///< of its two operands
  };

  void take(size_t index) {
    const ptx::Instruction& instruction = function_.body[index];
    const bool is_sum = note_sum(index);
    uses_.for_sources(index, [&](int reg) {
      const int product = product_in_[static_cast<size_t>(reg)];
      if (set_here_.contains(reg)) ++used_here_[static_cast<size_t>(reg)];
      if (product != kNone && !is_sum) products_[static_cast<size_t>(product)].is_kept = true;
    });
    uses_.for_results(index, [&](int reg) {
      const int product = std::exchange(product_in_[static_cast<size_t>(reg)], kNone);
      if (product != kNone && instruction.guard >= 0)
        products_[static_cast<size_t>(product)].is_kept = true;
      ++sets_[static_cast<size_t>(reg)];
      set_here_.insert(reg);
    });
    note_product(index);
  }

  void note_product(size_t index) {
    const ptx::Instruction& mul = function_.body[index];
    if (mul.opcode != "mul" || mul.guard >= 0) return;
    const std::optional<Open> found = open(mul);
    if (!found || found->sat || mul.operands[0].kind != Operand::Kind::reg) return;
    // It may stay for another of its sums, and then the factor is lost.
    const int result = mul.operands[0].reg;
    if (mul.operands[1].reg == result || mul.operands[2].reg == result) return;
    product_in_[static_cast<size_t>(mul.operands[0].reg)] = static_cast<int>(products_.size());
    products_.push_back({index, *found, factors_set(mul), {}, false});
  }

  std::array<size_t, 2> factors_set(const ptx::Instruction& mul) const {
    const auto times = [&](const Operand& factor) {
      return factor.reg < 0 ? 0 : sets_[static_cast<size_t>(factor.reg)];
    };
    return {times(mul.operands[1]), times(mul.operands[2])};
  }

  /// A sum takes the place of its product only where the factors still hold what they held there.
  bool joins(int product, const Open& sum) const {
    if (product == kNone) return false;
    const Product& found = products_[static_cast<size_t>(product)];
    return found.open == Open{sum.type, sum.ftz, false} &&
           found.factors_set == factors_set(function_.body[found.mul]);
  }

  /// Whether the instruction is a sum that any product among its operands may be joined with.
  bool note_sum(size_t index) {
    const ptx::Instruction& instruction = function_.body[index];
    if (!is_one_of(instruction, {"add", "sub"})) return false;
    const std::optional<Open> found = open(instruction);
    if (!found) return false;
    Sum sum{index};
    for (size_t i = 0; i < 2; ++i) {
      const Operand& operand = instruction.operands[i + 1];
      if (operand.kind != Operand::Kind::reg) continue;
      sum.products[i] = product_in_[static_cast<size_t>(operand.reg)];
      if (sum.products[i] != kNone && !joins(sum.products[i], *found)) return false;
    }
    if (sum.products[0] == sum.products[1]) return false;
    for (const int product : sum.products) {
      if (product != kNone) products_[static_cast<size_t>(product)].sums.push_back(sums_.size());
    }
    sums_.push_back(sum);
    return true;
  }

  /// At the end of a basic block.
  void close() {
    for (const int reg : set_here_) {
      const auto at = static_cast<size_t>(reg);
      const int product = std::exchange(product_in_[at], kNone);
      if (product != kNone && used_[at] != used_here_[at])
        products_[static_cast<size_t>(product)].is_kept = true;
      used_here_[at] = 0;
    }
    join();
    set_here_.clear();
    products_.clear();
    sums_.clear();
  }

  bool is_free(int product) const {
    return product != kNone && !products_[static_cast<size_t>(product)].is_kept;
  }

  /// A product of several sums yields where one of them has another product that is used nowhere else.
  bool yields(size_t product) const {
    const std::vector<size_t>& sums = products_[product].sums;
    return sums.size() > 1 && std::any_of(sums.begin(), sums.end(), [&](size_t sum) {
             const std::array<int, 2>& both = sums_[sum].products;
             const int other = both[0] == static_cast<int>(product) ? both[1] : both[0];
             return is_free(other) && products_[static_cast<size_t>(other)].sums.size() == 1;
           });
  }

  void join() {
    std::vector<size_t> left(products_.size());
    std::vector<bool> may_join(products_.size());
    for (size_t product = 0; product < products_.size(); ++product) {
      may_join[product] = is_free(static_cast<int>(product)) && !yields(product);
      left[product] = products_[product].sums.size();
    }
    for (const Sum& sum : sums_) {
      const auto can = [&](int product) {
        return product != kNone && may_join[static_cast<size_t>(product)];
      };
      const size_t chosen = can(sum.products[0]) ? 0 : 1;
      if (!can(sum.products[chosen])) continue;
      const auto product = static_cast<size_t>(sum.products[chosen]);
      if (const int other = sum.products[1 - chosen]; other != kNone)
        may_join[static_cast<size_t>(other)] = false;
      make_fma(function_.body[products_[product].mul], function_.body[sum.index], chosen);
      if (--left[product] == 0) joined_.insert(products_[product].mul);
    }
  }

  static void make_fma(const ptx::Instruction& mul, ptx::Instruction& sum, size_t chosen) {
    const bool subtracts = sum.opcode == "sub";
    const Open found = *open(sum);
    Operand addend = sum.operands[2 - chosen];
    Operand factor = mul.operands[1];
    addend.negated = subtracts && chosen == 0;
    factor.negated = subtracts && chosen == 1;
    sum.operands = {sum.operands[0], factor, mul.operands[2], addend};
    sum.opcode = "fma";
    sum.modifiers.insert(sum.modifiers.begin(), "rn");
    sum.text = fma_text(found);
  }

  void leave_out_joined() {
    rebuild_body(function_, [&](size_t index, std::vector<ptx::Instruction>& body) {
      if (!joined_.contains(index)) body.push_back(std::move(function_.body[index]));
    });
  }

  ptx::Function& function_;
  RegisterUses uses_;
  std::vector<int> product_in_;  ///< by register: index into products_
  std::vector<size_t> sets_;     ///< by register: how often it has been set so far
  std::vector<size_t> used_here_, used_;
  std::set<int> set_here_;
  std::vector<Product> products_;
  std::vector<Sum> sums_;
  std::set<size_t> joined_;
};

}  // namespace

void contract(ptx::Module& module) {
  if (module.is_debug) return;
  for (ptx::Function& function : module.functions) {
    const auto is_open = [](const ptx::Instruction& each) {
      return each.opcode == "mul" && open(each);
    };
    if (std::any_of(function.body.begin(), function.body.end(), is_open))
      Contraction(function).run();
  }
}

}  // namespace warpgrade::emulator
