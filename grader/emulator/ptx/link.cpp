// SPDX-License-Identifier: MIT
#include "emulator/ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

namespace warpgrade::emulator::ptx {
namespace {

/// What the views of a linked module point into.
struct Texts {
  std::vector<std::shared_ptr<const std::string>> parts;
  std::deque<std::string> names;
};

using NewNames = std::map<std::string_view, std::string_view>;

void rename(const NewNames& names, std::string_view& name) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename(const NewNames& names, Operand& operand) {
  if (operand.kind == Operand::Kind::symbol && operand.variable < 0) rename(names, operand.name);
  for (Operand& element : operand.elements) rename(names, element);
}

void rename(const NewNames& names, Module& module) {
  for (Variable& variable : module.variables) {
    rename(names, variable.name);
    for (Relocation& relocation : variable.relocations) rename(names, relocation.symbol);
  }
  for (Function& function : module.functions) {
    rename(names, function.name);
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.operands) rename(names, operand);
    }
  }
}

/// Names for what only this module knows, where a module before it has the name as well.
NewNames new_names(const Module& module, std::set<std::string>& taken, Texts& texts) {
  NewNames names;
  std::set<std::string> own;
  const auto visit = [&](std::string_view name, bool is_local) {
    own.insert(std::string(name));
    if (!is_local || taken.count(std::string(name)) == 0) return;
    texts.names.push_back(fmt::format("{}${}", name, texts.parts.size()));
    names[name] = texts.names.back();
    own.insert(texts.names.back());
  };
  for (const Variable& variable : module.variables) visit(variable.name, variable.is_local);
  for (const Function& function : module.functions) visit(function.name, function.is_local);
  taken.merge(own);
  return names;
}

/// Moves the numbers of the module's source files behind those that are taken.
void renumber_files(Module& module, uint32_t offset) {
  std::map<uint32_t, std::string> files;
  for (auto& [index, path] : module.files) files[index + offset] = std::move(path);
  module.files = std::move(files);
  for (Function& function : module.functions) {
    if (function.location.file != 0) function.location.file += offset;
    for (Instruction& instruction : function.body) {
      if (instruction.location.file != 0) instruction.location.file += offset;
    }
  }
}

bool defines(const Variable& variable) { return !variable.is_extern; }
bool defines(const Function& function) { return function.has_body; }

/// Adds a definition, or a declaration of what has none yet. False where there are two of them.
template <class Named>
bool add(std::vector<Named>& into, std::map<std::string_view, size_t>& index, Named&& named) {
  const auto [found, is_new] = index.try_emplace(named.name, into.size());
  if (is_new) {
    into.push_back(std::move(named));
    return true;
  }
  Named& held = into[found->second];
  if (!defines(named)) return true;
  if (defines(held) && !named.is_weak && !held.is_weak) return false;
  if (!defines(held) || held.is_weak) held = std::move(named);
  return true;
}

Error twice(std::string_view name) { return {fmt::format("{} is defined in two modules", name)}; }

}  // namespace

Result<Module> link(std::vector<Module> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  auto texts = std::make_shared<Texts>();
  Module linked;
  std::set<std::string> taken;
  std::map<std::string_view, size_t> variables, functions;
  for (Module& part : parts) {
    texts->parts.push_back(part.text);
    rename(new_names(part, taken, *texts), part);
    renumber_files(part, linked.files.empty() ? 0 : linked.files.rbegin()->first);
    linked.files.merge(part.files);
    linked.version_major = std::max(linked.version_major, part.version_major);
    linked.target = std::max(linked.target, part.target);
    for (Variable& variable : part.variables) {
      const std::string_view name = variable.name;
      if (!add(linked.variables, variables, std::move(variable))) return twice(name);
    }
    for (Function& function : part.functions) {
      const std::string_view name = function.name;
      if (!add(linked.functions, functions, std::move(function))) return twice(name);
    }
  }
  linked.text = {texts, texts->parts.front().get()};
  return linked;
}

}  // namespace warpgrade::emulator::ptx
