// SPDX-License-Identifier: MIT
#include "commands/options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "base/text.h"
#include "commands/remedy.h"
#include "course/course_parts.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

fs::path own_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

/// The folder with rubrics/, from the current one or the engine upwards.
fs::path find_course() {
  std::error_code ignored;
  for (fs::path folder : {fs::current_path(ignored), own_program().parent_path()}) {
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "rubrics", ignored) &&
          fs::is_directory(folder / "assignments", ignored))
        return folder;
    }
  }
  return fs::current_path(ignored);
}

fs::path cache_folder() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return fs::path(cache) / "warpgrade";
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "warpgrade";
}

/// What grading on GPUs needs, or why it cannot be had.
void find_gpu_installation(const Options& options, Installation& installation) {
  GpuInstallation gpu{find_gpus(installation.trusted, engine().probe), {}, {}, !options.untimed};
  if (gpu.machine.gpus.empty()) {
    installation.why_no_gpu = fmt::format("this machine has no GPU: {}", gpu.machine.error);
    return;
  }
  Result<GpuTools> tools = find_gpu_tools(installation.toolchain.root, engine().tracer,
                                          engine().probe, gpu.machine.driver_folders);
  if (!tools) {
    installation.why_no_gpu = tools.error().message;
    return;
  }
  gpu.tools = std::move(*tools);
  gpu.instruments = find_instruments(installation.toolchain.root, variable("PATH"));
  installation.gpu = std::move(gpu);
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const Engine& engine() {
  static const Engine found = find_engine(own_program());
  return found;
}

CLI::App* add_command(CLI::App& app, Options& options, const char* name, const char* what,
                      const char* example, std::function<int(const Options&)> run) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer(fmt::format("Example:\n  {}", example));
  command->callback([&options, run = std::move(run)] { options.status = run(options); });
  return command;
}

int complain(const Error& error, int code) {
  fmt::print(stderr, "{}\n", printable(trim(error.message)));
  if (const std::string remedy = remedy_of(error.message); !remedy.empty())
    fmt::print(stderr, "-> {}\n", remedy);
  return code;
}

Paths find_paths(const Options& options) {
  // Compilers run in folders of their own.
  std::error_code failed;
  const fs::path course = fs::absolute(options.course, failed).lexically_normal();
  return {options.course.empty() ? find_course() : course, engine(), cache_folder()};
}

Result<Installation> find_installation(const Options& options, SandboxNeed need,
                                       DeviceChoice device) {
  Installation installation;
  installation.device = options.device.value_or(device);
  installation.paths = find_paths(options);
  Result<Toolchain> toolchain =
      find_toolchain(installation.trusted, variable("CUDA_HOME"), variable("PATH"));
  if (!toolchain) return toolchain.error();
  installation.toolchain = std::move(*toolchain);
  const Status chosen =
      choose_sandbox(need, options.unsafe_no_sandbox, engine().supervisor, installation);
  if (!chosen) return chosen.error();
  if (installation.device != DeviceChoice::kEmulated) find_gpu_installation(options, installation);
  return installation;
}

void add_sandbox_option(CLI::App& command, Options& options) {
  command.add_flag("--unsafe-no-sandbox", options.unsafe_no_sandbox,
                   "Grade where no sandbox works too: for submissions that you trust as yourself");
}

void add_jobs_option(CLI::App& command, Options& options) {
  command.add_option("--jobs", options.jobs, "Submissions at a time")
      ->check(CLI::Range(1, 256))
      ->default_str("two for each core");
}

void add_device_option(CLI::App& command, Options& options, const std::string& otherwise) {
  const std::map<std::string, DeviceChoice> choices = {{"auto", DeviceChoice::kAuto},
                                                       {"emulated", DeviceChoice::kEmulated},
                                                       {"gpu", DeviceChoice::kGpu}};
  command
      .add_option(
          "--device", options.device,
          "Where speed is judged: emulated, by the time model; gpu, measured or not at all; "
          "auto, measured where a GPU will do [" +
              otherwise + "]")
      ->transform(CLI::CheckedTransformer(choices).description(""))
      ->type_name("auto|emulated|gpu");
}

Result<Rubric> load_rubric(const Options& options, const std::string& slug) {
  const Paths paths = find_paths(options);
  if (Status known = require_rubric(RealFiles(), paths.course, slug); !known) return known.error();
  const Result<std::string> language = speak_to_students(options);
  if (!language) return language.error();
  return read_rubric(RealFiles(), paths.rubric(slug), *language);
}

Result<std::string> speak_to_students(const Options& options) {
  const Result<Course> course = read_course(RealFiles(), find_paths(options).course / "rubrics");
  if (!course) return course.error();
  const std::string language = options.language.empty() ? course->language : options.language;
  speak(language);
  return language;
}

Result<Rubric> load_assignment(const Options& options, const std::string& slug) {
  Result<Rubric> rubric = load_rubric(options, slug);
  if (!rubric) return rubric;
  const Status whole =
      require_parts(RealFiles(), find_paths(options).course, slug, parts_for_grading(slug));
  if (!whole) return whole.error();
  return rubric;
}

std::vector<std::string> all_slugs(const Options& options) {
  return assignments_of(RealFiles(), find_paths(options).course / "rubrics");
}

}  // namespace warpgrade
