// SPDX-License-Identifier: MIT
#include "run/gpu/machine_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace warpgrade {
namespace {

// Values of cudaError_t.
constexpr int kOutOfMemory = 2;
constexpr int kDevicesUnavailable = 46;
constexpr int kUncorrectableMemory = 214;
constexpr int kUncorrectableLink = 220;
/// Codes that a broken, hidden or busy machine gives to right programs, and that wrong ones can bring about as well.
constexpr int kDoubtful[] = {kOutOfMemory,
                             3,    // the driver did not start
                             35,   // it is too old
                             100,  // no device
                             101,  // no such device
                             127,  // start-up failed
                             304,  // an error of the operating system
                             719,  // a launch failed, for no told reason
                             721,  // a fault in memory was contained
                             800,  // not permitted
                             802,
                             803,
                             804,   // the system is not ready, or does not fit
                             999};  // unknown

bool has_any(const std::set<int>& codes, std::initializer_list<int> wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [&](int code) { return codes.contains(code); });
}

bool is_doubtful(const ProcessOutcome& process, const std::set<int>& codes) {
  return !process.succeeded() || std::any_of(std::begin(kDoubtful), std::end(kDoubtful),
                                             [&](int code) { return codes.contains(code); });
}

std::string names_of(const std::vector<GpuProcess>& processes) {
  std::vector<std::string> names;
  for (const GpuProcess& process : processes)
    names.push_back(fmt::format("{} ({})", process.name, process.pid));
  return join(names, ", ");
}

/// Whether a program that found no memory might have found it without the others, graded programs like it among them.
bool took_much(const std::vector<GpuProcess>& processes, size_t memory_bytes) {
  constexpr size_t kMuch = 8;  // a part of the memory
  size_t taken = 0;
  for (const GpuProcess& process : processes) {
    if (process.bytes == 0) return true;
    taken += process.bytes;
  }
  return taken > memory_bytes / kMuch;
}

void read_errors(std::string_view line, TraceErrors& errors) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  const auto result = json.find("result"), type = json.find("type"), why = json.find("message");
  if (result != json.end() && result->is_number_integer() && *result != 0)
    errors.codes.insert(result->get<int>());
  if (type != json.end() && *type == "error" && why != json.end() && why->is_string())
    errors.unobserved = why->get<std::string>();
}

}  // namespace

TraceErrors errors_in(std::string_view trace) {
  TraceErrors errors;
  for (size_t begin = 0, end = 0; begin < trace.size(); begin = end + 1) {
    end = std::min(trace.find('\n', begin), trace.size());
    const std::string_view line = trace.substr(begin, end - begin);
    // Nearly all lines are of calls that succeeded, and reading one takes a while.
    if (line.find("\"result\":0,") == std::string_view::npos) read_errors(line, errors);
  }
  return errors;
}

std::optional<MachineFault> machine_fault(const ProcessOutcome& process, const TraceErrors& errors,
                                          const GpuQuestions& ask) {
  if (!errors.unobserved.empty())
    return MachineFault{"the program could not be observed: " + errors.unobserved};
  if (errors.codes.contains(kDevicesUnavailable))
    return MachineFault{"the GPU was not available: another process has it for itself"};
  if (has_any(errors.codes, {kUncorrectableMemory, kUncorrectableLink}))
    return MachineFault{"the GPU found an error in its memory that it cannot correct", true};
  if (!is_doubtful(process, errors.codes)) return std::nullopt;
  if (const std::string trouble = ask.trouble(); !trouble.empty())
    return MachineFault{"the GPU does not work any more: " + trouble, true};
  if (!errors.codes.contains(kOutOfMemory)) return std::nullopt;
  const std::vector<GpuProcess> neighbours = ask.neighbours();
  if (!took_much(neighbours, ask.memory_bytes)) return std::nullopt;
  return MachineFault{"the GPU's memory is shared with other processes: " + names_of(neighbours)};
}

}  // namespace warpgrade
