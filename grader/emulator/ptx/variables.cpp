// SPDX-License-Identifier: MIT
// PTX ISA 5.4, variables and their initialisers.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/ptx/parsing.h"

namespace warpgrade::emulator::ptx {
namespace {

constexpr size_t kMaxVariableBytes = size_t{1} << 36;

}  // namespace

Variable Parser::variable(Space space) {
  Variable variable;
  variable.space = space;
  size_t lanes = 1;
  for (std::string_view word = lexer_.word();; word = lexer_.word()) {
    if (word == ".align") {
      variable.alignment = lexer_.count();
    } else if (word == ".v2" || word == ".v4") {
      lanes = word == ".v2" ? 2 : 4;
    } else if (word.starts_with('.') && type_named(word.substr(1)) != Type::none) {
      variable.type = type_named(word.substr(1));
    } else if (word == ".ptr") {
      lexer_.word();
    } else if (word == ".attribute") {
      lexer_.skip_past(')');
    } else if (word.starts_with('.')) {
      // `.global`, `.texref` and their like: attributes that do not change the layout.
      if (word == ".texref" || word == ".surfref" || word == ".samplerref")
        variable.type = Type::u64;
    } else {
      variable.name = word;
      break;
    }
  }
  if (variable.name.empty()) lexer_.fail("expected a variable's name");
  if (variable.alignment == 0 || (variable.alignment & (variable.alignment - 1)) != 0)
    lexer_.fail("a bad alignment");
  const size_t element = size_of(variable.type) * lanes;
  variable.alignment = std::max<uint32_t>(variable.alignment, static_cast<uint32_t>(element));
  variable.size = element;
  while (lexer_.accept('[')) {
    const size_t count = lexer_.peek() == ']' ? 0 : lexer_.count();
    lexer_.expect(']');
    if (count != 0 && variable.size > kMaxVariableBytes / count)
      lexer_.fail("a variable that is too large");
    variable.size *= count;
  }
  return variable;
}

void Parser::variable_list(Space space, const Linkage& linkage, std::vector<Variable>& into) {
  do {
    into.push_back(variable(space));
    into.back().is_extern = linkage.is_extern;
    linkage.apply_to(into.back());
    if (lexer_.accept('=')) initialiser(into.back());
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void Parser::initialiser(Variable& variable) {
  size_t at = 0;
  if (lexer_.peek() == '{') {
    initial_values(variable, at);
  } else {
    initial_value(variable, at);
  }
  // `x[] = {...}` takes its size from the values.
  variable.size = std::max(variable.size, variable.initial.size());
}

void Parser::initial_values(Variable& variable, size_t& at) {
  const Nested nested(*this);
  lexer_.expect('{');
  while (!lexer_.accept('}')) {
    if (lexer_.peek() == '{') {
      initial_values(variable, at);
    } else {
      initial_value(variable, at);
    }
    lexer_.accept(',');
  }
}

void Parser::initial_value(Variable& variable, size_t& at) {
  const unsigned element = size_of(variable.type);
  if (lexer_.number_ahead()) {
    const Number value = lexer_.number();
    // `0xFF(symbol)` takes one byte of an address, which nvcc does not emit for our targets.
    if (lexer_.peek() == '(') lexer_.fail("a masked address in an initialiser is not supported");
    if (value.kind == Number::Kind::float64 && variable.type == Type::f32) {
      const float narrowed = static_cast<float>(std::bit_cast<double>(value.bits));
      return store(variable, at, &narrowed, sizeof narrowed);
    }
    return store(variable, at, &value.bits, std::min<size_t>(element, sizeof value.bits));
  }
  std::string_view name = lexer_.identifier();
  const bool generic = name == "generic";
  if (generic) {
    lexer_.expect('(');
    name = lexer_.identifier();
    lexer_.expect(')');
  }
  if (name.empty()) lexer_.fail("expected a value");
  int64_t addend = 0;
  if (lexer_.accept('+') || lexer_.number_ahead())
    addend = static_cast<int64_t>(lexer_.number().bits);
  variable.relocations.push_back({at, name, addend, generic});
  const uint64_t zero = 0;
  store(variable, at, &zero, sizeof zero);
}

void Parser::store(Variable& variable, size_t& at, const void* bytes, size_t size) {
  if (at + size > (variable.size != 0 ? variable.size : kMaxVariableBytes))
    lexer_.fail("more values than the variable holds");
  if (variable.initial.size() < at + size) {
    // A value takes at least two characters, whatever size the variable claims.
    const size_t most = module_.text->size() / 2 * sizeof(uint64_t);
    if (variable.initial.empty()) variable.initial.reserve(std::min(variable.size, most));
    variable.initial.resize(at + size);
  }
  std::memcpy(variable.initial.data() + at, bytes, size);
  at += size;
}

}  // namespace warpgrade::emulator::ptx
