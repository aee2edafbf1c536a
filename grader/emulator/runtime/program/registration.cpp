// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/registration.h"

#include <fmt/format.h>

#include <cstring>

#include "emulator/runtime/kernels.h"
#include "emulator/runtime/memory/symbols.h"
#include "emulator/runtime/stream/waiting_kernels.h"

namespace warpgrade::emulator {

void register_image(uint64_t image, DeviceCode code) {
  const bool first = made_machine() == nullptr;
  Machine& only = machine(first ? least_capability(code) : 0);
  const std::lock_guard lock(only.mutex);
  only.program.add_image(image, std::move(code));
}

void remove_image(uint64_t image) {
  finish_waiting_kernels();  // They may be the image's.
  const std::lock_guard lock(machine().mutex);
  machine().program.remove_image(image);
}

void load_image(uint64_t image) {
  ApiCall call("__managed__");
  call.leave_no_record();
  cudaError_t error = cudaSuccess;
  DeviceImage* const found = call.machine().program.find_image(image);
  if (found != nullptr) load_image(call, *found, error);
}

void register_kernel(uint64_t image, const void* host, std::string mangled) {
  const std::lock_guard lock(machine().mutex);
  RegisteredProgram& program = machine().program;
  if (DeviceImage* const found = program.find_image(image))
    program.add_kernel(found, host, std::move(mangled));
}

void register_variable(uint64_t image, const void* host, std::string name, size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  RegisteredProgram& program = machine().program;
  if (DeviceImage* const found = program.find_image(image))
    program.add_variable(found, host, std::move(name), bytes);
}

uint64_t register_managed(uint64_t image, const void* host, std::string name, size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  RegisteredProgram& program = machine().program;
  DeviceImage* const found = program.find_image(image);
  if (found == nullptr || bytes == 0) return 0;
  const auto memory = machine().memory.allocate_host(bytes, fmt::format("the variable {}", name),
                                                     HostMemory::managed);
  if (!memory) return 0;
  found->add_managed(name, memory->begin);
  // The program's code names the variable by its pointer or by its value.
  program.add_variable(found, host, name, bytes);
  program.add_variable(found, reinterpret_cast<const void*>(memory->begin), name, bytes);
  return memory->begin;
}

void bind_reference(const void* host, uint64_t texture) {
  ApiCall call("cudaBindTexture");
  call.leave_no_record();
  uint64_t address = 0;
  if (symbol_address(call, host, sizeof texture, 0, address) != cudaSuccess) return;
  DeviceMemory& memory = call.machine().memory;
  uint8_t* const held = memory.host_address(address, sizeof texture);
  if (held == nullptr) return;
  std::memcpy(held, &texture, sizeof texture);
  memory.note_written(address, sizeof texture);
  call.machine().textures.keep(texture);
}

uint64_t bytes_from(uint64_t address) {
  Machine& only = machine();
  const std::lock_guard lock(only.mutex);
  const Allocation* const allocation = only.memory.find(address);
  return allocation == nullptr ? 0 : allocation->begin + allocation->size - address;
}

std::optional<std::vector<uint32_t>> parameter_sizes(const void* function) {
  Machine& only = machine();
  const std::lock_guard lock(only.mutex);
  const int device = this_thread().device;
  Kernel* const kernel = only.program.find_kernel(function);
  if (kernel == nullptr) return std::nullopt;
  const int sm = only.devices[static_cast<size_t>(device)].model.sm();
  const LoadedModule* const module = kernel->image->load(device, sm, only.memory);
  const KernelInfo* const info =
      module == nullptr ? nullptr : find_kernel(*module, kernel->mangled);
  if (info == nullptr) return std::nullopt;
  std::vector<uint32_t> sizes;
  for (const KernelParameter& parameter : info->parameters)
    sizes.push_back(static_cast<uint32_t>(parameter.size));
  return sizes;
}

}  // namespace warpgrade::emulator
