// SPDX-License-Identifier: MIT
#include "observe/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/npy_io.h"
namespace warpgrade {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

Extent3 extent(const json& object, const char* key) { return object.value(key, Extent3{0, 0, 0}); }

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

void read_session(const json& line, Trace& trace) {
  if (line.at("version") != kVersion)
    throw std::invalid_argument("a version of the format that this grader does not know");
  trace.source = line.at("source");
  for (const json& device : line.at("devices"))
    trace.devices.push_back({device.at("name"), device.at("major"), device.at("minor")});
}

Argument read_argument(const json& value) {
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return value.get<uint64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) throw std::invalid_argument("an argument of an unknown type");
  return value.get<std::vector<std::string>>();
}

void read_call(const json& line, Trace& trace) {
  ApiCall call{line.at("seq"),    line.at("name"),  line.at("result"),
               line.at("device"), line.at("range"), {}};
  for (const auto& [name, value] : line.at("args").items())
    call.args.emplace(name, read_argument(value));
  if (line.contains("transfers")) {
    for (const json& each : line["transfers"])
      call.transfers.push_back(
          {each.at("direction"), each.at("count"), each.at("bytes"), each.at("ms")});
  }
  call.file = line.value("file", "");
  call.line = line.value("line", 0);
  trace.calls.push_back(std::move(call));
}

Touch read_touch(const json& touch) {
  return {touch.at("ptr"),
          touch.at("read"),
          touch.at("written"),
          touch.value("padding_read", false),
          touch.value("padding_written", false),
          touch.value("atomic_updates", uint64_t{0}),
          touch.value("writers", uint64_t{0})};
}

AccessCounts read_accesses(const json& line, const char* key) {
  if (!line.contains(key)) return {};
  const json& counts = line[key];
  return {counts.at(0), counts.at(1), counts.at(2)};
}

LineCounts read_counts(const json& line) {
  LineCounts counts;
  counts.file = line.at("file");
  counts.line = line.at("line");
  counts.warps = line.at("warps");
  counts.threads = line.at("threads");
  counts.global_loads = read_accesses(line, "global_ld");
  counts.global_stores = read_accesses(line, "global_st");
  counts.shared_loads = read_accesses(line, "shared_ld");
  counts.shared_stores = read_accesses(line, "shared_st");
  counts.ms = line.value("ms", 0.0);
  if (!line.contains("branches")) return counts;
  counts.branches = line["branches"].at(0);
  counts.divergent = line["branches"].at(1);
  return counts;
}

void read_launch(const json& line, Trace& trace) {
  KernelLaunch launch;
  launch.seq = line.at("seq");
  launch.result = line.at("result");
  launch.has_faulted = line.value("faulted", false);
  launch.kernel = line.at("kernel");
  launch.mangled = line.value("mangled", "");
  launch.code = line.value("code", launch.code);
  launch.device = line.at("device");
  launch.range = line.at("range");
  launch.stream = line.at("stream");
  launch.grid = line.at("grid");
  launch.block = line.at("block");
  for (const json& param : line.at("params")) launch.params.push_back(bytes_of_hex(param));
  for (const json& touch : line.at("memory")) launch.memory.push_back(read_touch(touch));
  launch.static_shared_bytes = line.value("static_shared_bytes", 0L);
  launch.is_unseen = line.value("is_unseen", false);
  launch.dynamic_shared_bytes = line.value("dynamic_shared_bytes", 0L);
  launch.metrics = line.value("metrics", launch.metrics);
  if (line.contains("time_ms"))
    launch.time_ms = KernelTime{line["time_ms"].at("value"), line["time_ms"].at("source"),
                                line["time_ms"].value("dram_bytes", 0.0)};
  if (line.contains("lines")) {
    for (const json& counts : line["lines"]) launch.lines.push_back(read_counts(counts));
  }
  trace.launches.push_back(std::move(launch));
}

std::optional<RaceAccesses> read_race(const json& finding) {
  if (!finding.contains("race")) return std::nullopt;
  const json& race = finding["race"];
  return RaceAccesses{race.at("object"),     race.at("first_act"),   race.at("second"),
                      race.at("second_act"), race.at("second_file"), race.at("second_line"),
                      race.at("missing")};
}

void read_finding(const json& line, Trace& trace) {
  trace.findings.push_back({line.at("seq"), line.at("checker"), line.at("message"),
                            line.value("kernel", ""), line.value("file", ""), line.value("line", 0),
                            extent(line, "block"), extent(line, "thread"), line.value("count", 1L),
                            line.value("range", ""), line.value("at_exit", false), read_race(line),
                            line.value("id", ""),
                            line.value("arguments", std::map<std::string, std::string>())});
}

WorkPiece read_piece(const json& piece) {
  WorkPiece work;
  work.kernel = piece.value("kernel", "");
  work.grid = piece.value("grid", work.grid);
  work.block = piece.value("block", work.block);
  work.dynamic_shared_bytes = piece.value("dynamic_shared_bytes", 0L);
  work.direction = piece.value("direction", "");
  work.bytes = piece.value("bytes", uint64_t{0});
  work.count = piece.at("count");
  return work;
}

void read_timing(const json& line, Trace& trace) {
  std::optional<Work> work;
  if (line.contains("work")) {
    work.emplace();
    for (const json& piece : line.at("work")) work->push_back(read_piece(piece));
  }
  trace.timings.push_back({line.at("seq"), line.at("range"), line.at("repetition"),
                           line.at("kernel_ms"), line.at("copy_ms"), line.at("busy_ms"),
                           line.at("event_ms"), line.at("wall_ms"), line.at("outside_kernel_ms"),
                           line.at("start_ns"), line.at("end_ns"), std::move(work)});
}

void read_range(const json& line, Trace& trace) {
  const std::string name = line.at("name");
  const bool begins = line.at("begins");
  if (!name.starts_with(npy_io::kNoted)) {
    trace.ranges.push_back({line.at("seq"), name, begins, line.value("heap_blocks", 0L)});
  } else if (begins) {
    const std::string note = name.substr(std::string_view(npy_io::kNoted).size());
    const size_t colon = note.rfind(':');
    trace.outputs.push_back({line.at("seq"), note.substr(0, colon)});
    if (colon != note.npos) trace.outputs.back().bytes_hex = note.substr(colon + 1);
  }
}

/// What a writer says that could not do its work.
struct NotObserved : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws what nlohmann::json or std throw where `text` is not a line of a trace.
long read_line(std::string_view text, Trace& trace) {
  const json line = json::parse(text);
  const std::string type = line.at("type");
  if (type == "session") {
    read_session(line, trace);
  } else if (type == "api") {
    read_call(line, trace);
  } else if (type == "launch") {
    read_launch(line, trace);
  } else if (type == "finding") {
    read_finding(line, trace);
  } else if (type == "range") {
    read_range(line, trace);
  } else if (type == "timing") {
    read_timing(line, trace);
  } else if (type == "overhead") {
    trace.empty_range = EmptyRange{line.at("event_ms"), line.at("wall_ms")};
  } else if (type == "error") {
    throw NotObserved(line.at("message").get<std::string>());
  } else if (type == "exit") {
    trace.exited = true;
  } else {
    throw std::invalid_argument(fmt::format("the unknown type \"{}\"", type));
  }
  return line.at("seq");
}

template <class Event>
void sort_by_seq(std::vector<Event>& events) {
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.seq < b.seq; });
}

/// nullptr where there is none of that name and type.
template <class T>
const T* find(const Arguments& args, const char* name) {
  const auto found = args.find(name);
  return found == args.end() ? nullptr : found->second.get_if<T>();
}

bool is_api(const ApiCall& call, std::string_view api) {
  const std::string& name = call.alike();
  if (api.ends_with('*')) return name.starts_with(api.substr(0, api.size() - 1));
  return name == api || name == fmt::format("{}Async", api);
}

bool in_range(const std::string& range, std::string_view wanted) {
  return wanted.empty() || range == wanted;
}

std::optional<Allocation> allocation_by(const ApiCall& call) {
  Allocation made{call.name,
                  call.number("ptr"),
                  0,
                  call.number("size"),
                  1,
                  call.seq,
                  std::numeric_limits<long>::max()};
  if (call.name == "cudaMallocPitch" || call.name == "cudaMalloc3D") {
    made.width = call.number("width");
    made.height = call.number("height") * std::max<uint64_t>(1, call.number("depth"));
  } else if (call.name.rfind("cudaMalloc", 0) != 0 || !call.args.contains("size")) {
    return std::nullopt;
  }
  made.pitch = call.args.contains("pitch") ? call.number("pitch") : made.width;
  return made;
}

}  // namespace

const std::string& ApiCall::alike() const {
  const auto* like = find<std::string>(args, "like");
  return like == nullptr ? name : *like;
}

uint64_t ApiCall::copies() const {
  uint64_t count = 0;
  for (const Transfers& each : transfers) count += each.are_copies() ? each.count : 0;
  return count;
}

uint64_t ApiCall::bytes_moved(std::string_view direction) const {
  uint64_t bytes = 0;
  for (const Transfers& each : transfers) bytes += each.direction == direction ? each.bytes : 0;
  return bytes;
}

uint64_t ApiCall::number(const char* arg) const {
  const auto* value = find<uint64_t>(args, arg);
  return value == nullptr ? 0 : *value;
}

double ApiCall::real(const char* arg, double otherwise) const {
  if (const auto* value = find<double>(args, arg)) return *value;
  const auto* whole = find<uint64_t>(args, arg);
  return whole == nullptr ? otherwise : static_cast<double>(*whole);
}

std::string ApiCall::text(const char* arg) const {
  const auto* value = find<std::string>(args, arg);
  return value == nullptr ? "" : *value;
}

std::vector<std::string> ApiCall::words(const char* arg) const {
  const auto* value = find<std::vector<std::string>>(args, arg);
  return value == nullptr ? std::vector<std::string>() : *value;
}

Result<Trace> parse_trace(std::string_view text) {
  Trace trace;
  std::set<long> seen;
  for (long number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // unfinished
    try {
      const long seq = read_line(text.substr(0, end), trace);
      if (!seen.insert(seq).second)
        return Error{fmt::format("the trace has two events with seq {}", seq)};
    } catch (const NotObserved& problem) {
      return Error{fmt::format("the program could not be observed: {}", problem.what())};
    } catch (const std::exception& problem) {
      return Error{
          fmt::format("line {} of the trace cannot be understood: {}", number, problem.what())};
    }
    text.remove_prefix(end + 1);
  }
  if (!seen.empty() &&
      (*seen.begin() != 0 || *seen.rbegin() != static_cast<long>(seen.size()) - 1)) {
    return Error{"the trace has gaps: some events are missing"};
  }
  sort_by_seq(trace.calls);
  sort_by_seq(trace.launches);
  sort_by_seq(trace.findings);
  sort_by_seq(trace.ranges);
  sort_by_seq(trace.outputs);
  sort_by_seq(trace.timings);
  return trace;
}

bool may_end_a_run(const Finding& finding) {
  constexpr std::string_view kHarmless[] = {"init",    "race",    "api",     "padding",
                                            "harness", "outside", "carried", "unchecked"};
  return std::find(std::begin(kHarmless), std::end(kHarmless), finding.checker) ==
         std::end(kHarmless);
}

std::string open_range(const Trace& trace) {
  std::vector<std::string> open;
  for (const RangeMark& mark : trace.ranges) {
    if (mark.begins) {
      open.push_back(mark.name);
    } else if (!open.empty()) {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

std::vector<Allocation> allocations_of(const Trace& trace) {
  std::vector<Allocation> allocations;
  for (const ApiCall& call : trace.calls) {
    if (call.result != 0) continue;
    if (const std::optional<Allocation> made = allocation_by(call)) allocations.push_back(*made);
    if (call.name.rfind("cudaFree", 0) != 0) continue;
    for (Allocation& allocation : allocations) {
      if (allocation.holds(call.number("ptr"), call.seq)) allocation.last_seq = call.seq;
    }
  }
  return allocations;
}

const Allocation* allocation_at(const std::vector<Allocation>& allocations, uint64_t address,
                                long seq) {
  const auto found =
      std::find_if(allocations.begin(), allocations.end(),
                   [&](const Allocation& allocation) { return allocation.holds(address, seq); });
  return found == allocations.end() ? nullptr : &*found;
}

std::vector<const KernelLaunch*> launches_in(const Trace& trace, std::string_view range) {
  std::vector<const KernelLaunch*> found;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.result == 0 && in_range(launch.range, range)) found.push_back(&launch);
  }
  return found;
}

std::vector<const KernelLaunch*> launches_run_in(const Trace& trace, std::string_view range) {
  std::vector<const KernelLaunch*> found;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.ran() && in_range(launch.range, range)) found.push_back(&launch);
  }
  return found;
}

std::vector<const ApiCall*> calls_in(const Trace& trace, std::string_view range,
                                     std::string_view api) {
  std::vector<const ApiCall*> found;
  for (const ApiCall& call : trace.calls) {
    const bool only_captured = call.args.contains("captured");
    if (call.result == 0 && !only_captured && in_range(call.range, range) && is_api(call, api))
      found.push_back(&call);
  }
  return found;
}

}  // namespace warpgrade
