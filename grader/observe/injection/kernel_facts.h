// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "observe/injection/launch_request.h"
#include "observe/injection/libraries.h"

namespace warpgrade::injection {

/// The bytes of each parameter. The runtime may pass a kernel of a library where the driver's interface
/// says function; both are asked about.
std::vector<std::string> parameters_of(const LaunchRequest& request, const Driver& driver);
int static_shared_bytes_of(const LaunchRequest& request, const Driver& driver);
/// Mangled; empty where it cannot be known.
std::string name_of(const LaunchRequest& request, const Driver& driver);

std::string demangled(const std::string& name);
/// As traces write parameters: two lowercase hexadecimal digits for each byte.
std::string hex_of(const std::string& bytes);

}  // namespace warpgrade::injection
