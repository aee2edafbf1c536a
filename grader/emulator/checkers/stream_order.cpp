// SPDX-License-Identifier: MIT
#include "emulator/checkers/stream_order.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

// Lanes of default streams and of nodes lie beyond those of streams.
constexpr uint64_t kDefaultLanes = uint64_t{1} << 62, kNodeLanes = uint64_t{1} << 63;

uint64_t lane_of(const StreamOfWork& stream) {
  return stream.id != 0 ? stream.id : kDefaultLanes + static_cast<uint64_t>(stream.device);
}

}  // namespace

void LaneClock::join(const LaneClock& other) {
  for (const auto& [lane, number] : other.latest_) {
    uint64_t& mine = latest_[lane];
    mine = std::max(mine, number);
  }
}

bool LaneClock::covers(uint64_t lane, uint64_t number) const {
  const auto found = latest_.find(lane);
  return found != latest_.end() && found->second >= number;
}

bool LaneClock::covers(const LaneClock& other) const {
  return std::all_of(other.latest_.begin(), other.latest_.end(),
                     [&](const auto& entry) { return covers(entry.first, entry.second); });
}

uint64_t LaneClock::latest() const {
  uint64_t latest = 0;
  for (const auto& [lane, number] : latest_) latest = std::max(latest, number);
  return latest;
}

StreamOrder::Stream& StreamOrder::known(const StreamOfWork& stream) {
  Stream& found = streams_[lane_of(stream)];
  found.what = stream;
  return found;
}

LaneClock StreamOrder::before(const StreamOfWork& stream) {
  LaneClock clock = known(stream).clock;
  clock.join(host_);
  clock.join(devices_[stream.device]);
  for (const auto& [lane, other] : streams_) {
    const bool same_device = other.what.device == stream.device;
    const bool waits = stream.id == 0 ? other.what.blocking : other.what.id == 0 && stream.blocking;
    if (same_device && waits) clock.join(other.clock);
  }
  return clock;
}

StreamOrder::Node* StreamOrder::node_in(const StreamOfWork& stream) {
  const bool inside = !graphs_.empty() && graphs_.back().lane == lane_of(stream);
  return inside ? &graphs_.back().now : nullptr;
}

LaneClock& StreamOrder::current(const StreamOfWork& stream) {
  if (Node* const node = node_in(stream)) return node->clock;
  Stream& mine = known(stream);
  mine.clock = before(stream);
  return mine.clock;
}

Moment StreamOrder::add(const StreamOfWork& stream) {
  LaneClock& clock = current(stream);
  const Node* const node = node_in(stream);
  const uint64_t lane = node == nullptr ? lane_of(stream) : node->lane;
  clock.set(lane, ++next_number_);
  lanes_used_.insert(lane);
  return {lane, next_number_, clock};
}

void StreamOrder::record(uint64_t event, const StreamOfWork& stream) {
  events_[event] = current(stream);
}

void StreamOrder::wait(const StreamOfWork& stream, uint64_t event) {
  const auto found = events_.find(event);
  if (found != events_.end()) current(stream).join(found->second);
}

void StreamOrder::host_waits_for(const StreamOfWork& stream) { host_.join(current(stream)); }

void StreamOrder::host_waits_for_event(uint64_t event) {
  const auto found = events_.find(event);
  if (found != events_.end()) host_.join(found->second);
}

bool StreamOrder::host_finds_done(const LaneClock& work, Asked& asked) {
  if (host_.covers(work)) return true;
  if (asked.latest != work.latest()) asked = {work.latest(), 0};
  if (++asked.times <= kMostUnready) return false;
  host_.join(work);
  return true;
}

bool StreamOrder::host_finds_done(const StreamOfWork& stream) {
  return host_finds_done(current(stream), asked_streams_[lane_of(stream)]);
}

bool StreamOrder::host_finds_done(uint64_t event) {
  const auto found = events_.find(event);
  return found == events_.end() || host_finds_done(found->second, asked_events_[event]);
}

void StreamOrder::host_waits_for_device(int device) {
  for (const auto& [lane, stream] : streams_) {
    if (stream.what.device == device) host_.join(stream.clock);
  }
}

void StreamOrder::order_devices(const std::vector<int>& devices) {
  LaneClock all;
  for (const auto& [lane, stream] : streams_) {
    if (std::count(devices.begin(), devices.end(), stream.what.device) != 0) all.join(stream.clock);
  }
  for (const int device : devices) devices_[device].join(all);
}

void StreamOrder::begin_graph(const StreamOfWork& stream) {
  GraphLaunch launch;
  const Node* const node = node_in(stream);
  launch.lane = lane_of(stream);
  launch.start.clock = current(stream);
  launch.start.lane = node == nullptr ? launch.lane : node->lane;
  graphs_.push_back(std::move(launch));
}

void StreamOrder::begin_node(const void* node, const std::vector<const void*>& after) {
  GraphLaunch& launch = graphs_.back();
  launch.node = node;
  launch.now = {};
  launch.now.clock = launch.start.clock;
  Node* only = after.empty() ? &launch.start : nullptr;
  for (const void* before : after) {
    Node& done = launch.done[before];
    launch.now.clock.join(done.clock);
    if (after.size() == 1) only = &done;
  }
  const bool joins = only != nullptr && !only->goes_on;
  launch.now.lane = joins ? only->lane : kNodeLanes + next_node_lane_++;
  if (joins) only->goes_on = true;
}

void StreamOrder::end_node() {
  GraphLaunch& launch = graphs_.back();
  launch.done[launch.node] = launch.now;
}

void StreamOrder::end_graph(const StreamOfWork& stream) {
  const GraphLaunch launch = std::move(graphs_.back());
  graphs_.pop_back();
  Node* const node = node_in(stream);
  LaneClock& clock = node == nullptr ? known(stream).clock : node->clock;
  for (const auto& [node, done] : launch.done) clock.join(done.clock);
}

void StreamOrder::forget_all() {
  if (!graphs_.empty()) return;
  streams_.clear();
  events_.clear();
  asked_streams_.clear();
  asked_events_.clear();
  devices_.clear();
  host_ = {};
}

}  // namespace warpgrade::emulator
