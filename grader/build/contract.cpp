// SPDX-License-Identifier: MIT
#include "build/contract.h"

#include "base/text.h"
#include "build/elf_file.h"

namespace warpgrade {

Contract contract_in(std::string_view linker_output) {
  // ld: driver.o: ...: warning: undefined reference to `_Z3addPfi'
  constexpr std::string_view kKey = "undefined reference to `";
  Contract found = {kContractSection};
  for (const std::string& line : split(linker_output, '\n')) {
    const size_t start = line.find(kKey);
    const size_t end = line.rfind('\'');
    if (start == std::string::npos || end == std::string::npos || end < start + kKey.size())
      continue;
    found.insert(line.substr(start + kKey.size(), end - start - kKey.size()));
  }
  return found;
}

bool misses_kernels_alone(std::string_view linker_output) {
  // ld: program: hidden symbol `_Z3addPf' isn't defined
  return linker_output.find(": hidden symbol `") != std::string_view::npos &&
         linker_output.find("' isn't defined") != std::string_view::npos;
}

std::string format_contract(const Contract& contract) {
  std::string text;
  for (const std::string& name : contract) text += name + '\n';
  return text;
}

Result<Contract> read_contract(std::string_view driver) {
  const Result<ElfFile> object = ElfFile::open(driver);
  if (!object) return object.error();
  for (const ElfSection& section : object->sections()) {
    if (section.name != kContractSection) continue;
    Contract contract;
    for (const std::string& line : split(section.bytes, '\n')) {
      if (!line.empty()) contract.insert(line);
    }
    return contract;
  }
  return Error{"the driver's object says nothing of its contract"};
}

}  // namespace warpgrade
