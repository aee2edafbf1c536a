// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// What an assignment asks of the GPUs that it is graded on, and of the code in the program.
struct Requires {
  std::string compute_capability;   ///< ">=8.0 <10.0", all of which must hold; empty = any.
  std::optional<int> major;         ///< The compute capability's first number.
  std::vector<std::string> binary;  ///< "sm_90": machine code; "compute_75": PTX.
};

/// Whether a device of this compute capability will do.
bool accepts(const Requires& wanted, int major, int minor);

/// ">=8.0 <10.0, major 9"; "any" where nothing is asked.
std::string describe_devices(const Requires& wanted);

/// Whether `text` is a list of compute capabilities, each perhaps after >=, <=, > or <.
bool is_capability_range(std::string_view text);

/// The architectures that nvcc 13 compiles for.
const std::vector<std::string>& code_names();

}  // namespace warpgrade
