// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/analysis/address_places.h"
#include "emulator/analysis/swapped_addresses.h"
#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// Thrown while decoding one instruction that the emulated device does not know; it becomes an
/// instruction that reports `message` when it is executed.
struct Unsupported {
  std::string message;
};

/// Thrown where a function asks for more than the emulated device has room for.
struct TooLarge {
  std::string message;
};

/// Names that stand for an address or a value once a module is placed in memory.
struct Names {
  std::map<std::string, Symbol, std::less<>> variables;  ///< .global and .const
  std::map<std::string, SharedVariable, std::less<>>
      shared;                                              ///< .shared: "name", or "function::name"
  std::map<std::string, uint32_t, std::less<>> functions;  ///< index into Program::functions
};

/// Turns operands of one function into register offsets. Op rows use it to fill an Instruction.
class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& function, const Names& names,
          const SwappedAddresses& swapped, Program& program, FunctionCode& code);

  /// Register that holds the operand's value as `type`; immediates, symbols and special registers
  /// get one.
  uint32_t source(const ptx::Operand& operand, ptx::Type type);
  /// Register to write; for the sink `_`, one that nothing reads.
  uint32_t destination(const ptx::Operand& operand);
  /// Fills a (base register) and immediate (offset) for `[base+offset]`.
  void address(const ptx::Operand& operand, Instruction& into);
  uint32_t constant(uint64_t bits, unsigned size);
  uint32_t special(SpecialRegister which);
  /// Width in bytes of a register operand as it was declared.
  unsigned register_bytes(const ptx::Operand& operand) const;
  Detail& new_detail(Instruction& into);
  /// The detail that holds the targets of a `.branchtargets` list, kNoDetail before one is set.
  uint32_t branch_list(std::string_view name) const;
  void set_branch_list(std::string_view name, uint32_t detail) { branch_lists_[name] = detail; }
  /// Index in Program::code of a label.
  int64_t label(const ptx::Operand& operand) const;

  /// Where a `.param` variable of this function or of a call in it lies, null where `name` is none.
  const ParameterSlot* parameter_slot(const ptx::Operand& operand) const;
  /// Byte offset of a kernel parameter, or -1.
  int64_t kernel_parameter(std::string_view name) const;
  /// Offset in the thread's frame of a `.local` variable, or -1.
  int64_t local_offset(const ptx::Operand& operand) const;
  /// Offset in the block's shared memory, or -1. `x` may be declared in the function or
  /// module-wide.
  int64_t shared_offset(const ptx::Operand& operand) const;

  const ptx::Module& module() const { return module_; }
  const ptx::Function& function() const { return function_; }
  const Names& names() const { return names_; }
  Program& program() { return program_; }
  FunctionCode& code() { return code_; }
  /// True where the function reads the register `operand` anywhere.
  bool is_read(const ptx::Operand& operand) const;
  /// True where the function, or what it calls, has an atom.cas at the same address, of which a plain look gives a
  /// first guess.
  bool is_guess(const ptx::Operand& address) const;
  /// A bit for each element of a load's destination that the function never reads; all bits where
  /// it does no more than store them.
  uint8_t moved_elements(const ptx::Operand& operand) const;

  /// To be called after the last instruction: the constants' final place is known.
  void finish();

 private:
  void lay_out_registers();
  void lay_out_variables();
  void mark_reads(const ptx::Operand& operand, bool stored);
  uint32_t new_register(uint64_t lane_bytes);
  ParameterSlot new_slot(const ptx::Variable& variable);

  const ptx::Module& module_;
  const ptx::Function& function_;
  const Names& names_;
  Program& program_;
  FunctionCode& code_;
  std::vector<uint32_t> registers_;
  std::vector<bool> read_;
  AddressPlaces places_;
  std::set<AddressPlaces::Place> swapped_;
  std::vector<bool> used_;  ///< read by anything but a store of its value
  uint32_t sink_ = kNoRegister;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants_;
  std::map<SpecialRegister, uint32_t> specials_;
  std::map<int, ParameterSlot> call_slots_;  ///< by index into Function::variables
  std::map<std::string_view, ParameterSlot> own_slots_;
  std::map<std::string_view, int64_t> kernel_parameters_;
  std::map<int, int64_t> local_offsets_;
  std::map<std::string_view, uint32_t> branch_lists_;
};

/// One opcode of the PTX ISA: `decode` fills the instruction or throws Unsupported.
struct OpRow {
  std::string_view opcode;
  void (*decode)(Decoder&, const ptx::Instruction&, Instruction&);
};

/// All functions of a parsed module. The Error names the one that is too large.
Result<Program> decode(const ptx::Module& module, const Names& names);

}  // namespace warpgrade::emulator
