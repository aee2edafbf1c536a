// SPDX-License-Identifier: MIT
#include "emulator/exec/flow.h"

#include <algorithm>

#include "emulator/checkers/undefined.h"

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

/// Whether the first operand is one that the instruction writes.
bool writes_first(const ptx::Instruction& from) {
  if (from.operands.empty() || from.operands[0].is_address) return false;
  if (is_one_of(from.opcode, {"bar", "barrier"})) return from.has("red");
  return !is_one_of(from.opcode, {"st", "red", "sust", "brx", "bra", "call", "nanosleep", "ret",
                                  "exit", "cp", "prefetch", "prefetchu", "discard"});
}

/// Opcodes whose sources show outside the thread, or decide for it, whatever they compute.
bool shows_sources(const ptx::Instruction& from) {
  return is_one_of(
      from.opcode,
      {"st",       "red",       "atom",  "sust",       "bar",      "barrier",   "brx",
       "call",     "vote",      "match", "redux",      "elect",    "nanosleep", "cp",
       "mma",      "wmma",      "tex",   "tld4",       "suld",     "mbarrier",  "ldmatrix",
       "stmatrix", "movmatrix", "mapa",  "getctarank", "prefetch", "prefetchu"});
}

ptx::Type last_type(const ptx::Instruction& from) {
  for (auto modifier = from.modifiers.rbegin(); modifier != from.modifiers.rend(); ++modifier) {
    if (const ptx::Type type = ptx::type_named(*modifier); type != ptx::Type::none) return type;
  }
  return ptx::Type::none;
}

Through through_of(const ptx::Instruction& from) {
  const bool combines = from.has("and") || from.has("or");
  if (from.opcode == "selp") return Through::selection;
  if (from.opcode == "slct") return Through::sign;
  if (from.opcode == "and") return Through::conjunction;
  if (from.opcode == "or") return Through::disjunction;
  if ((from.opcode == "setp" || from.opcode == "set") && combines) return Through::comparison;
  if (from.opcode == "ld" || from.opcode == "ldu") return Through::load;
  if (from.opcode == "shfl") return Through::shuffle;
  const bool to_local =
      !from.has("global") && !from.has("shared") && !from.has("shared::cta") && !from.has("param");
  return from.opcode == "st" && to_local ? Through::store : Through::any;
}

/// Finds the registers of one function's instructions.
class FlowOfFunction {
 public:
  FlowOfFunction(const FunctionCode& code, const Program& program)
      : code_(code), program_(program) {}

  Flow of(const ptx::Instruction& from, const Instruction& decoded) const {
    Flow flow;
    if (moves_parameter(from, decoded)) return of_parameter(from, decoded);
    flow.through = through_of(from);
    flow.ends = is_one_of(from.opcode, {"ret", "exit"});
    flow.exits = from.opcode == "exit";
    flow.either = from.has("or");
    flow.local = from.has("local");
    flow.shared = from.has("shared") || from.has("shared::cta");
    const auto member = program_.members.find(decoded.pc);
    flow.copies = member != program_.members.end() && member->second == MemberAccess::copy;
    if (flow.copies) flow.through = Through::store;
    const ptx::Type type = last_type(from);
    flow.bytes = type == ptx::Type::pred ? 0 : static_cast<uint8_t>(ptx::size_of(type));
    const bool writes = writes_first(from);
    const bool shows = shows_sources(from) && flow.through != Through::store;
    for (size_t index = 0; index < from.operands.size(); ++index) {
      const Operand& operand = from.operands[index];
      if (index == 0 && writes)
        add(operand, flow.writes);
      else if (operand.is_address || shows || decides(flow.through, index))
        add(operand, flow.decides);
      else
        add(operand, flow.reads, flow.through == Through::store);
    }
    if (from.opcode == "ret") {
      for (const ParameterSlot& slot : code_.returns)
        add_words(slot.offset, slot.bytes, flow.reads);
    }
    if (from.opcode == "call" && decoded.detail != kNoDetail) add_slots(decoded, flow);
    if (from.has("cc")) flow.writes.push_back(kCarry);
    if (is_one_of(from.opcode, {"addc", "subc", "madc"})) flow.reads.push_back(kCarry);
    return flow;
  }

 private:
  /// Whether it loads from or stores to a parameter of a call, and is emulated.
  static bool moves_parameter(const ptx::Instruction& from, const Instruction& decoded) {
    return (from.opcode == "ld" || from.opcode == "st") && from.has("param") &&
           decoded.a != kNoRegister && (decoded.flags & Instruction::kControl) == 0;
  }

  Flow of_parameter(const ptx::Instruction& from, const Instruction& decoded) const {
    const bool loads = from.opcode == "ld";
    Flow flow;
    flow.through = Through::parameter;
    flow.bytes = static_cast<uint8_t>(ptx::size_of(last_type(from)));
    flow.loads = loads;
    add(from.operands[loads ? 0 : 1], loads ? flow.writes : flow.reads, true);
    std::vector<uint32_t>& words = loads ? flow.reads : flow.writes;
    const auto first = static_cast<uint64_t>(decoded.immediate);
    const uint64_t end = first + uint64_t{flow.bytes} * decoded.elements;
    for (uint64_t word = first / 4; word <= (end - 1) / 4; ++word)
      words.push_back(word_of(decoded.a, word));
    return flow;
  }

  static void add_words(uint32_t slot, uint32_t bytes, std::vector<uint32_t>& into) {
    for (uint32_t word = 0; word < (bytes + 3) / 4; ++word) into.push_back(word_of(slot, word));
  }

  /// The slots of a call's parameters and results.
  void add_slots(const Instruction& call, Flow& flow) const {
    const Detail& detail = program_.details[call.detail];
    flow.calls = true;
    for (size_t index = 0; index < detail.registers.size(); ++index)
      add_words(detail.registers[index], detail.slot_bytes[index], flow.reads);
    for (size_t index = 0; index < detail.more.size(); ++index)
      add_words(detail.more[index], detail.slot_bytes[detail.registers.size() + index],
                flow.writes);
  }

  /// The lane, the clamp and the members of a shuffle.
  static bool decides(Through through, size_t operand) {
    return through == Through::shuffle && operand > 1;
  }

  /// `all`: what is no register keeps its place among the others.
  void add(const Operand& operand, std::vector<uint32_t>& registers, bool all = false) const {
    if (operand.reg >= 0)
      registers.push_back(code_.registers[static_cast<size_t>(operand.reg)]);
    else if (all && operand.elements.empty())
      registers.push_back(kNoRegister);
    for (const Operand& element : operand.elements) add(element, registers, all);
  }

  const FunctionCode& code_;
  const Program& program_;
};

/// A register's lifetime before loops are looked at.
struct Use {
  uint32_t writes = 0, first_write = 0, first_read = UINT32_MAX, last_read = 0;
};

struct BackEdge {
  uint32_t from, to;
};

std::vector<BackEdge> back_edges(const ptx::Function& function, const FunctionCode& code) {
  std::vector<BackEdge> edges;
  const auto add = [&](size_t index, std::string_view label) {
    const auto target = function.labels.find(label);
    if (target != function.labels.end() && target->second <= index)
      edges.push_back({code.first + static_cast<uint32_t>(index),
                       code.first + static_cast<uint32_t>(target->second)});
  };
  for (size_t index = 0; index < function.body.size(); ++index) {
    const ptx::Instruction& from = function.body[index];
    if (from.opcode == "bra" && !from.operands.empty()) add(index, from.operands[0].name);
    if (from.opcode != "brx" || from.operands.size() < 2) continue;
    const auto list = function.branch_targets.find(from.operands[1].name);
    if (list == function.branch_targets.end()) continue;
    for (const std::string_view label : list->second) add(index, label);
  }
  return edges;
}

/// One write comes before all reads on every path; what is in the register when a loop begins again
/// in front of that write is needed no more.
Lifetime lifetime_of(const Use& use, const std::vector<BackEdge>& edges) {
  const bool written_once = use.writes == 1 && use.first_write < use.first_read;
  if (use.first_read == UINT32_MAX) return {};
  Lifetime life{written_once ? use.first_write : 0, use.last_read};
  for (bool grows = true; grows;) {
    grows = false;
    for (const BackEdge& edge : edges) {
      const bool around = edge.to <= life.last && life.last < edge.from;
      if (!around || (written_once && edge.to <= use.first_write)) continue;
      life.last = edge.from;
      grows = true;
    }
  }
  return life;
}

std::unordered_map<uint32_t, Lifetime> lifetimes_of(const ptx::Function& function,
                                                    const FunctionCode& code,
                                                    const std::vector<Flow>& flows) {
  std::unordered_map<uint32_t, Use> uses;
  const auto read = [&](uint32_t reg, uint32_t pc) {
    Use& use = uses[reg];
    use.first_read = std::min(use.first_read, pc);
    use.last_read = pc;
  };
  for (size_t index = 0; index < function.body.size(); ++index) {
    const auto pc = code.first + static_cast<uint32_t>(index);
    const Flow& flow = flows[pc];
    const int guard = function.body[index].guard;
    if (guard >= 0) read(code.registers[static_cast<size_t>(guard)], pc);
    for (const uint32_t reg : flow.reads) read(reg, pc);
    for (const uint32_t reg : flow.decides) read(reg, pc);
    for (const uint32_t reg : flow.writes) {
      Use& use = uses[reg];
      if (use.writes++ == 0) use.first_write = pc;
      // A guarded write keeps what was there.
      if (guard >= 0) read(reg, pc);
    }
  }
  const std::vector<BackEdge> edges = back_edges(function, code);
  std::unordered_map<uint32_t, Lifetime> lifetimes;
  for (const auto& [reg, use] : uses) lifetimes.emplace(reg, lifetime_of(use, edges));
  return lifetimes;
}

}  // namespace

FlowTable make_flow(const ptx::Module& module, const Program& program) {
  FlowTable table;
  table.flows.resize(program.code.size());
  table.lifetimes.resize(program.functions.size());
  table.code = program.code;
  for (Instruction& instruction : table.code) {
    instruction.run = track;
    instruction.guard = kNoRegister;
  }
  size_t number = 0;
  for (const ptx::Function& function : module.functions) {
    if (!function.has_body) continue;
    const FunctionCode& code = program.functions[number];
    const FlowOfFunction flow(code, program);
    for (size_t index = 0; index < function.body.size(); ++index)
      table.flows[code.first + index] =
          flow.of(function.body[index], program.code[code.first + index]);
    table.flows[code.first + function.body.size()].ends = true;
    table.lifetimes[number++] = lifetimes_of(function, code, table.flows);
  }
  return table;
}

}  // namespace warpgrade::emulator
