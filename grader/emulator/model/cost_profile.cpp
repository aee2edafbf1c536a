// SPDX-License-Identifier: MIT
#include "emulator/model/cost_profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "emulator/exec/scheduling.h"
#include "emulator/model/saved_registers.h"

namespace warpgrade::emulator {
namespace {

// Only to compare paths with each other; the time model has the device's own figures.
constexpr double kNominalShared = 25, kNominalGlobal = 350, kNominalAtomic = 500,
                 kNominalSharedAtomic = 60, kNominalBarrier = 20, kLocalClocks = 35;
/// In the first turns of a loop, what came before it still counts.
constexpr int kTurns = 2;
/// Measured by themselves (model/README.md): a call by a pointer, and what a call takes longer that saves registers.
constexpr double kIndirectCallClocks = 135, kIndirectCallIssue = 35, kSavingClocks = 150;
/// Instructions after which loops in loops are walked once.
constexpr uint64_t kMostSteps = 200'000;

double clocks(const WarpPath& path) {
  return path.fixed + path.shared * kNominalShared + path.global * kNominalGlobal +
         path.atomic * kNominalAtomic + path.shared_atomic * kNominalSharedAtomic +
         path.barrier * kNominalBarrier;
}

WarpPath difference(const WarpPath& a, const WarpPath& b) {
  return {a.fixed - b.fixed,
          a.shared - b.shared,
          a.global - b.global,
          a.atomic - b.atomic,
          a.shared_atomic - b.shared_atomic,
          a.barrier - b.barrier};
}

/// A moment of the warp's run, with what it waited for until then.
struct Moment {
  WarpPath path;
  double at = 0;

  void wait_for(const Moment& other) {
    if (other.at > at) *this = other;
  }
  Moment after(const OpCost& cost) const {
    Moment then = *this;
    then.path.fixed += cost.clocks;
    switch (cost.kind) {
      case OpKind::global_load:
      case OpKind::texture:
        then.path.global += 1;
        break;
      case OpKind::local_load:
        then.path.fixed += kLocalClocks;
        break;
      case OpKind::shared_load:
        then.path.shared += 1;
        break;
      case OpKind::global_atomic:
        then.path.atomic += 1;
        break;
      case OpKind::shared_atomic:
      case OpKind::shared_atomic_loop:
        then.path.shared_atomic += 1;
        break;
      case OpKind::barrier:
        then.path.barrier += 1;
        break;
      default:
        break;
    }
    then.at = clocks(then.path);
    return then;
  }
};

bool is_backward(const Instruction& instruction, std::string_view opcode) {
  return opcode.starts_with("bra") && instruction.immediate >= 0 &&
         instruction.immediate <= static_cast<int64_t>(instruction.pc);
}

/// The number of the basic block of each instruction.
std::vector<BasicBlock> find_blocks(const Program& program) {
  std::set<uint32_t> leaders;
  for (const FunctionCode& function : program.functions) leaders.insert(function.first);
  for (const Instruction& instruction : program.code) {
    if ((instruction.flags & Instruction::kControl) == 0) continue;
    leaders.insert(instruction.pc + 1);
    const std::string_view opcode = program.opcodes[instruction.pc];
    if (opcode.starts_with("bra")) leaders.insert(static_cast<uint32_t>(instruction.immediate));
    if (opcode.starts_with("brx")) {
      for (const uint32_t target : program.details[instruction.detail].registers)
        leaders.insert(target);
    }
  }
  std::vector<BasicBlock> blocks;
  const auto count = static_cast<uint32_t>(program.code.size());
  for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
    const auto next = std::next(leader);
    const uint32_t end = next == leaders.end() ? count : std::min(*next, count);
    if (*leader < end) blocks.push_back({*leader, end, {}});
  }
  return blocks;
}

/// Walks a function's code in the order in which it lies, each loop kTurns times more, and notes how long the
/// last run through each basic block took.
class Walk {
 public:
  Walk(const Program& program, CostProfile& profile) : program_(program), profile_(profile) {}

  void function(size_t first_block, size_t end_block) {
    ready_.clear();
    note_reads(profile_.blocks[first_block].first, profile_.blocks[end_block - 1].end);
    now_ = {};
    std::map<size_t, int> turned;
    for (size_t index = first_block; index < end_block; ++index) {
      run(profile_.blocks[index]);
      const Instruction& last = program_.code[profile_.blocks[index].end - 1];
      if (!is_backward(last, program_.opcodes[last.pc]) || turned[index] == kTurns ||
          steps_ > kMostSteps)
        continue;
      const auto target =
          std::lower_bound(profile_.blocks.begin(), profile_.blocks.end(), last.immediate,
                           [](const BasicBlock& block, int64_t pc) { return block.first < pc; });
      const auto back = static_cast<size_t>(target - profile_.blocks.begin());
      if (back < first_block || back > index) continue;
      for (size_t inner = back; inner < index; ++inner) turned.erase(inner);
      ++turned[index];
      index = back - 1;
    }
  }

 private:
  void note_reads(uint32_t first, uint32_t end) {
    read_ = {};
    for (uint32_t pc = first; pc < end; ++pc) {
      const Instruction& instruction = program_.code[pc];
      read_.insert({instruction.a, instruction.b, instruction.c, instruction.e, instruction.guard});
      if (instruction.detail == kNoDetail) continue;
      const auto& registers = program_.details[instruction.detail].registers;
      read_.insert(registers.begin(), registers.end());
    }
    read_.erase(kNoRegister);
  }

  void wait_for_register(Moment& start, uint32_t offset) const {
    if (offset == kNoRegister) return;
    if (const auto found = ready_.find(offset); found != ready_.end())
      start.wait_for(found->second);
  }

  Moment start_of(const Instruction& instruction, const OpCost& cost, const Moment& begin) const {
    Moment start = begin;
    for (const uint32_t offset :
         {instruction.a, instruction.b, instruction.c, instruction.e, instruction.guard})
      wait_for_register(start, offset);
    if (instruction.detail != kNoDetail) {
      for (const uint32_t offset : program_.details[instruction.detail].registers)
        wait_for_register(start, offset);
    }
    // ptxas keeps a load behind the stores that may have written what it reads.
    const bool constant = program_.opcodes[instruction.pc].find(".nc") != std::string_view::npos;
    if (cost.kind == OpKind::global_load && !constant) start.wait_for(last_global_store_);
    if (cost.kind == OpKind::shared_load) start.wait_for(last_shared_store_);
    return start;
  }

  void write(const Instruction& instruction, const OpCost& cost, const Moment& done) {
    if (instruction.d != kNoRegister) ready_[instruction.d] = done;
    const bool stores = cost.kind == OpKind::global_store || cost.kind == OpKind::shared_store ||
                        cost.kind == OpKind::local_store;
    if (stores || instruction.detail == kNoDetail) return;
    for (const uint32_t offset : program_.details[instruction.detail].registers)
      ready_[offset] = done;
  }

  void run(BasicBlock& block) {
    const Moment begin = now_;
    last_global_store_ = last_shared_store_ = begin;
    Moment end = begin;
    double issued = 0;
    for (uint32_t pc = block.first; pc < block.end; ++pc, ++steps_) {
      const Instruction& instruction = program_.code[pc];
      const OpCost& cost = profile_.costs[pc];
      Moment start = start_of(instruction, cost, begin);
      issued += cost.issue;
      const bool waits = cost.kind == OpKind::barrier || cost.kind == OpKind::fence ||
                         cost.kind == OpKind::shared_atomic_loop || cost.branches;
      if (waits) start.wait_for(end);
      end.wait_for(start);
      const Moment done = start.after(cost);
      // What a later basic block asks about an atomic's old value is asked soon.
      if (waits || (cost.kind == OpKind::global_atomic && read_.count(instruction.d) != 0))
        end.wait_for(done);
      if (cost.kind == OpKind::global_store) last_global_store_.wait_for(start);
      if (cost.kind == OpKind::shared_store) last_shared_store_.wait_for(start);
      write(instruction, cost, done);
    }
    if (end.at < begin.at + issued) {
      end = begin;
      end.path.fixed += issued;
      end.at = clocks(end.path);
    }
    block.path = difference(end.path, begin.path);
    now_ = end;
  }

  const Program& program_;
  CostProfile& profile_;
  std::unordered_map<uint32_t, Moment> ready_;
  std::set<uint32_t> read_;  ///< registers of the function
  Moment now_, last_global_store_, last_shared_store_;
  uint64_t steps_ = 0;
};

bool divides(std::string_view opcode) {
  return opcode.starts_with("div") || opcode.starts_with("rem");
}

/// Whether a division before this one, on the way straight here, was by the same register.
bool is_repeated(const Program& program, uint32_t pc, uint32_t offset) {
  while (pc-- > 0) {
    const Instruction& before = program.code[pc];
    if (before.d == offset || (before.flags & Instruction::kControl) != 0) return false;
    if (divides(program.opcodes[pc]) && before.b == offset) return true;
  }
  return false;
}

/// Whether the innermost loop around an instruction leaves the register alone.
bool is_invariant(const Program& program, uint32_t pc, uint32_t offset) {
  for (uint32_t at = pc; at < program.code.size(); ++at) {
    const Instruction& last = program.code[at];
    const std::string_view opcode = program.opcodes[at];
    if (opcode.starts_with("ret") || opcode.starts_with("exit")) return false;
    if (!is_backward(last, opcode) || last.immediate > pc) continue;
    for (auto inside = static_cast<uint32_t>(last.immediate); inside <= at; ++inside) {
      if (program.code[inside].d == offset) return false;
    }
    return true;
  }
  return false;
}

/// Those of one function: each has a register file of its own.
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

/// The kind of a call of the device's library; any other instruction's is `kind`.
OpKind kind_of_call(const Program& program, const Instruction& instruction, OpKind kind) {
  if (instruction.detail == kNoDetail) return kind;
  const auto inner = program.details[instruction.detail].inner;
  if (inner == nullptr) return kind;
  if (inner == builtin_named("malloc") || inner == builtin_named("free")) return OpKind::heap;
  return inner == builtin_named("vprintf") ? OpKind::print : kind;
}

/// A load from a fixed place of constant memory is an operand of the instruction that uses it.
void make_operands(const Program& program, const FunctionCode& function,
                   std::vector<OpCost>& costs) {
  const std::set<uint32_t> written = written_registers(program, function);
  for (uint32_t pc = function.first; pc < function.first + function.count; ++pc) {
    if (costs[pc].kind == OpKind::constant_load && written.count(program.code[pc].a) == 0)
      costs[pc] = {.issue = 0, .clocks = 0};
  }
}

void add_calls(const Program& program, std::vector<OpCost>& costs) {
  for (const Instruction& instruction : program.code) {
    if (!is_indirect_call(instruction, program.opcodes[instruction.pc])) continue;
    costs[instruction.pc].clocks = kIndirectCallClocks;
    costs[instruction.pc].issue = kIndirectCallIssue;
  }
  const std::vector<double> saved = saved_registers(program, costs);
  for (size_t index = 0; index < saved.size(); ++index) {
    if (saved[index] == 0) continue;
    OpCost& first = costs[program.functions[index].first];
    first.saved = saved[index];
    first.issue += 2 * saved[index];
    first.clocks += kSavingClocks;
    first.branches = true;
  }
}

}  // namespace

CostProfile make_cost_profile(const Program& program) {
  CostProfile profile;
  for (const Instruction& instruction : program.code) {
    const std::string_view opcode = program.opcodes[instruction.pc];
    const bool hoisted = divides(opcode) && (is_invariant(program, instruction.pc, instruction.b) ||
                                             is_repeated(program, instruction.pc, instruction.b));
    profile.costs.push_back(op_cost(opcode, hoisted));
    profile.costs.back().kind = kind_of_call(program, instruction, profile.costs.back().kind);
    if (instruction.joined == 0) profile.costs.back().issue = 0;
  }
  for (const FunctionCode& function : program.functions)
    make_operands(program, function, profile.costs);
  add_calls(program, profile.costs);
  profile.blocks = find_blocks(program);
  Walk walk(program, profile);
  size_t first = 0;
  for (size_t index = 0; index < profile.blocks.size(); ++index) {
    const uint32_t end = profile.blocks[index].end;
    const bool function_ends =
        index + 1 == profile.blocks.size() ||
        std::any_of(program.functions.begin(), program.functions.end(),
                    [&](const FunctionCode& function) { return function.first == end; });
    if (!function_ends) continue;
    walk.function(first, index + 1);
    first = index + 1;
  }
  return profile;
}

}  // namespace warpgrade::emulator
