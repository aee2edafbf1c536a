// SPDX-License-Identifier: MIT
// PTX ISA 4.3, statements: directives and instructions in the body of a function.

#include <fmt/format.h>

#include "emulator/ptx/expression.h"
#include "emulator/ptx/parsing.h"

namespace warpgrade::emulator::ptx {
namespace {

Operand immediate_operand(const Number& value) {
  Operand immediate;
  immediate.kind = value.kind == Number::Kind::integer   ? Operand::Kind::integer
                   : value.kind == Number::Kind::float32 ? Operand::Kind::float32
                                                         : Operand::Kind::float64;
  immediate.bits = value.bits;
  return immediate;
}

/// Registers of a module beyond one for each character of it.
constexpr size_t kFreeRegisters = 1 << 16;

}  // namespace

void Parser::statement(Function& function) {
  if (lexer_.at_end()) lexer_.fail("a function without its closing '}'");
  if (lexer_.accept(';')) return;
  if (lexer_.peek() == '@') return instruction(function, {});
  const std::string_view word = lexer_.word();
  if (word.empty()) lexer_.fail("expected an instruction");
  if (word.starts_with('.')) return body_directive(function, word);
  if (lexer_.accept(':')) {
    function.labels[word] = function.body.size();
    last_label_ = word;
    // `label: .callprototype ...` and its like describe, they do nothing.
    return;
  }
  instruction(function, word);
}

void Parser::body_directive(Function& function, std::string_view word) {
  if (word == ".loc") {
    Position at{lexer_.count(), lexer_.count(), lexer_.count()};
    std::optional<Position> inlined_at;
    while (lexer_.accept(',')) {
      const std::string_view attribute = lexer_.word();
      if (attribute == "inlined_at") {
        inlined_at = Position{lexer_.count(), lexer_.count(), lexer_.count()};
      } else {
        lexer_.identifier();
        if (lexer_.accept('+')) lexer_.number();
      }
    }
    return source_.move_to(at, inlined_at);
  }
  if (word == ".reg") return registers(function, lexer_.word());
  // Inline assembly may leave out the space.
  if (word.starts_with(".reg.")) return registers(function, word.substr(4));
  if (word == ".branchtargets") {
    std::vector<std::string_view>& targets = function.branch_targets[last_label_];
    do {
      targets.push_back(lexer_.identifier());
    } while (lexer_.accept(','));
    return lexer_.expect(';');
  }
  const auto space = space_named(word);
  if (!space) return lexer_.skip_past(';');
  const size_t first = function.variables.size();
  variable_list(*space, {}, function.variables);
  for (size_t index = first; index < function.variables.size(); ++index) {
    scopes_.declare_variable(function.variables[index].name, static_cast<int>(index));
  }
}

void Parser::registers(Function& function, std::string_view type_word) {
  if (type_word == ".v2" || type_word == ".v4") lexer_.fail("vector registers are not supported");
  const Type type = type_word.starts_with('.') ? type_named(type_word.substr(1)) : Type::none;
  if (type == Type::none) lexer_.fail("a register without a type");
  do {
    const std::string_view name = lexer_.identifier();
    const int first = static_cast<int>(function.registers.size());
    uint32_t count = 1;
    if (lexer_.accept('<')) {
      count = lexer_.count();
      lexer_.expect('>');
      scopes_.declare_range(name, first, count);
    } else {
      scopes_.declare(name, first);
    }
    registers_ += count;
    if (registers_ > kFreeRegisters + module_.text->size()) lexer_.fail("too many registers");
    function.registers.insert(function.registers.end(), count, Register{name, type});
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void Parser::instruction(Function& function, std::string_view first_word) {
  Instruction instruction;
  instruction.location = source_.current();
  if (first_word.empty()) {
    lexer_.expect('@');
    instruction.guard_negated = lexer_.accept('!');
    const std::string_view name = lexer_.identifier();
    instruction.guard = scopes_.find(name);
    if (instruction.guard < 0) lexer_.fail(fmt::format("unknown predicate \"{}\"", name));
    first_word = lexer_.word();
  }
  instruction.text = first_word;
  instruction.modifiers = split_modifiers(first_word);
  instruction.opcode = instruction.modifiers.front();
  instruction.modifiers.erase(instruction.modifiers.begin());
  if (instruction.opcode.empty()) lexer_.fail("expected an opcode");
  is_call_ = instruction.opcode == "call";
  while (!lexer_.accept(';')) {
    instruction.operands.push_back(operand());
    lexer_.accept(',');
  }
  function.body.push_back(std::move(instruction));
}

Operand Parser::operand() {
  const Nested nested(*this);
  if (lexer_.accept('[')) return address();
  // A call has its results and arguments in parentheses, others have expressions in them.
  if (lexer_.peek() == '{' || (lexer_.peek() == '(' && is_call_)) return vector_operand();
  if (lexer_.peek() == '(' || expression_ahead(lexer_))
    return immediate_operand(constant_expression(lexer_));
  const bool negated = lexer_.accept('!');
  if (negated && (lexer_.peek() == '(' || expression_ahead(lexer_))) {
    return immediate_operand({Number::Kind::integer, constant_expression(lexer_).bits == 0});
  }
  if (lexer_.comes("WARP_SZ")) return immediate_operand(constant_expression(lexer_));
  const std::string_view name = lexer_.word();
  if (name.empty()) lexer_.fail("expected an operand");
  Operand operand = name_or_register(name);
  operand.negated = negated;
  if (lexer_.accept('|')) {
    Operand pair;
    pair.kind = Operand::Kind::vector;
    pair.elements = {operand, name_or_register(lexer_.identifier())};
    return pair;
  }
  if (operand.kind == Operand::Kind::symbol && (lexer_.accept('+') || lexer_.number_ahead())) {
    operand.offset = static_cast<int64_t>(constant_expression(lexer_).bits);
  }
  return operand;
}

Operand Parser::name_or_register(std::string_view name) {
  Operand operand;
  operand.name = name;
  if (name == "_") return operand;
  operand.reg = scopes_.find(name);
  operand.kind = operand.reg >= 0        ? Operand::Kind::reg
                 : name.starts_with('%') ? Operand::Kind::special
                                         : Operand::Kind::symbol;
  if (operand.kind == Operand::Kind::symbol) operand.variable = scopes_.find_variable(name);
  return operand;
}

Operand Parser::address() {
  Operand operand;
  if (lexer_.number_ahead()) {
    operand.kind = Operand::Kind::integer;
    operand.bits = lexer_.number().bits;
  } else {
    operand = name_or_register(lexer_.word());
    if (operand.kind == Operand::Kind::special) lexer_.fail("a special register as an address");
    if (lexer_.accept(',')) {
      // `[texture, {coordinates}]`: the coordinates travel as elements.
      operand.elements.push_back(this->operand());
      if (lexer_.accept(',')) operand.elements.push_back(this->operand());
    } else if (lexer_.accept('+') || lexer_.number_ahead()) {
      operand.offset = static_cast<int64_t>(constant_expression(lexer_).bits);
    }
  }
  operand.is_address = true;
  lexer_.expect(']');
  return operand;
}

Operand Parser::vector_operand() {
  const char close = lexer_.accept('{') ? '}' : ')';
  if (close == ')') lexer_.expect('(');
  Operand vector;
  vector.kind = Operand::Kind::vector;
  while (!lexer_.accept(close)) {
    vector.elements.push_back(operand());
    lexer_.accept(',');
  }
  return vector;
}

}  // namespace warpgrade::emulator::ptx
