// SPDX-License-Identifier: MIT
// Loading: variables get their place in device memory, shared arrays theirs in a block, functions
// their code.

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "emulator/exec/decoder.h"
#include "emulator/exec/flow.h"
#include "emulator/model/cost_profile.h"
#include "emulator/ptx/link.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptxas/contraction.h"
#include "emulator/ptxas/kept_atomics.h"
#include "emulator/ptxas/negation.h"
#include "emulator/ptxas/other_steps.h"
#include "emulator/ptxas/predication.h"

namespace warpgrade::emulator {

const CostProfile& LoadedModule::cost_profile() const {
  std::call_once(profiled_, [&] {
    cost_profile_ = std::make_shared<const CostProfile>(make_cost_profile(program));
  });
  return *cost_profile_;
}

const FlowTable& LoadedModule::flow() const {
  std::call_once(flow_made_,
                 [&] { flow_ = std::make_shared<const FlowTable>(make_flow(ptx, program)); });
  return *flow_;
}

namespace {

/// Room for the .shared arrays of a module, red zones included.
constexpr uint64_t kMaxSharedBytes = uint64_t{64} << 20;

/// One name, one definition.
template <class Named, class Defines>
Status check_unique(const std::vector<Named>& all, Defines defines) {
  std::set<std::string_view> seen;
  for (const Named& named : all) {
    if (defines(named) && !seen.insert(named.name).second)
      return Error{fmt::format("{} is defined twice", named.name)};
  }
  return {};
}

Status check_module(const ptx::Module& module) {
  uint64_t shared = 0;
  const auto add_shared = [&](const std::vector<ptx::Variable>& variables) {
    for (const ptx::Variable& variable : variables) {
      if (variable.space == ptx::Space::shared) shared += variable.size + 2 * kSharedRedZoneBytes;
    }
  };
  add_shared(module.variables);
  for (const ptx::Function& function : module.functions) add_shared(function.variables);
  if (shared > kMaxSharedBytes)
    return Error{fmt::format("its .shared arrays take more than {} MiB", kMaxSharedBytes >> 20)};
  if (const Status unique = check_unique(
          module.functions, [](const ptx::Function& function) { return function.has_body; });
      !unique)
    return unique;
  return check_unique(module.variables,
                      [](const ptx::Variable& variable) { return !variable.is_extern; });
}

/// Gives a __managed__ variable its initial value, unless another device's module did.
Status place_managed(const ptx::Variable& variable, ManagedVariable& managed, DeviceMemory& memory,
                     Names& names) {
  uint8_t* const host = memory.host_address(managed.address, variable.size);
  if (host == nullptr)
    return Error{fmt::format("the variable {} is larger than the program says", variable.name)};
  names.variables[std::string(variable.name)] = {managed.address, variable.size};
  if (std::exchange(managed.initialised, true)) return {};
  std::memset(host, 0, variable.size);
  std::copy(variable.initial.begin(), variable.initial.end(), host);
  return {};
}

Status place_variables(const ptx::Module& module, int device, DeviceMemory& memory,
                       ManagedVariables& managed, Names& names) {
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::shared || variable.size == 0) continue;
    if (variable.is_extern)
      return Error{fmt::format("the variable {} is defined in no module", variable.name)};
    if (const auto shared = managed.find(variable.name); shared != managed.end()) {
      if (const Status ready = place_managed(variable, shared->second, memory, names); !ready)
        return ready;
      continue;
    }
    auto placed =
        memory.allocate(device, variable.size, fmt::format("the variable {}", variable.name),
                        AllocationKind::symbol);
    if (!placed) return placed.error();
    // The rest is zeros, as are variables without an initialiser (PTX ISA, section 5.4.4).
    std::copy(variable.initial.begin(), variable.initial.end(), placed->host);
    names.variables[std::string(variable.name)] = {placed->begin, variable.size};
  }
  return {};
}

Status relocate(const ptx::Module& module, DeviceMemory& memory, const Names& names) {
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) {
      uint64_t value = 0;
      if (const auto found = names.variables.find(relocation.symbol);
          found != names.variables.end()) {
        value = found->second.address;
      } else if (const auto function = names.functions.find(relocation.symbol);
                 function != names.functions.end()) {
        value = kFunctionBase + function->second;
      } else {
        return Error{fmt::format("the initialiser of {} names {}, which is not defined",
                                 variable.name, relocation.symbol)};
      }
      value += static_cast<uint64_t>(relocation.addend);
      const auto symbol = names.variables.find(variable.name);
      uint8_t* const place =
          symbol == names.variables.end()
              ? nullptr
              : memory.host_address(symbol->second.address + relocation.offset, sizeof value);
      if (place == nullptr)
        return Error{fmt::format("{} cannot be initialised with an address", variable.name)};
      std::memcpy(place, &value, sizeof value);
    }
  }
  return {};
}

void name_functions(const ptx::Module& module, Names& names) {
  for (const ptx::Function& function : module.functions) {
    if (!function.has_body) continue;
    const auto index = static_cast<uint32_t>(names.functions.size());
    names.functions.try_emplace(std::string(function.name), index);
  }
}

/// "tile" for a variable of a function, whose mangled name also holds the function's. nvcc makes variables of an array's
/// elements where their indices are constants, and calls that of index 1 "..._$_1".
std::string readable(std::string_view mangled) {
  constexpr std::string_view kElement = "_$_";
  const size_t element = mangled.rfind(kElement);
  if (element != std::string_view::npos)
    return fmt::format("{}[{}]", readable(mangled.substr(0, element)),
                       mangled.substr(element + kElement.size()));
  // Other names would be read as types: an array "s" as short.
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &failed), &std::free);
  if (failed != 0) return std::string(mangled);
  const std::string_view whole = text.get();
  const size_t scope = whole.rfind("::");
  return std::string(scope == std::string_view::npos ? whole : whole.substr(scope + 2));
}

/// Gives each shared array of the module its own place; the dynamic array begins behind all of
/// them.
class SharedLayout {
 public:
  SharedLayout(const ptx::Module& module, Names& names) : names_(names) {
    for (const ptx::Variable& variable : module.variables) {
      if (variable.space == ptx::Space::shared && variable.size != 0 && !variable.is_extern)
        place(variable, std::string(variable.name));
    }
    // Only one kernel runs in a block: arrays of different kernels may share their place.
    for (const bool entries : {false, true}) {
      const uint32_t start = next_;
      uint32_t end = next_;
      for (const ptx::Function& function : module.functions) {
        if (function.is_entry != entries) continue;
        if (entries) next_ = start;
        place_all(function);
        end = std::max(end, next_);
      }
      next_ = end;
    }
    dynamic_ = {"of dynamic shared memory", next_, 0};
    for (const ptx::Variable& variable : module.variables) {
      if (variable.space != ptx::Space::shared || (variable.size != 0 && !variable.is_extern))
        continue;
      dynamic_.name = readable(variable.name);
      names_.shared[std::string(variable.name)] = dynamic_;
    }
  }

  const SharedVariable& dynamic() const { return dynamic_; }

 private:
  void place(const ptx::Variable& variable, std::string key) {
    const uint32_t bytes = static_cast<uint32_t>(variable.size);
    names_.shared[std::move(key)] = {readable(variable.name), next_, bytes};
    next_ =
        static_cast<uint32_t>(round_up(next_ + bytes, kSharedRedZoneBytes)) + kSharedRedZoneBytes;
  }

  void place_all(const ptx::Function& function) {
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::shared)
        place(variable, fmt::format("{}::{}", function.name, variable.name));
    }
  }

  Names& names_;
  uint32_t next_ = 0;
  SharedVariable dynamic_;
};

/// The shared arrays that a kernel, or a function that it may call, names.
class SharedUse {
 public:
  SharedUse(const ptx::Module& module, const Names& names) : names_(names) {
    for (const ptx::Function& function : module.functions) {
      if (function.has_body) uses_[function.name] = uses_of(function);
      if (function.is_entry) entries_.insert(function.name);
    }
  }

  /// False where so many functions may call so many others that it would take too long.
  bool find(const ptx::Function& kernel, std::map<uint32_t, SharedVariable>& used) {
    std::set<std::string_view> seen{kernel.name};
    std::vector<std::string_view> open{kernel.name};
    while (!open.empty()) {
      const Uses& uses = uses_.find(open.back())->second;
      open.pop_back();
      visits_ += 1 + uses.arrays.size() + uses.functions.size();
      if (visits_ > kMaxVisits) return false;
      for (const SharedVariable* const array : uses.arrays) used[array->offset] = *array;
      for (const std::string_view callee : uses.functions) {
        // A kernel that another launches has shared memory of its own.
        const bool is_called = uses_.count(callee) != 0 && entries_.count(callee) == 0;
        if (is_called && seen.insert(callee).second) open.push_back(callee);
      }
    }
    return true;
  }

 private:
  static constexpr size_t kMaxVisits = 2'000'000;
  struct Uses {
    std::set<const SharedVariable*> arrays;
    std::set<std::string_view> functions;
  };

  Uses uses_of(const ptx::Function& function) const {
    Uses uses;
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::shared)
        add_array(fmt::format("{}::{}", function.name, variable.name), uses);
    }
    for (const ptx::Instruction& instruction : function.body) {
      for (const ptx::Operand& operand : instruction.operands) add(operand, uses);
    }
    return uses;
  }
  void add(const ptx::Operand& operand, Uses& uses) const {
    for (const ptx::Operand& element : operand.elements) add(element, uses);
    if (operand.kind != ptx::Operand::Kind::symbol) return;
    if (operand.variable < 0) add_array(operand.name, uses);
    if (names_.functions.count(operand.name) != 0) uses.functions.insert(operand.name);
  }
  void add_array(std::string_view key, Uses& uses) const {
    const auto found = names_.shared.find(key);
    if (found != names_.shared.end()) uses.arrays.insert(&found->second);
  }

  const Names& names_;
  std::map<std::string_view, Uses> uses_;
  std::set<std::string_view> entries_;
  size_t visits_ = 0;
};

Status describe_kernels(const ptx::Module& module, const Names& names, Program& program) {
  SharedUse use(module, names);
  for (const ptx::Function& function : module.functions) {
    if (!function.has_body || !function.is_entry) continue;
    FunctionCode& code = program.functions[names.functions.find(function.name)->second];
    std::map<uint32_t, SharedVariable> used;
    if (!use.find(function, used)) return Error{"its kernels may call too many functions"};
    code.dynamic_shared = program.dynamic_shared;
    for (const auto& [offset, variable] : used) {
      if (variable.bytes == 0) {
        code.dynamic_shared = variable;
        continue;
      }
      code.shared.push_back(variable);
      code.info.static_shared_bytes = round_up(code.info.static_shared_bytes, 4) + variable.bytes;
    }
  }
  return {};
}

/// The atomics of a function whose results nothing uses, by index in Program::code.
void note_kept_atomics(const ptx::Function& function, uint32_t first, Program& program) {
  for (uint32_t index = 0; index < function.body.size(); ++index) {
    const uint32_t pc = first + index;
    if (function.body[index].opcode == "atom" && program.code[pc].d == kNoRegister)
      program.kept_atomics.insert(pc);
  }
}

/// What ptxas makes of single instructions, where their opcodes do not tell.
void note_machine_code(const ptx::Module& module, int sm, Program& program) {
  const std::set<std::string_view> keeping = functions_that_keep_atomics(module, sm);
  for (const ptx::Function& function : module.functions) {
    if (!function.has_body) continue;
    const auto code =
        std::find_if(program.functions.begin(), program.functions.end(),
                     [&](const FunctionCode& each) { return each.name == function.name; });
    if (keeping.contains(function.name)) note_kept_atomics(function, code->first, program);
    if (module.is_debug) continue;
    for (const auto& [index, steps] : other_steps(function))
      program.other_steps[code->first + static_cast<uint32_t>(index)] = steps;
  }
}

}  // namespace

const FunctionCode* LoadedModule::find_entry(std::string_view name) const {
  for (const FunctionCode& function : program.functions) {
    if (function.is_entry && function.name == name) return &function;
  }
  return nullptr;
}

std::string LoadedModule::file_of(uint32_t pc) const {
  const auto found = ptx.files.find(program.locations[pc].file);
  if (found == ptx.files.end() || program.locations[pc].line == 0) return {};
  const size_t slash = found->second.rfind('/');
  return slash == std::string::npos ? found->second : found->second.substr(slash + 1);
}

Result<std::shared_ptr<LoadedModule>> load_module(std::string_view ptx, int device, int sm,
                                                  DeviceMemory& memory) {
  ManagedVariables none;
  return load_modules({ptx}, device, sm, memory, none);
}

Result<std::shared_ptr<LoadedModule>> load_modules(const std::vector<std::string_view>& ptx,
                                                   int device, int sm, DeviceMemory& memory,
                                                   ManagedVariables& managed) {
  std::vector<ptx::Module> parts;
  for (const std::string_view text : ptx) {
    auto parsed = ptx::parse(std::string(text));
    if (!parsed) return parsed.error();
    parts.push_back(std::move(parsed).value());
    spell_out_negations(parts.back());
    contract(parts.back());
    predicate(parts.back(), sm);
  }
  auto linked = ptx::link(std::move(parts));
  if (!linked) return linked.error();
  if (linked->target > static_cast<unsigned>(sm)) {
    return Error{
        fmt::format("the PTX is for sm_{}, which a device of compute capability {}.{} cannot run",
                    linked->target, sm / 10, sm % 10)};
  }
  auto module = std::make_shared<LoadedModule>();
  module->ptx = std::move(linked).value();
  if (const Status sound = check_module(module->ptx); !sound) return sound.error();
  Names names;
  name_functions(module->ptx, names);
  if (const Status placed = place_variables(module->ptx, device, memory, managed, names); !placed)
    return placed.error();
  if (const Status relocated = relocate(module->ptx, memory, names); !relocated)
    return relocated.error();
  const SharedLayout layout(module->ptx, names);
  auto program = decode(module->ptx, names);
  if (!program) return program.error();
  module->program = std::move(program).value();
  module->program.dynamic_shared = layout.dynamic();
  note_machine_code(module->ptx, sm, module->program);
  if (const Status described = describe_kernels(module->ptx, names, module->program); !described)
    return described.error();
  module->symbols = names.variables;
  return module;
}

const KernelInfo* find_kernel(const LoadedModule& module, std::string_view mangled) {
  const FunctionCode* const entry = module.find_entry(mangled);
  return entry == nullptr ? nullptr : &entry->info;
}

std::optional<Symbol> find_symbol(const LoadedModule& module, std::string_view name) {
  const auto found = module.symbols.find(name);
  if (found == module.symbols.end()) return std::nullopt;
  return found->second;
}

bool uses_heap(const LoadedModule& module) {
  // What a kernel gives a kernel that it launches lies there, too.
  constexpr std::string_view kUsers[] = {"malloc",
                                         "free",
                                         "__cudaCDP2GetParameterBufferV2",
                                         "__cudaCDP2Malloc",
                                         "__cudaCDP2Free",
                                         "__cudaCDP2GetErrorString",
                                         "__cudaCDP2GetErrorName"};
  return std::any_of(std::begin(kUsers), std::end(kUsers), [&](std::string_view name) {
    return module.ptx.find_function(name) != nullptr;
  });
}

}  // namespace warpgrade::emulator
