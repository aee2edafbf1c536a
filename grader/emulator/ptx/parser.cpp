// SPDX-License-Identifier: MIT
#include "emulator/ptx/parser.h"

#include <fmt/format.h>

#include <cstdlib>

#include "emulator/ptx/parsing.h"

namespace warpgrade::emulator::ptx {
namespace {

constexpr size_t kMaxScopes = 64;

}  // namespace

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

/// nvcc writes the `.file` directives last; where code comes from must be known while it is read.
void Parser::collect_files() {
  const std::string_view text = *module_.text;
  for (size_t at = text.find(".file"); at != std::string_view::npos;
       at = text.find(".file", at + 1)) {
    if (at > 0 && std::string_view("\n\t ;").find(text[at - 1]) == std::string_view::npos) continue;
    // No comments are looked for, one of which may be as long as the text.
    const size_t number = text.find_first_not_of(" \t", at + 5);
    if (number == std::string_view::npos || text[number] < '0' || text[number] > '9') continue;
    Lexer line(text.substr(number));
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
    module_.is_debug |= name == "debug";
  } while (lexer_.accept(','));
}

void Parser::file() {
  const uint32_t index = lexer_.count();
  module_.files[index] = std::string(lexer_.quoted());
  while (lexer_.accept(',')) lexer_.number();
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
    } else if (word == ".reqnctapercluster") {
      function.cluster = {lexer_.count(), 1, 1};
      for (size_t axis = 1; axis < 3 && lexer_.accept(','); ++axis)
        function.cluster[axis] = lexer_.count();
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
      if (scopes_.depth() >= kMaxScopes) lexer_.fail("too many nested blocks");
      scopes_.open();
    } else if (lexer_.accept('}')) {
      scopes_.close();
    } else {
      statement(function);
    }
  }
  function.location = source_.first();
}

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
