// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/text.h"
#include "commands/options.h"
#include "emulator/runtime/device_table.h"

namespace warpgrade {
namespace {

/// What is wrong with a list of devices, or empty.
std::string known_devices(const std::string& names) {
  for (const std::string& name : split(names, ',')) {
    if (emulator::find_device_model(trim(name)) == nullptr)
      return fmt::format("{} is no device: write names out of {}", name,
                         emulator::device_model_names());
  }
  return "";
}

int devices_command(const Options&) {
  for (const emulator::DeviceModel& device : emulator::device_table()) {
    fmt::print("{:<10} compute capability {}.{}, {} multiprocessors\n", device.name, device.major,
               device.minor, device.sm_count);
  }
  return kAllGood;
}

int run_command(const Options& options) {
  ForegroundProgram program = options.program;
  program.device_library = find_paths(options).device_library;
  return complain(become(program), kSystem);
}

}  // namespace

void add_machine(CLI::App& app, Options& options) {
  add_command(app, options, "devices", "List the devices that can be emulated", "warpgrade devices",
              devices_command);
  CLI::App* run = add_command(app, options, "run", "Run a CUDA program on the emulated device",
                              "nvcc -cudart shared -o saxpy saxpy.cu\n  warpgrade run --device "
                              "H100 --metrics csv ./saxpy 1000\n\n"
                              "Exit: the program's own, or 99.",
                              run_command);
  run->add_option("--device", options.program.devices,
                  "NAME[,NAME]: device 0 first; else one that can run the program")
      ->check(known_devices);
  run->add_option(
      "--check", options.program.checkers,
      "LIST of memory, init, race, sync, api, padding; all (but padding), the default; none");
  run->add_option(
         "--metrics", options.program.metrics,
         "At the end: csv, json or text, one row per launch; lines, a row per source line (also "
         "in json)")
      ->check(CLI::IsMember({"csv", "json", "text", "lines"}));
  run->add_option("--metrics-file", options.program.metrics_file, "Where to, instead of stdout");
  run->add_option("--order", options.program.order,
                  "Order of blocks, warps and lanes: 0 natural, 1 reversed, others shuffled")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--instruction-limit", options.program.instruction_limit,
                  "End a kernel after N warp instructions")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--time-limit", options.program.time_limit,
                  "End the kernel that runs after S seconds, and then the program")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--error-exitcode", options.program.error_exit_code,
                  "Exit code where a checker found something; else the program's own")
      ->check(CLI::Range(1, 255));
  run->add_option("PROGRAM", options.program.argv, "The program and its arguments")->required();
  run->positionals_at_end();
  run->prefix_command(false);
}

}  // namespace warpgrade
