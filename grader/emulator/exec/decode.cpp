// SPDX-License-Identifier: MIT
// Instruction by instruction, function by function, with what is known of a function as a whole.

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "emulator/analysis/block_order.h"
#include "emulator/analysis/discarded_loads.h"
#include "emulator/analysis/early_exit.h"
#include "emulator/checkers/watch.h"
#include "emulator/exec/data_loads.h"
#include "emulator/exec/decoder.h"
#include "emulator/exec/members.h"
#include "emulator/exec/ops/ops.h"
#include "emulator/exec/repeated.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/updates.h"
#include "emulator/exec/waiting_loops.h"
#include "emulator/ptx/source_map.h"
#include "emulator/ptxas/joined.h"

namespace warpgrade::emulator {
namespace {

const OpRow* find_row(std::string_view opcode) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const OpRow*> rows;
    for (const auto& chapter : engine().chapters) {
      for (const OpRow& row : chapter) rows.emplace(row.opcode, &row);
    }
    return rows;
  }();
  const auto found = table.find(opcode);
  return found == table.end() ? nullptr : found->second;
}

void decode_instruction(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                        uint32_t guard) {
  into.guard = guard;
  if (from.guard_negated) into.flags |= Instruction::kGuardNegated;
  try {
    const OpRow* const row = find_row(from.opcode);
    if (row == nullptr)
      throw Unsupported{fmt::format("the instruction {} is not emulated", from.text)};
    row->decode(decoder, from, into);
    into.ordering = ordering_of(from);
    // An exchange whose result the kernel drops reads nothing.
    if (from.has("exch") && into.d != kNoRegister)
      into.ordering &= static_cast<uint16_t>(~kReadsNothing);
    if (from.opcode == "ld") {
      into.flags |= Instruction::kLoads;
      into.moved = decoder.moved_elements(from.operands[0]);
    }
    if (from.has("nc") || from.opcode == "tex" || from.opcode == "tld4")
      into.flags |= Instruction::kConstantData;
    if (from.opcode == "ld" && decoder.is_guess(from.operands[1])) into.ordering |= kStrong;
  } catch (const Unsupported& unsupported) {
    into.run = engine().unsupported;
    into.flags |= Instruction::kControl;
    decoder.new_detail(into).text = unsupported.message;
  }
}

void mark_leaders(const ptx::Function& function, FunctionCode& code, Program& program) {
  for (const auto& [name, index] : function.labels) {
    if (index > 0 && index <= code.count)
      program.code[code.first + index - 1].flags |= Instruction::kBeforeLeader;
  }
}

void mark_joined(const ptx::Module& module, const ptx::Function& function, const FunctionCode& code,
                 Program& program) {
  const std::vector<uint8_t> joined = joined_accesses(module, function);
  for (size_t index = 0; index < joined.size(); ++index)
    program.code[code.first + index].joined = joined[index];
}

Drop::Condition decoded(const ptx::Function& function, const LaneCondition& condition, bool value,
                        Decoder& decoder) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::reg;
  operand.reg = condition.reg;
  const ptx::Type type = function.registers[static_cast<size_t>(condition.reg)].type;
  return {decoder.destination(operand), type == ptx::Type::pred, value};
}

void mark_discarded_loads(const ptx::Function& function, const FunctionCode& code, Decoder& decoder,
                          Program& program) {
  for (const DiscardedLoad& discarded : discarded_loads(function)) {
    const auto load = static_cast<uint32_t>(code.first + discarded.load);
    Drop drop;
    std::set<size_t> before;
    for (const LaneValues& values : discarded.where) {
      drop.clauses.emplace_back();
      for (const auto& [condition, value] : values.all) {
        drop.clauses.back().push_back(decoded(function, condition, value, decoder));
        before.insert(condition.before.begin(), condition.before.end());
      }
    }
    for (const size_t index : before)
      drop.before.push_back(static_cast<uint32_t>(code.first + index));
    program.code[load].ordering |= kMayDrop;
    program.drops.emplace(load, std::move(drop));
  }
}

void note_members(const ptx::Function& function, const FunctionCode& code, Program& program) {
  for (const auto& [index, member] : member_accesses(function, program.code.data() + code.first))
    program.members.emplace(code.first + index, member);
}

void mark_waiting_loops(const ptx::Function& function, const FunctionCode& code, Decoder& decoder) {
  for (const WaitingLoop& loop : waiting_loops(function)) {
    Instruction& branch = decoder.program().code[code.first + loop.branch];
    if (branch.mode != kBranches || branch.detail != kNoDetail) continue;
    branch.mode = kTurnsWaitingLoop;
    for (const size_t look : loop.looks)
      decoder.program().code[code.first + look].ordering |= kLooks;
    Detail& detail = decoder.new_detail(branch);
    for (const int reg : loop.registers) {
      ptx::Operand operand;
      operand.kind = ptx::Operand::Kind::reg;
      operand.reg = reg;
      const bool is_predicate =
          function.registers[static_cast<size_t>(reg)].type == ptx::Type::pred;
      detail.registers.push_back(decoder.destination(operand));
      detail.slot_bytes.push_back(is_predicate ? 0 : decoder.register_bytes(operand));
    }
  }
}

/// Plain loads are left out: the race checker reports them where other threads write.
void mark_split_updates(const ptx::Function& function, const FunctionCode& code, Program& program) {
  SplitUpdates found = split_updates(function);
  for (const size_t turn : found.turns) program.code[code.first + turn].ordering |= kIsTurn;
  for (auto& [index, update] : found.writes) {
    for (uint32_t& read : update.reads) read += code.first;
    std::erase_if(update.reads,
                  [&](uint32_t read) { return (program.code[read].ordering & kStrong) == 0; });
    if (update.reads.empty() && !update.any) continue;
    const auto pc = static_cast<uint32_t>(code.first + index);
    for (const uint32_t read : update.reads) program.code[read].ordering |= kIsPart;
    program.code[pc].ordering |= kIsMade;
    program.split_updates.emplace(pc, std::move(update));
  }
}

/// Plain loads are left out: the race checker reports them where other threads write.
void note_data_loads(const ptx::Function& function, const FunctionCode& code, Program& program) {
  for (const size_t index : data_loads(function)) {
    const auto load = static_cast<uint32_t>(code.first + index);
    if ((program.code[load].ordering & kStrong) != 0) program.data_loads.insert(load);
  }
}

/// Reaching the end without `ret` ends the function.
ptx::Instruction closing_return() {
  ptx::Instruction instruction;
  instruction.opcode = instruction.text = "ret";
  return instruction;
}

void decode_function(const ptx::Module& module, const ptx::Function& function, const Names& names,
                     const SwappedAddresses& swapped, Program& program, FunctionCode& code) {
  code.name = code.info.mangled = std::string(function.name);
  code.is_entry = function.is_entry;
  code.location = function.location;
  code.is_of_toolkit =
      !function.is_entry &&
      (function.location.line == 0 || ptx::is_toolkit_header(module.files, function.location.file));
  code.is_of_library = function.is_entry && (function.name.starts_with("_ZN3cub") ||
                                             function.name.starts_with("_ZN6thrust"));
  code.info.max_threads = function.max_threads;
  code.info.cluster = {function.cluster[0], function.cluster[1], function.cluster[2]};
  code.first = static_cast<uint32_t>(program.code.size());
  Decoder decoder(module, function, names, swapped, program, code);
  const auto append = [&](const ptx::Instruction& from) {
    Instruction into;
    into.pc = static_cast<uint32_t>(program.code.size());
    ptx::Operand guard;
    guard.kind = ptx::Operand::Kind::reg;
    guard.reg = from.guard;
    decode_instruction(decoder, from, into,
                       from.guard < 0 ? kNoRegister : decoder.destination(guard));
    program.code.push_back(into);
    program.locations.push_back(from.location);
    program.opcodes.push_back(from.text);
  };
  for (const ptx::Instruction& from : function.body) append(from);
  append(closing_return());
  program.locations.back() =
      function.body.empty() ? function.location : function.body.back().location;
  code.count = static_cast<uint32_t>(program.code.size()) - code.first;
  for (const uint32_t place : block_order(function)) program.places.push_back(code.first + place);
  mark_leaders(function, code, program);
  mark_joined(module, function, code, program);
  mark_repeated(function, code, program);
  note_members(function, code, program);
  for (const size_t index : early_exits(function))
    program.code[code.first + index].mode = kLeavesLoop;
  mark_waiting_loops(function, code, decoder);
  mark_split_updates(function, code, program);
  note_data_loads(function, code, program);
  for (const size_t index : counting_stores(function))
    program.code[code.first + index].ordering |= kCounts;
  mark_discarded_loads(function, code, decoder, program);
  decoder.finish();
}

}  // namespace

Result<Program> decode(const ptx::Module& module, const Names& names) {
  Program program;
  program.functions.resize(names.functions.size());
  const SwappedAddresses swapped(module);
  try {
    for (const ptx::Function& function : module.functions) {
      if (!function.has_body) continue;
      decode_function(module, function, names, swapped, program,
                      program.functions[names.functions.find(function.name)->second]);
    }
  } catch (const TooLarge& error) {
    return Error{error.message};
  }
  return program;
}

}  // namespace warpgrade::emulator
