// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpgrade {

/// Where a driver's object keeps its contract; no linker puts the section into a program.
constexpr const char* kContractSection = ".warpgrade.contract";

/// The symbols that a driver wants of a student, by their names in objects. The section's name is always one of them:
/// objcopy takes an empty list of symbols to keep for no list, and keeps all.
using Contract = std::set<std::string>;

/// What neither a driver nor the libraries define, from the linker's warnings about that.
Contract contract_in(std::string_view linker_output);

/// Whether the linker failed for kernels of the student's alone. nvcc declares kernels hidden, which a linker may not
/// leave undefined; it names each of them all the same before it fails.
bool misses_kernels_alone(std::string_view linker_output);

/// One name in each line, for objcopy and for the section.
std::string format_contract(const Contract& contract);

/// Reads a driver's object. An Error where it has no such section.
Result<Contract> read_contract(std::string_view driver);

}  // namespace warpgrade
