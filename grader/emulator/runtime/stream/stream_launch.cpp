// SPDX-License-Identifier: MIT
#include "emulator/runtime/stream/stream_launch.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/exec/order.h"
#include "emulator/runtime/child_launches.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/record/findings.h"
#include "emulator/runtime/record/launch_record.h"
#include "emulator/runtime/swapped_inputs.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// What a device would report. A trap is a launch failure and not cudaErrorIllegalInstruction: so
/// answered an H200 with driver 580.
cudaError_t fault_of(LaunchStatus status) {
  switch (status) {
    case LaunchStatus::ok:
      return cudaSuccess;
    case LaunchStatus::illegal_address:
      return cudaErrorIllegalAddress;
    case LaunchStatus::misaligned_address:
      return cudaErrorMisalignedAddress;
    case LaunchStatus::trap:
      return cudaErrorLaunchFailure;
    case LaunchStatus::assert_failed:
      return cudaErrorAssert;
    case LaunchStatus::instruction_limit:
    case LaunchStatus::time_limit:
      return cudaErrorLaunchTimeout;
    case LaunchStatus::unsupported:
      return cudaErrorNotSupported;
    case LaunchStatus::deadlock:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

LaunchOptions options_for(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
                          const std::string& range) {
  const Settings& settings = call.machine().settings;
  const DeviceModel& model = call.device().model;
  LaunchOptions options;
  options.check = settings.check;
  options.deterministic = settings.deterministic;
  options.order = settings.order;
  options.sample_key = call.machine().sample_keys.next(range);
  options.threads = settings.threads;
  options.instruction_limit = settings.instruction_limit;
  options.deadline = call.machine().deadline;
  options.time_limit_s = settings.time_limit_s;
  options.max_shared_bytes = static_cast<size_t>(model.shared_per_block_optin_bytes);
  options.print = [&machine = call.machine(), device = call.device_index()](std::string_view text) {
    machine.printed(device, text);
  };
  // A graded program learns from its launch's error alone what its kernel found.
  if (!settings.graded)
    options.complain = [&machine = call.machine()](std::string_view text) {
      machine.complained(text);
    };
  const bool on_record =
      call.machine().trace.enabled() && call.machine().line_records.wants(kernel.info->mangled);
  options.count_lines = on_record || settings.for_people ||
                        settings.metrics_format == MetricsFormat::json ||
                        settings.metrics_format == MetricsFormat::lines;
  options.sm_count = static_cast<uint32_t>(model.sm_count);
  options.device = &model;
  const int threads = static_cast<int>(wanted.block.x * wanted.block.y * wanted.block.z);
  if (active_blocks(call, kernel, threads, wanted.shared_bytes, options.resident_blocks) !=
      cudaSuccess)
    options.resident_blocks = 1;
  if (const std::optional<KernelResources> resources = resources_of(call, kernel)) {
    options.spill_store_bytes = resources->spill_store_bytes;
    options.spill_load_bytes = resources->spill_load_bytes;
  }
  return options;
}

/// The workspace is no memory of the program's.
void hide_workspace(const LaunchRequest& request, LaunchResult& result) {
  const auto is_workspace = [&](const TouchedAllocation& touched) {
    return touched.ptr == request.grid_workspace;
  };
  result.touched.erase(std::remove_if(result.touched.begin(), result.touched.end(), is_workspace),
                       result.touched.end());
}

void note_use(const LoadedKernel& kernel, const LaunchRequest& request, const LaunchResult& result,
              StreamOperation& operation) {
  operation.module = kernel.module;
  operation.grid = request.grid;
  operation.block = request.block;
  operation.use.map = result.accesses;
  operation.early.map = result.early;
  operation.launches_dependents = result.launches_dependents;
  operation.signals = result.has_fences;
  for (const TouchedAllocation& touched : result.touched) operation.touched.push_back(touched.ptr);
}

/// On record, beside the launch itself.
void note_bytes(ApiCall& call, const std::string& range, const char* what, size_t bytes,
                Json args = Json::object()) {
  if (bytes == 0) return;
  args[what] = bytes;
  call.machine().trace.write("api", {{"name", call.name()},
                                     {"result", 0},
                                     {"device", call.device_index()},
                                     {"range", range},
                                     {"args", args}});
}

/// Where the device holds other inputs than the host, in memory that both reach.
void swap_shared_inputs(ApiCall& call, const std::string& range) {
  SwappedInputs& inputs = swapped_inputs();
  if (inputs.empty()) return;
  Machine& machine = call.machine();
  note_bytes(call, range, "shown", machine.shown_later.exchange(0));
  const size_t bytes = inputs.swap_shared(machine.memory);
  note_bytes(call, range, "swapped", bytes, {{"swapped_inputs", inputs.swapped()}});
}

/// How much of what the device holds the launch may show to the host, while it runs, in memory that both reach.
size_t shown_bytes(const LaunchResult& result, const Machine& machine) {
  size_t bytes = 0;
  for (const TouchedAllocation& touched : result.touched) {
    const Allocation* const allocation = machine.memory.find(touched.ptr);
    if (!touched.written || allocation == nullptr || allocation->device != kHostDevice) continue;
    // Which of many allocations it is tells something, too.
    bytes += sizeof allocation->begin + allocation->size;
  }
  return bytes;
}

void restore_shared_inputs(ApiCall& call, const std::string& range, const LaunchResult& result) {
  SwappedInputs& inputs = swapped_inputs();
  if (inputs.empty()) return;
  Machine& machine = call.machine();
  if (inputs.restore_shared(machine.memory)) note_bytes(call, range, "apart", 1);
  note_bytes(call, range, "shown", shown_bytes(result, machine));
  if (result.status != LaunchStatus::ok) machine.shows(sizeof(cudaError_t));
}

LaunchOptions options_of_operation(ApiCall& call, const LoadedKernel& kernel,
                                   const KernelLaunch& wanted, const std::string& range,
                                   const StreamOperation& operation) {
  Machine& machine = call.machine();
  const StreamRaces& races = machine.stream_races;
  LaunchOptions options = options_for(call, kernel, wanted, range);
  options.note_accesses = races.records() || (races.on() && machine.streams.may_overlap());
  options.note_host_accesses = races.records_host_memory();
  options.note_early_accesses = operation.beside.has_value();
  options.forgets_shared = withheld().is("shared_memory", range);
  options.hides_shared = withheld().is("shared_loads", range);
  options.drops_atomics = withheld().is("atomics", range);
  options.drops_reductions = withheld().is("reductions", range);
  options.writer = machine.memory.origins().of_kernel(range, kernel.info->mangled);
  return options;
}

/// While a kernel is finished in another call than its own.
class OnDevice {
 public:
  OnDevice(ApiCall& call, int device)
      : thread_(call.thread()), before_(std::exchange(thread_.device, device)) {}
  ~OnDevice() { thread_.device = before_; }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  ThreadState& thread_;
  const int before_;
};

}  // namespace

StreamLaunch::StreamLaunch(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
                           LaunchRequest request, CUstream_st& stream, int depth)
    : kernel_(kernel),
      depth_(depth),
      request_(std::move(request)),
      stream_(stream),
      range_(range_of_call(call.machine().settings.graded)),
      operation_(call.machine().stream_races.begin(kernel.info->mangled, work_of(stream),
                                                   wanted.programmatic)),
      options_(options_of_operation(call, kernel, wanted, range_, operation_)),
      carried_(call.machine().settings.graded ? carried_work().before(range_, call.machine().memory)
                                              : CarriedWork::ByAllocation()),
      under_way_(request_, options_, call.machine().memory, call.machine().workers) {
  swap_shared_inputs(call, range_);
  if (withheld().is("constant_memory", range_))
    constants_.emplace(*request_.module, call.machine().memory);
}

void StreamLaunch::note_waiting(ApiCall& call) const {
  if (call.machine().settings.graded) note_bytes(call, range_, "apart", 1);
}

void StreamLaunch::name_those_beside(const std::vector<const StreamLaunch*>& beside,
                                     LaunchResult& result) const {
  if (beside.empty()) return;
  for (Finding& finding : result.findings) {
    if (finding.checker != "limit") continue;
    std::vector<Sentence> others;
    for (const StreamLaunch* const each : beside) {
      const std::optional<Finding> place = each->under_way_.place();
      const bool is_known = place && !place->file.empty();
      others.push_back(say(
          "limit.other",
          {{"kernel", demangled(each->kernel())},
           {"device", each->device()},
           {"place", is_known ? say("place.file", {{"file", place->file}, {"line", place->line}})
                              : say("place.unknown")}}));
    }
    finding.message =
        say("limit.beside", {{"spent", finding.message}, listed("others", others, ", ")});
  }
}

void StreamLaunch::finish(ApiCall& call, const std::vector<const StreamLaunch*>& beside) {
  Machine& machine = call.machine();
  const OnDevice on_device(call, device());
  LaunchResult result = under_way_.result();
  restore_shared_inputs(call, range_, result);
  if (constants_) constants_->restore(machine.memory);
  machine.end_of_printing(result.status != LaunchStatus::ok);
  hide_workspace(request_, result);
  if (auto found = carried_work().after(range_, kernel_.info->mangled, result.touched, carried_))
    result.findings.insert(result.findings.begin(), std::move(*found));
  note_use(kernel_, request_, result, operation_);
  if (!options_.note_accesses) operation_.generation = result.generation;
  std::vector<Finding> raced = machine.stream_races.finish(std::move(operation_), range_);
  std::move(raced.begin(), raced.end(), std::back_inserter(result.findings));
  name_those_beside(beside, result);
  if (result.may_race)
    result.findings.push_back({"unchecked", say("unchecked.race"), kernel_.info->mangled, ""});
  Device& its = call.device();
  if (its.fault == cudaSuccess) its.fault = fault_of(result.status);
  machine.streams.advance(stream_, result.time.in_row_ms);
  ++machine.launches;
  record_launch(call, kernel_, request_, stream_, Begun::yes, its.fault, range_, result);
  for (const Finding& finding : told_of(result.findings)) machine.report(finding, range_);
  machine.teller.end_of_launch();
  if (its.fault == cudaSuccess)
    launch_children(call, kernel_, depth_, take_child_launches(), &stream_);
}

}  // namespace warpgrade::emulator
