// SPDX-License-Identifier: MIT
// How a Bench is made ready: what it needs of the course and the machine, and what it starts in the background.
#include <fmt/format.h>

#include <algorithm>

#include "base/copy_program.h"
#include "build/device_code.h"
#include "pipeline/bench.h"
#include "pipeline/driver.h"
#include "pipeline/oracle.h"
#include "pipeline/swapped_cases.h"

namespace warpgrade {
namespace {

/// What of a machine's GPUs the assignment is graded on: none where none is wanted.
GpuChoice gpus_for(const Rubric& rubric, const Installation& installation) {
  if (installation.gpu) return choose_gpus(installation.gpu->machine, rubric.required);
  return {{}, installation.why_no_gpu};
}

}  // namespace

Bench::Bench(const Installation& installation, Rubric rubric, std::unique_ptr<Workspace> workspace)
    : installation_(installation),
      rubric_(std::move(rubric)),
      workspace_(std::move(workspace)),
      builder_(installation.sandbox, installation.toolchain,
               BuildCache(installation.paths.build_cache)) {}

Bench::~Bench() {
  // All of them use the workspace in the background.
  gpu_.reset();
  model_answer_.reset();
  baselines_.reset();
  if (driver_.valid()) driver_.wait();
  cases_.reset();
}

Result<std::unique_ptr<Bench>> Bench::open(const Installation& installation, Rubric rubric,
                                           uint64_t seed, int slots, VerdictMemo* memo) {
  Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!workspace) return workspace.error();
  std::unique_ptr<Bench> bench(new Bench(installation, std::move(rubric), std::move(*workspace)));
  bench->seed_ = seed;
  if (Status ready = bench->prepare(seed, slots); !ready) return ready.error();
  if (!bench->is_on_gpu()) bench->memo_ = memo;
  return bench;
}

/// The stand-in for the runtime library of the toolkit that compiles the submissions.
fs::path Bench::device_library() const {
  const std::string name = installation_.toolchain.runtime_library();
  const fs::path library = installation_.paths.engine.device_library(name);
  return library.empty() ? fs::path(name) : library;
}

Result<DeviceParts> Bench::device_parts(uint64_t seed, int slots) const {
  const Paths& paths = installation_.paths;
  const RealFiles files;
  const fs::path library = device_library();
  for (const fs::path& needed : {library, paths.engine.device_program}) {
    if (!files.exists(needed))
      return Error{
          fmt::format("{} is missing: run `meson setup --reconfigure build && ninja -C build`",
                      needed.string())};
  }

  // Programs see the library's folder, and nothing of the device's.
  DeviceParts parts{workspace_->folder() / "cudart" / library.filename(),
                    workspace_->folder() / "device" / paths.engine.device_program.filename(),
                    installation_.toolchain.ptxas(), slots > 1,
                    seed_of_inputs(seed, "sample of blocks")};
  std::error_code failed;
  fs::create_directories(parts.library.parent_path(), failed);
  fs::copy_file(library, parts.library, failed);
  if (failed) return Error{fmt::format("cannot copy libcudart: {}", failed.message())};
  if (Status copied = copy_program(paths.engine.device_program, parts.program); !copied)
    return copied.error();
  return parts;
}

Status Bench::prepare(uint64_t seed, int slots) {
  const Paths& paths = installation_.paths;
  Result<std::map<std::string, std::string>> headers =
      read_headers(paths.assignment(rubric_.assignment));
  if (!headers) return headers.error();
  headers_ = std::move(*headers);
  const Result<SourceFile> driver = read_driver(paths, rubric_.assignment);
  if (!driver) return driver.error();
  Result<fs::path> oracle = oracle_of(installation_, rubric_.assignment);
  if (!oracle) return oracle.error();
  oracle_ = std::move(*oracle);
  Result<DeviceParts> parts = device_parts(seed, slots);
  if (!parts) return parts.error();
  runner_ = std::make_unique<EmulatedRunner>(installation_.sandbox, std::move(*parts));

  for (const Item& item : rubric_.items) {
    for (std::string& range : ranges_of(item)) judged_ranges_.insert(std::move(range));
  }
  driver_key_ = builder_.key_of(*driver);
  driver_source_ = driver->text;
  for (const auto& [name, text] : driver->headers) driver_source_ += text;
  start_driver(*driver, slots);
  gpu_choice_ = gpus_for(rubric_, installation_);
  const bool on_gpu = !gpu_choice_.gpus.empty();
  const bool is_timed = on_gpu && installation_.gpu->is_timed;
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric_, Target::kEmulated);
  const std::set<std::string> may_be_swapped = all_that_may_be_swapped(rubric_);
  std::vector<RunStep> swapped = steps;
  std::erase_if(swapped,
                [&](const RunStep& step) { return !may_be_swapped.contains(step.case_id); });
  cases_ = std::make_unique<CaseStore>(
      installation_.trusted, oracle_, workspace_->folder() / "cases", steps, seed,
      steps_of<TimeStep>(rubric_, is_timed ? Target::kGpu : Target::kEmulated), std::move(swapped));
  Result<std::map<std::string, std::string>> baselines = read_baselines(paths, rubric_);
  if (!baselines) return baselines.error();
  baseline_sources_ = std::move(*baselines);
  start_baselines(slots);
  if (!on_gpu) return {};
  Result<std::unique_ptr<GpuSide>> gpu =
      GpuSide::open(installation_, gpu_choice_.gpus, workspace_->folder() / "gpu",
                    {rubric_, *cases_, *baselines_, seed});
  if (!gpu) return gpu.error();
  gpu_ = std::move(*gpu);
  return {};
}

void Bench::start_baselines(int slots) {
  const auto build = [this](const std::string& source,
                            const BuildPlace& place) -> Result<fs::path> {
    const BuildResult built =
        builder_.build({rubric_.submission, source, headers_, rubric_.required.binary}, driver_key_,
                       driver_, place);
    if (built.status == BuildStatus::kBuilt) return built.program;
    return Error{"does not build: " + built.reason};
  };
  // The driver, where it is compiled now, has the first slot behind the submissions'.
  BaselineTools tools{*runner_,  *cases_,
                      build,     workspace_->folder() / "baselines",
                      slots + 1, rubric_.limits.compile_s};
  const std::vector<RunStep> steps = steps_of<RunStep>(rubric_, Target::kEmulated);
  baselines_ = std::make_unique<Baselines>(rubric_, baseline_sources_, steps, tools);
  const Paths& paths = installation_.paths;
  const Result<std::string> model_answer =
      RealFiles().read(paths.reference(rubric_.assignment) / rubric_.submission);
  if (!model_answer) return;
  tools.first_slot += static_cast<int>(baseline_sources_.size());
  model_answer_ = std::make_unique<ModelAnswer>(rubric_, *model_answer, driver_key_,
                                                paths.build_cache, steps, *runner_, tools);
}

void Bench::start_driver(const SourceFile& driver, int slots) {
  const fs::path object = workspace_->folder() / "driver" / "driver.o";
  const bool ready =
      take_prebuilt_driver(installation_.paths, rubric_.assignment, driver_key_, object);
  const BuildPlace place{slot_folder(slots), slots, rubric_.limits.compile_s};
  driver_ = std::async(ready ? std::launch::deferred : std::launch::async,
                       [this, ready, object, driver, place]() -> Result<fs::path> {
                         if (ready) return object;
                         Result<fs::path> compiled = builder_.compile_driver(driver, place);
                         if (compiled) keep_driver(installation_.paths, driver_key_, *compiled);
                         return compiled;
                       })
                .share();
  driver_code_ = std::async(std::launch::deferred, [this]() -> std::vector<std::string> {
                   const Result<fs::path>& compiled = driver_.get();
                   const Result<std::string> bytes =
                       compiled ? RealFiles().read(*compiled) : compiled.error();
                   const auto hashes = bytes ? code_hashes_in(*bytes) : bytes.error();
                   return hashes ? *hashes : std::vector<std::string>();
                 }).share();
}

}  // namespace warpgrade
