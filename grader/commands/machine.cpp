// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/text.h"
#include "commands/devices.h"
#include "commands/gather_facts.h"
#include "commands/options.h"
#include "commands/run_report.h"
#include "emulator/model/device_table.h"

namespace warpgrade {
namespace {

/// What is wrong with a list of devices, or empty.
std::string known_devices(const std::string& names) {
  std::vector<std::string> all;
  for (const emulator::DeviceModel& model : emulator::device_table()) all.emplace_back(model.name);
  for (const std::string& name : split(names, ',')) {
    if (emulator::find_device_model(trim(name)) != nullptr) continue;
    const std::string meant = nearest(name, all);
    return fmt::format("{} is no device; {} names out of {}", printable(name),
                       meant.empty() ? "write" : fmt::format("did you mean {}? Write", meant),
                       emulator::device_model_names());
  }
  return "";
}

GpuMachine find_machine() { return find_gpus(LocalSandbox(SandboxBackend::kNone), engine().probe); }

/// The demands of all rubrics that can be read; lint names the others.
std::vector<DeviceDemand> find_demands(const Options& options) {
  std::vector<DeviceDemand> demands;
  for (const std::string& slug : all_slugs(options)) {
    const Result<Rubric> rubric = load_rubric(options, slug);
    if (!rubric) {
      fmt::print(stderr, "the rubric of {} has mistakes: see warpgrade lint {}\n", slug, slug);
      continue;
    }
    const Requires required = rubric->required;
    demands.push_back(
        {slug, "compute capability " + describe_devices(required),
         [required](int major, int minor) { return accepts(required, major, minor); }});
  }
  return demands;
}

int devices_command(const Options& options) {
  const GpuMachine machine = find_machine();
  const std::vector<DeviceDemand> demands = find_demands(options);
  fmt::print("{}", options.format == kJson ? devices_json(machine, demands)
                                           : devices_text(machine, demands));
  return kAllGood;
}

int doctor_command(const Options& options) {
  const MachineFacts facts = gather_facts(
      {find_paths(options), variable("CUDA_HOME"), variable("PATH"), all_slugs(options)});
  fmt::print("{}", options.format == kJson ? doctor_json(facts) : doctor_text(facts));
  return can_grade(diagnose(facts)) ? kAllGood : kNotAll;
}

int run_command(const Options& options) {
  ForegroundProgram program = options.program;
  program.language = options.language;
  program.device_libraries = engine().device_libraries;
  if (!options.run_report.empty()) return run_with_report(program, options.run_report);
  return complain(become(program), kSystem);
}

}  // namespace

void add_machine(CLI::App& app, Options& options) {
  const auto add_format = [&options](CLI::App* command) {
    command->add_option("--format", options.format, "text or json")
        ->check(CLI::IsMember({kText, kJson}));
  };
  add_format(add_command(app, options, "devices",
                         "List the GPUs of this machine and the devices that can be emulated, with "
                         "what each can grade",
                         "warpgrade devices", devices_command));
  add_format(add_command(
      app, options, "doctor", "Check what grading needs of this machine, and say how to mend it",
      "warpgrade doctor\n\nExit: 0, or 1 where it cannot grade.", doctor_command));
  CLI::App* run = add_command(
      app, options, "run", "Run a CUDA program on the emulated device",
      "nvcc -cudart shared -o saxpy saxpy.cu\n  warpgrade run --device "
      "H100 --metrics csv ./saxpy 1000\n\n"
      "Exit: the program's own; 99 where it could not be run, or a kernel of it could not.",
      run_command);
  run->add_option("--device", options.program.devices,
                  "NAME[,NAME]: device 0 first; else one that can run the program")
      ->check(known_devices);
  run->add_option("--check", options.program.checkers,
                  "LIST of memory, init, race, sync, api, padding, fences; all (but padding and "
                  "fences), the default; none");
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
  run->add_option("--trace", options.program.timeline,
                  "FILE for launches, copies and streams in modelled time, which Perfetto "
                  "(ui.perfetto.dev) and chrome://tracing show");
  run->add_option("--report", options.run_report,
                  "FILE.html for a page with findings, kernels, roofline, timeline and source");
  run->add_flag("--plain", options.program.is_plain,
                "Say each finding, and nothing else: no summary, no advice");
  run->add_option("PROGRAM", options.program.argv, "The program and its arguments")->required();
  run->positionals_at_end();
  // What stands behind the program is the program's.
  run->fallthrough(false);
  run->prefix_command(false);
}

}  // namespace warpgrade
