// SPDX-License-Identifier: MIT
// PTX ISA 9.7.12, control flow: bra, brx, call, ret, exit; and trap and its like from 9.7.19.

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/waiting_loops.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

void bra(Warp& warp, const Instruction& i) {
  const bool leaves = i.mode == kLeavesLoop;
  if (warp.mask == warp.active) {
    if (i.mode == kTurnsWaitingLoop) note_turn(warp, i);
    warp.pc = static_cast<uint32_t>(i.immediate);
    if (leaves) warp.groups[static_cast<size_t>(warp.running)].leaves = true;
  } else {
    ++warp.worker->rare[i.pc].divergent;
    branch(warp, static_cast<uint32_t>(i.immediate));
    if (leaves) warp.groups.back().leaves = true;
  }
}

void decode_bra(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  into.run = bra;
  into.flags |= Instruction::kControl;
  into.immediate = decoder.label(from.operands[0]);
}

/// The lanes go where their index points, in one group for each target.
void brx(Warp& warp, const Instruction& i) {
  const std::vector<uint32_t>& targets =
      warp.worker->launch->module->program.details[i.detail].registers;
  const uint32_t* index = warp.reg<uint32_t>(i.a);
  uint32_t lanes = warp.mask;
  const uint32_t first = index[first_lane(lanes)];
  if ((predicate_of([=](int lane) { return index[lane] == first; }) & lanes) != warp.active)
    ++warp.worker->rare[i.pc].divergent;
  while (lanes != 0) {
    const uint32_t chosen = index[first_lane(lanes)];
    if (chosen >= targets.size()) {
      report_fault(warp, i, LaunchStatus::illegal_address, 104, 0, 1u << first_lane(lanes),
                   say("memory.branch_index"));
      return stop(warp);
    }
    warp.mask = predicate_of([=](int lane) { return index[lane] == chosen; }) & lanes;
    branch(warp, targets[chosen]);
    lanes &= ~warp.mask;
  }
}

/// brx.idx index, list: the list is a label of `.branchtargets`.
void decode_brx(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  const auto& lists = decoder.function().branch_targets;
  const auto list = lists.find(from.operands[1].name);
  require(list != lists.end(), from);
  into.run = brx;
  into.flags |= Instruction::kControl;
  into.a = decoder.source(from.operands[0], Type::u32);
  into.detail = decoder.branch_list(list->first);
  if (into.detail != kNoDetail) return;
  std::vector<uint32_t> targets;
  for (const std::string_view name : list->second) {
    ptx::Operand label;
    label.name = name;
    targets.push_back(static_cast<uint32_t>(decoder.label(label)));
  }
  decoder.new_detail(into).registers = std::move(targets);
  decoder.set_branch_list(list->first, into.detail);
}

void call_direct(Warp& warp, const Instruction& i) {
  if (warp.mask != warp.active) ++warp.worker->rare[i.pc].divergent;
  const Program& program = warp.worker->launch->module->program;
  call_function(warp, i, program.functions[program.details[i.detail].function]);
}

/// Lanes whose pointers differ from the first one's stay here and call after them.
void call_indirect(Warp& warp, const Instruction& i) {
  const Program& program = warp.worker->launch->module->program;
  const uint64_t* pointers = warp.reg<uint64_t>(i.a);
  const uint64_t pointer = pointers[first_lane(warp.mask)];
  if (pointer - kFunctionBase >= program.functions.size()) {
    report_fault(warp, i, LaunchStatus::illegal_address, 100, 0, warp.mask,
                 say("memory.function_pointer"));
    return stop(warp);
  }
  const uint32_t here =
      predicate_of([=](int lane) { return pointers[lane] == pointer; }) & warp.mask;
  if (here != warp.active) ++warp.worker->rare[i.pc].divergent;
  if (here != warp.mask) {
    warp.mask &= ~here;
    branch(warp, i.pc);
    warp.mask = here;
  }
  call_function(warp, i, program.functions[pointer - kFunctionBase]);
}

void call_builtin(Warp& warp, const Instruction& i) {
  warp.worker->launch->module->program.details[i.detail].inner(warp, i);
}

void take_slots(Decoder& decoder, const ptx::Instruction& from, const ptx::Operand& list,
                std::vector<uint32_t>& offsets, std::vector<uint32_t>& bytes) {
  for (const ptx::Operand& operand : list.elements) {
    const ParameterSlot* const slot = decoder.parameter_slot(operand);
    require(slot != nullptr, from);
    offsets.push_back(slot->offset);
    bytes.push_back(slot->bytes);
  }
}

/// call{.uni} {(results),} function {, (arguments)} {, prototype};
void decode_call(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.flags |= Instruction::kControl;
  Detail detail;
  std::vector<uint32_t> result_bytes;
  const ptx::Operand* callee = nullptr;
  for (const ptx::Operand& operand : from.operands) {
    if (operand.kind == ptx::Operand::Kind::vector) {
      if (callee == nullptr)
        take_slots(decoder, from, operand, detail.more, result_bytes);
      else
        take_slots(decoder, from, operand, detail.registers, detail.slot_bytes);
    } else if (callee == nullptr) {
      callee = &operand;
    }
  }
  detail.slot_bytes.insert(detail.slot_bytes.end(), result_bytes.begin(), result_bytes.end());
  require(callee != nullptr, from);
  if (callee->kind == ptx::Operand::Kind::reg) {
    into.run = call_indirect;
    into.a = decoder.source(*callee, Type::u64);
  } else if (const Builtin builtin = builtin_named(callee->name)) {
    into.run = call_builtin;
    detail.inner = builtin;
  } else {
    const auto function = decoder.names().functions.find(callee->name);
    if (function == decoder.names().functions.end()) {
      const std::string name(callee->name);
      throw Unsupported{name.starts_with("__cudaCDP")
                            ? "the device runtime's " + name.substr(10) + " is not emulated"
                            : "calling " + name + " in a kernel is not emulated"};
    }
    into.run = call_direct;
    detail.function = function->second;
  }
  decoder.new_detail(into) = std::move(detail);
}

void ret(Warp& warp, const Instruction&) { return_from_function(warp); }
void exit_thread(Warp& warp, const Instruction&) { end_lanes(warp); }

void trap(Warp& warp, const Instruction& i) {
  report_fault(warp, i, LaunchStatus::trap, 101, 0, warp.mask, say("trap.executed"));
  stop(warp);
}

template <Handler Run>
void decode_simple(Decoder&, const ptx::Instruction&, Instruction& into) {
  into.run = Run;
  into.flags |= Instruction::kControl;
}

void nothing(Warp&, const Instruction&) {}
void decode_nothing(Decoder&, const ptx::Instruction&, Instruction& into) { into.run = nothing; }

constexpr OpRow kRows[] = {
    {"bra", decode_bra},
    {"brx", decode_brx},
    {"call", decode_call},
    {"ret", decode_simple<ret>},
    {"exit", decode_simple<exit_thread>},
    {"trap", decode_simple<trap>},
    // Without a debugger a breakpoint ends the launch as a trap does (seen on an H200).
    {"brkpt", decode_simple<trap>},
    {"pmevent", decode_nothing},
};

}  // namespace

void unsupported(Warp& warp, const Instruction& i) {
  report_fault(warp, i, LaunchStatus::unsupported, 102, i.pc, warp.mask,
               say("unsupported.code",
                   {{"why", warp.worker->launch->module->program.details[i.detail].text}}));
  stop(warp);
}

const std::span<const OpRow> kControlOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
