// SPDX-License-Identifier: MIT
#include "emulator/model/unrolled_loops.h"

#include <map>
#include <vector>

namespace warpgrade::emulator {
namespace {

/// A loop of one basic block whose turns ptxas lays behind each other: a register that each turn changes by the same
/// number is compared with what no turn changes.
class UnrolledLoop {
 public:
  /// `written`: registers of the function; the others hold immediates.
  UnrolledLoop(const Program& program, const std::vector<OpCost>& costs, const BasicBlock& block,
               const std::set<uint32_t>& written)
      : program_(program), costs_(costs), block_(block), written_(written) {
    for (uint32_t pc = block.first; pc < block.end; ++pc) ++writes_[program.code[pc].d];
  }

  bool found() const {
    const Instruction& last = program_.code[block_.end - 1];
    if (!is_backward(last, program_.opcodes[last.pc]) || last.immediate != block_.first ||
        last.guard == kNoRegister || !is_light())
      return false;
    for (uint32_t pc = block_.first; pc < block_.end; ++pc) {
      const Instruction& compares = program_.code[pc];
      if (compares.d != last.guard || !program_.opcodes[pc].starts_with("setp")) continue;
      return (is_counter(compares.a) && !is_written_inside(compares.b)) ||
             (is_counter(compares.b) && !is_written_inside(compares.a));
    }
    return false;
  }

  bool is_of_all_turns(uint32_t pc) const {
    const Instruction& instruction = program_.code[pc];
    return pc == block_.end - 1 || instruction.d == program_.code[block_.end - 1].guard ||
           (steps(instruction) && writes_.at(instruction.d) == 1);
  }

 private:
  /// As read off the machine code of some 200 loops of courses: no loop of more instructions is unrolled, and none with
  /// special functions, conversions, double precision, divisions, atomics or calls.
  bool is_light() const {
    constexpr double kMostIssued = 33;
    double issued = 0;
    for (uint32_t pc = block_.first; pc < block_.end; ++pc) {
      const OpCost& cost = costs_[pc];
      const std::string_view opcode = program_.opcodes[pc];
      issued += cost.issue;
      switch (cost.kind) {
        case OpKind::plain:
        case OpKind::global_load:
        case OpKind::global_store:
        case OpKind::shared_load:
        case OpKind::shared_store:
        case OpKind::constant_load:
          break;
        default:
          return false;
      }
      if (cost.xu > 0 || cost.fp64 > 0 || cost.tensor > 0 || cost.shuffle > 0 || cost.branches ||
          cost.meets || divides(opcode) || opcode.find(".volatile") != std::string_view::npos ||
          opcode.starts_with("call"))
        return false;
    }
    return issued <= kMostIssued;
  }
  bool is_written_inside(uint32_t offset) const { return writes_.count(offset) != 0; }
  /// Adds an immediate to a register.
  bool steps(const Instruction& instruction) const {
    return program_.opcodes[instruction.pc].starts_with("add.") && instruction.d == instruction.a &&
           written_.count(instruction.b) == 0;
  }
  bool is_counter(uint32_t offset) const {
    const auto found = writes_.find(offset);
    if (offset == kNoRegister || found == writes_.end() || found->second != 1) return false;
    for (uint32_t pc = block_.first; pc < block_.end; ++pc) {
      if (program_.code[pc].d == offset) return steps(program_.code[pc]);
    }
    return false;
  }

  const Program& program_;
  const std::vector<OpCost>& costs_;
  const BasicBlock& block_;
  const std::set<uint32_t>& written_;
  std::map<uint32_t, int> writes_;
};

}  // namespace

bool is_backward(const Instruction& instruction, std::string_view opcode) {
  return opcode.starts_with("bra") && instruction.immediate >= 0 &&
         instruction.immediate <= static_cast<int64_t>(instruction.pc);
}

bool divides(std::string_view opcode) {
  return opcode.starts_with("div") || opcode.starts_with("rem");
}

std::set<uint32_t> written_registers(const Program& program, const FunctionCode& function) {
  std::set<uint32_t> written;
  for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
    const Instruction& instruction = program.code[pc];
    written.insert(instruction.d);
    if (instruction.detail == kNoDetail) continue;
    const auto& registers = program.details[instruction.detail].registers;
    written.insert(registers.begin(), registers.end());
  }
  return written;
}

void find_unrolled(const Program& program, CostProfile& profile) {
  profile.of_all_turns.assign(program.code.size(), false);
  for (const FunctionCode& function : program.functions) {
    const std::set<uint32_t> written = written_registers(program, function);
    for (BasicBlock& block : profile.blocks) {
      if (block.first < function.first || block.first >= function.first + function.count) continue;
      const UnrolledLoop loop(program, profile.costs, block, written);
      block.unrolls = loop.found();
      for (uint32_t pc = block.first; block.unrolls && pc < block.end; ++pc)
        profile.of_all_turns[pc] = loop.is_of_all_turns(pc);
    }
  }
}

}  // namespace warpgrade::emulator
