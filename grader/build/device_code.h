// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace warpgrade {

/// The device code in a program or object that nvcc made, each kind once and sorted: "sm_90" is
/// machine code, "compute_75" is PTX. `elf` is the whole file; an Error where it cannot be read.
Result<std::vector<std::string>> device_code_in(std::string_view elf);

/// Whether a source file may have something for the device in it: kernels, their launches, or a library that has some.
/// Errs to yes, as for words in a comment.
bool may_have_device_code(std::string_view source);

/// SHA-256 of each container of device code, as traces have them in `code`; an Error as above.
Result<std::vector<std::string>> code_hashes_in(std::string_view elf);

/// Which of `wanted` are not among `found`, in words: "the program carries compute_75, and the assignment
/// wants sm_90"; empty where none is missing.
std::string missing_code(const std::vector<std::string>& found,
                         const std::vector<std::string>& wanted);

}  // namespace warpgrade
