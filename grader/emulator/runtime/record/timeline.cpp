// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/timeline.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/runtime/record/trace.h"

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostSpans = 500'000;
constexpr double kMicroseconds = 1000;

std::string shape_in_words(const Dim3& value) {
  return fmt::format("{} x {} x {}", value.x, value.y, value.z);
}

std::string stream_in_words(uint64_t id) {
  if (id == 0) return "default stream";
  return id > kThreadStreams ? fmt::format("per-thread default stream {}", id - kThreadStreams)
                             : fmt::format("stream {}", id);
}

Json name_of(const char* what, int device, uint64_t stream, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", device}, {"tid", stream}, {"args", {{"name", name}}}};
}

}  // namespace

void Timeline::add(Span span) {
  if (spans_.size() == kMostSpans) {
    ++left_out_;
    return;
  }
  spans_.push_back(std::move(span));
}

void Timeline::add_copy(const CUstream_st& stream, double ms, const char* call,
                        const char* direction, uint64_t bytes) {
  if (!is_wanted()) return;
  add({*direction == '\0' ? call : fmt::format("{} {}", call, direction),
       "copy",
       stream.device,
       stream.id,
       stream.ready_ms - ms,
       ms,
       {{"bytes", fmt::format("{}", bytes)}}});
}

void Timeline::add_launch(const CUstream_st& stream, const std::string& kernel, const Dim3& grid,
                          const Dim3& block, const TimeEstimate& time) {
  if (!is_wanted()) return;
  Span span{kernel,         "kernel", stream.device, stream.id, stream.ready_ms - time.kernel_ms,
            time.kernel_ms, {}};
  span.facts = {{"grid", shape_in_words(grid)}, {"block", shape_in_words(block)}};
  if (!time.pipes.empty()) span.facts.emplace_back("bound by", time.pipes.front().description);
  add(std::move(span));
}

std::string Timeline::text(const std::vector<std::string>& devices) const {
  Json events = Json::array();
  std::map<std::pair<int, uint64_t>, bool> tracks;
  for (size_t device = 0; device < devices.size(); ++device)
    events.push_back(name_of("process_name", static_cast<int>(device), 0,
                             fmt::format("device {}: {}, modelled time", device, devices[device])));
  for (const Span& span : spans_) {
    if (tracks.try_emplace({span.device, span.stream}, true).second)
      events.push_back(
          name_of("thread_name", span.device, span.stream, stream_in_words(span.stream)));
    Json facts = Json::object();
    for (const auto& [key, value] : span.facts) facts[key] = value;
    events.push_back({{"ph", "X"},
                      {"name", span.name},
                      {"cat", span.kind},
                      {"pid", span.device},
                      {"tid", span.stream},
                      {"ts", span.begin_ms * kMicroseconds},
                      {"dur", span.ms * kMicroseconds},
                      {"args", facts}});
  }
  const Json whole = {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  return whole.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

void Timeline::write(const std::vector<std::string>& devices) const {
  if (!is_wanted()) return;
  FILE* const file = std::fopen(path_.c_str(), "w");
  const std::string whole = text(devices);
  const bool written =
      file != nullptr && std::fwrite(whole.data(), 1, whole.size(), file) == whole.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed)
    fmt::print(stderr, "warpgrade: cannot write {}: {}\n", path_, std::strerror(errno));
  if (left_out_ != 0)
    fmt::print(stderr, "warpgrade: {} ends after {} spans; {} more are left out\n", path_,
               spans_.size(), left_out_);
}

}  // namespace warpgrade::emulator
