// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/program/program.h"

namespace warpgrade::emulator {

// What the start-up code that nvcc generates registers. Nothing is decoded here: a program that never
// launches pays for none of its device code. `image` is the program's handle of it; what names an unknown
// one does nothing.

void register_image(uint64_t image, DeviceCode code);
void remove_image(uint64_t image);
/// Before the host's first use of a __managed__ variable, whose initial value is in the PTX.
void load_image(uint64_t image);
void register_kernel(uint64_t image, const void* host, std::string mangled);
void register_variable(uint64_t image, const void* host, std::string name, size_t bytes);
/// The address that the variable has on host and device, or 0 where there is no room.
uint64_t register_managed(uint64_t image, const void* host, std::string name, size_t bytes);

/// Kernels find the texture object `texture` under the texture reference at `host`; 0: none.
void bind_reference(const void* host, uint64_t texture);
/// Bytes from `address` to the end of its allocation, or 0.
uint64_t bytes_from(uint64_t address);

/// Sizes in bytes of a kernel's parameters on the current device, or nothing where there is no such kernel.
std::optional<std::vector<uint32_t>> parameter_sizes(const void* function);

}  // namespace warpgrade::emulator
