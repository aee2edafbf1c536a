// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::emulator::ptx {

/// Fundamental types (PTX ISA, section 5.2).
enum class Type : uint8_t {
  none,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  u16x2,
  s16x2,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  pred,
};

/// Size in bytes; pred counts as 4 because a predicate register is kept as one 32-lane mask.
unsigned size_of(Type type);
/// The type a modifier such as "f32" names, none where it names no type.
Type type_named(std::string_view name);

/// State spaces (PTX ISA, section 5.1).
enum class Space : uint8_t { generic, global, constant, local, parameter, shared };

/// Where an instruction came from: `.file` index and line of the student's source, 0 where unknown.
struct Location {
  uint32_t file = 0;
  uint32_t line = 0;
};

struct Operand {
  enum class Kind : uint8_t { reg, integer, float32, float64, symbol, special, vector, sink };
  Kind kind = Kind::sink;
  bool negated = false;  ///< `!%p`; of an fma that contract() made, the value with the other sign
  bool is_address = false;  ///< written in brackets
  int reg = -1;             ///< index into Function::registers; for an address, its base
  uint64_t bits = 0;        ///< immediate value, or bit pattern of a float
  int64_t offset = 0;       ///< of an address or of `symbol+8`
  std::string_view name;    ///< symbol, label or special register
  int variable = -1;        ///< index into Function::variables where the symbol is one of them
  std::vector<Operand> elements;  ///< of a vector `{a, b}`, or the destination pair `a|p`
};

struct Instruction {
  std::string_view opcode;                  ///< "ld"
  std::string_view text;                    ///< "ld.global.v4.f32"
  std::vector<std::string_view> modifiers;  ///< {"global", "v4", "f32"}
  int guard = -1;                           ///< predicate register, -1 without one
  bool guard_negated = false;
  std::vector<Operand> operands;
  Location location;

  bool has(std::string_view modifier) const;
};

/// An address stored in an initialiser: `bytes[offset..offset+7] = address of symbol + addend`.
struct Relocation {
  size_t offset;
  std::string_view symbol;
  int64_t addend;
  bool generic;
};

struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  uint32_t alignment = 1;
  size_t size = 0;  ///< bytes; 0 for `extern .shared x[]`
  bool is_extern = false;
  bool is_local = false;         ///< Known in its module only: no .visible, .weak or the like.
  bool is_weak = false;          ///< Any one of several definitions will do.
  std::vector<uint8_t> initial;  ///< empty, or the first bytes of the variable
  std::vector<Relocation> relocations;
};

struct Register {
  std::string_view name;
  Type type;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  bool is_local = false;  ///< as of a Variable
  bool is_weak = false;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< declared in the body: .shared, .local, .param
  std::vector<Instruction> body;
  std::map<std::string_view, size_t> labels;  ///< to an index in `body`
  std::map<std::string_view, std::vector<std::string_view>> branch_targets;  ///< by their label
  uint32_t max_threads = 0;                     ///< from .maxntid or .reqntid, 0 without
  std::array<uint32_t, 3> cluster = {1, 1, 1};  ///< from .reqnctapercluster
  Location location;
};

/// One translation unit of PTX. The views point into `text`.
struct Module {
  std::shared_ptr<const std::string> text;
  unsigned version_major = 0, version_minor = 0;
  unsigned target = 0;                    ///< 75 for sm_75
  bool is_debug = false;                  ///< nvcc -G: ptxas optimises nothing
  std::map<uint32_t, std::string> files;  ///< `.file` index to path
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function* find_function(std::string_view name) const;
};

}  // namespace warpgrade::emulator::ptx
