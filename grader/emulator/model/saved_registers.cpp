// SPDX-License-Identifier: MIT
#include "emulator/model/saved_registers.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpgrade::emulator {
namespace {

/// Where to return, which takes two, and what is known of lanes that wait to meet.
constexpr double kSavedByAll = 3;

bool calls(std::string_view opcode) { return opcode.starts_with("call"); }

bool is_direct_call(const Program& program, const Instruction& instruction) {
  return calls(program.opcodes[instruction.pc]) && instruction.detail != kNoDetail &&
         !is_indirect_call(instruction, program.opcodes[instruction.pc]) &&
         program.details[instruction.detail].inner == nullptr;
}

/// How many registers of 32 bits a value takes that the opcode makes.
double width(std::string_view opcode) {
  if (opcode.starts_with("setp")) return 0;
  if (opcode.find(".wide") != std::string_view::npos) return 2;
  const size_t last = opcode.rfind('.');
  const std::string_view type =
      opcode.starts_with("cvt") ? opcode.substr(0, last) : std::string_view(opcode);
  return type.ends_with("64") ? 2 : 1;
}

/// From the first instruction that sets a register to the last that reads it.
struct Life {
  uint32_t first = kNoDetail, last = 0;
  double width = 1;
};

std::map<uint32_t, Life> lives_of(const Program& program, const FunctionCode& function) {
  std::map<uint32_t, Life> lives;
  for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
    const Instruction& instruction = program.code[pc];
    const auto note = [&](uint32_t offset) {
      if (offset == kNoRegister) return;
      Life& life = lives[offset];
      if (life.first == kNoDetail) life = {pc, pc, width(program.opcodes[pc])};
      life.last = pc;
    };
    for (const uint32_t offset : {instruction.a, instruction.b, instruction.c, instruction.e,
                                  instruction.guard, instruction.d})
      note(offset);
    if (instruction.detail == kNoDetail || calls(program.opcodes[pc])) continue;
    for (const uint32_t offset : program.details[instruction.detail].registers) note(offset);
  }
  return lives;
}

/// What a loop reads that is set before it lives until the loop's end.
void lengthen_over_loops(const Program& program, const FunctionCode& function,
                         std::map<uint32_t, Life>& lives) {
  for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
    const Instruction& last = program.code[pc];
    if (!program.opcodes[pc].starts_with("bra") || last.immediate < 0 || last.immediate > pc)
      continue;
    const auto begin = static_cast<uint32_t>(last.immediate);
    for (auto& [offset, life] : lives) {
      if (life.first < begin && life.last >= begin) life.last = std::max(life.last, pc);
    }
  }
}

/// The functions that can be come to from themselves.
std::set<size_t> recursive_functions(const std::vector<std::set<size_t>>& callees) {
  std::set<size_t> found;
  for (size_t function = 0; function < callees.size(); ++function) {
    std::set<size_t> reached(callees[function]);
    for (std::vector<size_t> left(reached.begin(), reached.end()); !left.empty();) {
      const size_t next = left.back();
      left.pop_back();
      for (const size_t callee : callees[next]) {
        if (reached.insert(callee).second) left.push_back(callee);
      }
    }
    if (reached.count(function) != 0) found.insert(function);
  }
  return found;
}

double saved_by(const Program& program, const FunctionCode& function,
                const std::vector<OpCost>& costs) {
  std::vector<uint32_t> calling;
  for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
    if (calls(program.opcodes[pc]) || costs[pc].branches) calling.push_back(pc);
  }
  if (calling.empty()) return 0;
  std::map<uint32_t, Life> lives = lives_of(program, function);
  lengthen_over_loops(program, function, lives);
  double saved = kSavedByAll;
  for (const auto& [offset, life] : lives) {
    const bool across = std::any_of(calling.begin(), calling.end(), [&life = life](uint32_t pc) {
      return life.first < pc && pc < life.last;
    });
    if (across) saved += life.width;
  }
  return saved;
}

}  // namespace

bool is_indirect_call(const Instruction& instruction, std::string_view opcode) {
  return calls(opcode) && instruction.a != kNoRegister;
}

std::vector<double> saved_registers(const Program& program, const std::vector<OpCost>& costs) {
  const size_t count = program.functions.size();
  std::vector<std::set<size_t>> callees(count);
  std::set<size_t> called;
  for (size_t index = 0; index < count; ++index) {
    const FunctionCode& function = program.functions[index];
    for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
      if (!is_direct_call(program, program.code[pc])) continue;
      callees[index].insert(program.details[program.code[pc].detail].function);
    }
    called.insert(callees[index].begin(), callees[index].end());
  }
  const std::set<size_t> recursive = recursive_functions(callees);
  std::vector<double> saved(count);
  for (size_t index = 0; index < count; ++index) {
    const bool by_pointer = !program.functions[index].is_entry && called.count(index) == 0;
    if (by_pointer || recursive.count(index) != 0)
      saved[index] = saved_by(program, program.functions[index], costs);
  }
  return saved;
}

}  // namespace warpgrade::emulator
