// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace warpgrade::emulator {

/// Numbers of operations, the latest of each lane that something comes after.
class LaneClock {
 public:
  void join(const LaneClock& other);
  void set(uint64_t lane, uint64_t number) { latest_[lane] = number; }
  /// Whether it comes after that operation.
  bool covers(uint64_t lane, uint64_t number) const;
  /// Whether it comes after all that the other does.
  bool covers(const LaneClock& other) const;
  /// The latest number of all lanes.
  uint64_t latest() const;

 private:
  std::map<uint64_t, uint64_t> latest_;
};

/// A stream as far as it decides about order.
struct StreamOfWork {
  uint64_t id = 0;  ///< 0: the device's legacy default stream
  int device = 0;
  bool blocking = true;  ///< waits for the default stream, and it for this one
};

/// An operation's place in the order.
struct Moment {
  uint64_t lane = 0, number = 0;
  LaneClock after;  ///< what comes before it, and itself
};

/// The order that a program gives its operations (CUDA Programming Guide, "Asynchronous Concurrent
/// Execution"). The operations of a lane are one after another: those of a stream, or of a chain of
/// nodes in one launch of a graph. Whatever any host thread has waited for counts as known to all.
class StreamOrder {
 public:
  Moment add(const StreamOfWork& stream);
  void record(uint64_t event, const StreamOfWork& stream);
  void wait(const StreamOfWork& stream, uint64_t event);
  void forget_event(uint64_t event) {
    events_.erase(event);
    asked_events_.erase(event);
  }

  void host_waits_for(const StreamOfWork& stream);
  void host_waits_for_event(uint64_t event);
  void host_waits_for_device(int device);
  void host_waits_for(const Moment& moment) { host_.join(moment.after); }
  /// Whether a stream's work, or an event, is done when the host asks without waiting. It is not until the host has asked
  /// kMostUnready times, so that who asks once and goes on has waited for nothing. A true answer counts as a wait.
  bool host_finds_done(const StreamOfWork& stream);
  bool host_finds_done(uint64_t event);
  /// What these devices are given from now on runs after all that they were given before.
  void order_devices(const std::vector<int>& devices);

  /// A graph is launched; nodes may be others of the same launch. All that is added between
  /// begin_node() and end_node() belongs to the node.
  void begin_graph(const StreamOfWork& stream);
  void begin_node(const void* node, const std::vector<const void*>& after);
  void end_node();
  void end_graph(const StreamOfWork& stream);

  static constexpr unsigned kMostUnready = 16;

  bool is_in_graph(const StreamOfWork& stream) { return node_in(stream) != nullptr; }
  bool host_knows(const Moment& moment) const { return host_.covers(moment.lane, moment.number); }
  /// Whether operations were ever added to more than one lane.
  bool has_lanes() const { return lanes_used_.size() > 1; }
  /// Nothing that was added is of interest any more.
  void forget_all();

 private:
  struct Stream {
    StreamOfWork what;
    LaneClock clock;
  };
  struct Node {
    uint64_t lane = 0;
    LaneClock clock;
    bool goes_on = false;  ///< a later node has its lane
  };
  struct GraphLaunch {
    uint64_t lane = 0;  ///< of its stream
    Node start, now;
    const void* node = nullptr;
    std::map<const void*, Node> done;
  };
  /// How often the host has asked for work whose last operation has that number.
  struct Asked {
    uint64_t latest = 0;
    unsigned times = 0;
  };
  bool host_finds_done(const LaneClock& work, Asked& asked);
  Stream& known(const StreamOfWork& stream);
  /// What an operation that is added to the stream now comes after.
  LaneClock before(const StreamOfWork& stream);
  LaneClock& current(const StreamOfWork& stream);
  /// The node that work given to the stream now belongs to, or null.
  Node* node_in(const StreamOfWork& stream);

  std::map<uint64_t, Stream> streams_;  ///< by lane
  std::map<uint64_t, LaneClock> events_;
  std::map<uint64_t, Asked> asked_streams_, asked_events_;
  std::map<int, LaneClock> devices_;
  LaneClock host_;
  std::vector<GraphLaunch> graphs_;  ///< the innermost last
  std::set<uint64_t> lanes_used_;
  uint64_t next_number_ = 0, next_node_lane_ = 0;
};

}  // namespace warpgrade::emulator
