// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/scopes.h"
#include "emulator/ptx/source_map.h"

// Inside of parse(): parser.cpp reads the module and its functions, variables.cpp what they
// declare, statements.cpp the bodies.

namespace warpgrade::emulator::ptx {

/// {"ld", "global", "f32"} of "ld.global.f32".
std::vector<std::string_view> split_modifiers(std::string_view text);
/// The state space that a word such as ".global" names.
std::optional<Space> space_named(std::string_view word);

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

/// Recursive descent over one module. Throws SyntaxError.
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
  Operand operand();
  Operand address();
  Operand name_or_register(std::string_view name);
  Operand vector_operand();

  /// Counts how deeply operands and initialisers nest, so that the stack is not used up.
  class Nested {
   public:
    explicit Nested(Parser& parser) : depth_(parser.depth_) {
      constexpr int kMaxDepth = 64;
      if (++depth_ > kMaxDepth) parser.lexer_.fail("too many nested braces");
    }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    int& depth_;
  };

  Module& module_;
  Lexer lexer_;
  Scopes scopes_;
  SourceMap source_;
  std::string_view last_label_;
  size_t registers_ = 0;  ///< of all functions so far
  int depth_ = 0;
  bool is_call_ = false;  ///< The instruction being read is a call.
};

}  // namespace warpgrade::emulator::ptx
