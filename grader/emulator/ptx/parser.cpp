// SPDX-License-Identifier: MIT
#include "emulator/ptx/parser.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <unordered_map>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/source_map.h"

namespace warpgrade::emulator::ptx {
namespace {

constexpr size_t kMaxVariableBytes = size_t{1} << 36;
constexpr uint32_t kMaxRegisters = 1u << 20;

std::vector<std::string_view> split_modifiers(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t dot = text.find('.');
    pieces.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return pieces;
    text.remove_prefix(dot + 1);
  }
}

std::optional<Space> space_named(std::string_view word) {
  if (word == ".global") return Space::global;
  if (word == ".const") return Space::constant;
  if (word == ".shared") return Space::shared;
  if (word == ".local") return Space::local;
  if (word == ".param") return Space::parameter;
  return std::nullopt;
}

/// Linking directives (PTX ISA, section 11.6) in front of a variable or function.
struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false;

  /// False where `word` is none of them.
  bool accept(std::string_view word) {
    is_extern |= word == ".extern";
    is_visible |= word == ".visible";
    is_weak |= word == ".weak" || word == ".common";
    return word == ".extern" || word == ".visible" || word == ".weak" || word == ".common";
  }
  template <class Named>
  void apply_to(Named& named) const {
    named.is_local = !is_extern && !is_visible && !is_weak;
    named.is_weak = is_weak;
  }
};

/// The names of registers and variables of one function; `{ }` in a body opens a nested scope.
class Scopes {
 public:
  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  size_t depth() const { return levels_.size(); }

  void declare(std::string_view name, int reg) { levels_.back().names[name] = reg; }
  void declare_variable(std::string_view name, int variable) {
    levels_.back().variables[name] = variable;
  }
  void declare_range(std::string_view prefix, int first, uint32_t count) {
    levels_.back().ranges.push_back({prefix, first, count});
  }

  /// The variable declared in this function as `name`, -1 where there is none.
  int find_variable(std::string_view name) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (const auto found = level->variables.find(name); found != level->variables.end())
        return found->second;
    }
    return -1;
  }

  /// The register called `name`, -1 where there is none.
  int find(std::string_view name) const {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (const auto found = level->names.find(name); found != level->names.end())
        return found->second;
      for (const Range& range : level->ranges) {
        if (const int reg = range.find(name); reg >= 0) return reg;
      }
    }
    return -1;
  }

 private:
  struct Range {
    std::string_view prefix;
    int first;
    uint32_t count;

    int find(std::string_view name) const {
      if (name.size() <= prefix.size() || name.size() > prefix.size() + 7 ||
          !name.starts_with(prefix))
        return -1;
      uint32_t index = 0;
      for (const char c : name.substr(prefix.size())) {
        if (c < '0' || c > '9') return -1;
        index = index * 10 + static_cast<uint32_t>(c - '0');
      }
      return index < count ? first + static_cast<int>(index) : -1;
    }
  };
  struct Level {
    std::unordered_map<std::string_view, int> names;
    std::unordered_map<std::string_view, int> variables;
    std::vector<Range> ranges;
  };
  std::vector<Level> levels_;
};

class Parser {
 public:
  explicit Parser(Module& module) : module_(module), lexer_(*module.text) {}

  void run() {
    collect_files();
    while (!lexer_.at_end()) directive();
  }

 private:
  void collect_files();
  void directive();
  void version();
  void target();
  void file();
  Variable variable(Space space);
  void variable_list(Space space, const Linkage& linkage, std::vector<Variable>& into);
  void initialiser(Variable& variable);
  void initial_values(Variable& variable, size_t& at);
  void initial_value(Variable& variable, size_t& at);
  void store(Variable& variable, size_t& at, const void* bytes, size_t size);
  void function(bool is_entry, const Linkage& linkage);
  void parameter_list(std::vector<Variable>& into);
  void performance_directives(Function& function);
  void body(Function& function);
  void statement(Function& function);
  void body_directive(Function& function, std::string_view word);
  void registers(Function& function, std::string_view type_word);
  void instruction(Function& function, std::string_view first_word);
  Operand operand(Function& function);
  Operand address(Function& function);
  Operand name_or_register(std::string_view name);
  Operand vector_operand(Function& function);

  Module& module_;
  Lexer lexer_;
  Scopes scopes_;
  SourceMap source_;
  std::string_view last_label_;
};

/// nvcc writes the `.file` directives last; where code comes from must be known while it is read.
void Parser::collect_files() {
  const std::string_view text = *module_.text;
  for (size_t at = text.find(".file"); at != std::string_view::npos;
       at = text.find(".file", at + 1)) {
    if (at > 0 && std::string_view("\n\t ;").find(text[at - 1]) == std::string_view::npos) continue;
    Lexer line(text.substr(at + 5));
    if (!line.number_ahead()) continue;
    const uint32_t index = line.count();
    if (line.peek() == '"') module_.files[index] = std::string(line.quoted());
  }
}

void Parser::directive() {
  Linkage linkage;
  std::string_view word = lexer_.word();
  while (linkage.accept(word)) word = lexer_.word();
  if (word == ".version") return version();
  if (word == ".target") return target();
  if (word == ".address_size") return void(lexer_.count());
  if (word == ".file") return file();
  if (word == ".entry" || word == ".func") return function(word == ".entry", linkage);
  if (word == ".section") {
    lexer_.word();
    return lexer_.skip_braces();
  }
  if (word == ".pragma" || word == ".alias") return lexer_.skip_past(';');
  if (const auto space = space_named(word))
    return variable_list(*space, linkage, module_.variables);
  lexer_.fail(fmt::format("unknown directive \"{}\"", word));
}

void Parser::version() {
  const std::string_view text = lexer_.word();
  const auto parts = split_modifiers(text);
  module_.version_major = static_cast<unsigned>(std::atoi(std::string(parts[0]).c_str()));
  module_.version_minor =
      parts.size() > 1 ? static_cast<unsigned>(std::atoi(std::string(parts[1]).c_str())) : 0;
}

void Parser::target() {
  do {
    const std::string_view name = lexer_.word();
    if (name.starts_with("sm_"))
      module_.target = static_cast<unsigned>(std::atoi(std::string(name.substr(3)).c_str()));
  } while (lexer_.accept(','));
}

void Parser::file() {
  const uint32_t index = lexer_.count();
  module_.files[index] = std::string(lexer_.quoted());
  while (lexer_.accept(',')) lexer_.number();
}

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
    if (variable.initial.capacity() < variable.size && variable.size < (1u << 28))
      variable.initial.reserve(variable.size);
    variable.initial.resize(at + size);
  }
  std::memcpy(variable.initial.data() + at, bytes, size);
  at += size;
}

void Parser::parameter_list(std::vector<Variable>& into) {
  if (!lexer_.accept('(')) return;
  while (!lexer_.accept(')')) {
    const std::string_view word = lexer_.word();
    if (word == ".reg") {
      lexer_.fail("register parameters are not supported");
    }
    if (word != ".param") lexer_.fail("expected .param");
    into.push_back(variable(Space::parameter));
    lexer_.accept(',');
  }
}

void Parser::performance_directives(Function& function) {
  while (lexer_.peek() == '.') {
    const std::string_view word = lexer_.word();
    if (word == ".maxntid" || word == ".reqntid") {
      uint32_t threads = lexer_.count();
      while (lexer_.accept(',')) threads *= lexer_.count();
      function.max_threads = threads;
    } else if (word == ".noreturn" || word == ".blocksareclusters" || word == ".explicitcluster") {
      continue;
    } else if (word == ".pragma") {
      lexer_.skip_past(';');
    } else if (word == ".attribute") {
      lexer_.skip_past(')');
    } else {
      do {
        lexer_.number();
      } while (lexer_.accept(','));
    }
  }
}

void Parser::function(bool is_entry, const Linkage& linkage) {
  Function function;
  function.is_entry = is_entry;
  linkage.apply_to(function);
  if (lexer_.peek() == '.') {
    // `.func .attribute(...)`
    lexer_.word();
    lexer_.skip_past(')');
  }
  if (!is_entry) parameter_list(function.returns);
  function.name = lexer_.identifier();
  if (function.name.empty()) lexer_.fail("expected a function's name");
  parameter_list(function.parameters);
  performance_directives(function);
  if (lexer_.peek() == '{') {
    function.has_body = true;
    body(function);
  } else {
    lexer_.accept(';');
  }
  module_.functions.push_back(std::move(function));
}

void Parser::body(Function& function) {
  source_ = SourceMap(module_.files);
  lexer_.expect('{');
  scopes_ = Scopes();
  scopes_.open();
  while (scopes_.depth() > 0) {
    if (lexer_.accept('{')) {
      scopes_.open();
    } else if (lexer_.accept('}')) {
      scopes_.close();
    } else {
      statement(function);
    }
  }
  function.location = source_.first();
}

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
      if (function.registers.size() + count > kMaxRegisters) lexer_.fail("too many registers");
      scopes_.declare_range(name, first, count);
    } else {
      scopes_.declare(name, first);
    }
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
  while (!lexer_.accept(';')) {
    instruction.operands.push_back(operand(function));
    lexer_.accept(',');
  }
  function.body.push_back(std::move(instruction));
}

Operand Parser::operand(Function& function) {
  if (lexer_.accept('[')) return address(function);
  if (lexer_.peek() == '{' || lexer_.peek() == '(') return vector_operand(function);
  const bool negated = lexer_.accept('!');
  if (lexer_.number_ahead()) {
    const Number value = lexer_.number();
    Operand immediate;
    immediate.kind = value.kind == Number::Kind::integer   ? Operand::Kind::integer
                     : value.kind == Number::Kind::float32 ? Operand::Kind::float32
                                                           : Operand::Kind::float64;
    immediate.bits = value.bits;
    return immediate;
  }
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
    operand.offset = static_cast<int64_t>(lexer_.number().bits);
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

Operand Parser::address(Function& function) {
  Operand operand;
  if (lexer_.number_ahead()) {
    operand.kind = Operand::Kind::integer;
    operand.bits = lexer_.number().bits;
  } else {
    operand = name_or_register(lexer_.word());
    if (operand.kind == Operand::Kind::special) lexer_.fail("a special register as an address");
    if (lexer_.accept(',')) {
      // `[texture, {coordinates}]`: the coordinates travel as elements.
      operand.elements.push_back(this->operand(function));
      if (lexer_.accept(',')) operand.elements.push_back(this->operand(function));
    } else if (lexer_.accept('+') || lexer_.number_ahead()) {
      operand.offset = static_cast<int64_t>(lexer_.number().bits);
    }
  }
  operand.is_address = true;
  lexer_.expect(']');
  return operand;
}

Operand Parser::vector_operand(Function& function) {
  const char close = lexer_.accept('{') ? '}' : ')';
  if (close == ')') lexer_.expect('(');
  Operand vector;
  vector.kind = Operand::Kind::vector;
  while (!lexer_.accept(close)) {
    vector.elements.push_back(operand(function));
    lexer_.accept(',');
  }
  return vector;
}

}  // namespace

Result<Module> parse(std::string text) {
  Module module;
  module.text = std::make_shared<const std::string>(std::move(text));
  try {
    Parser(module).run();
  } catch (const SyntaxError& error) {
    return Error{error.message};
  }
  return module;
}

}  // namespace warpgrade::emulator::ptx
